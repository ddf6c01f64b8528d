/**
 * The service's tables in memory, and the statements that it runs on them. Each statement of the stores is recognised by its
 * words; an unknown one is a fault, so that a new statement is added here.
 */
import type { Asset } from "../../../src/domain/asset.ts";
import { isTerminal, type Task } from "../../../src/domain/task.ts";
import type { LinkRow } from "../../../src/features/links/store.ts";

type AssetRow = Omit<Asset, "created_at" | "updated_at"> & { readonly created_at: Date; readonly updated_at: Date };

interface HeadRow {
  seq: number;
  hash: string | null;
  epoch: number;
  limit: number;
}

interface EventRow {
  readonly seq: number;
  readonly hash: string;
  readonly prev_hash: string | null;
  readonly name: string;
}

/** The rows of one workspace. */
export interface Tables {
  readonly head: HeadRow;
  readonly assets: ReadonlyMap<string, AssetRow>;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly ignored: ReadonlySet<string>;
  readonly links: ReadonlyMap<string, LinkRow>;
  readonly events: readonly EventRow[];
}

type Mutable = {
  head: HeadRow;
  assets: Map<string, AssetRow>;
  tasks: Map<string, Task>;
  ignored: Set<string>;
  links: Map<string, LinkRow>;
  events: EventRow[];
};

export type Rows = readonly object[];
type Values = readonly unknown[];

export const WORKSPACE_ROW = {
  id: "wsp_sim",
  name: "simulation",
  origin_lat: null,
  origin_lon: null,
  origin_alt_m: null,
  retention: { obs_h: 1, track_h: 1, event_d: 1 },
  created_at: new Date(0),
  members_count: 1,
};

class DuplicateKey extends Error {
  readonly code = "23505";
}

/** The tables with an undo log, so that a failed transaction leaves nothing. */
export class TableSpace {
  readonly tables: Mutable = {
    head: { seq: 0, hash: null, epoch: 0, limit: 0 },
    assets: new Map(),
    tasks: new Map(),
    ignored: new Set(),
    links: new Map(),
    events: [],
  };
  #undo: (() => void)[] = [];
  /** A write broke an invariant of the tables. */
  readonly broken: string[] = [];

  commit(): void {
    this.#undo = [];
  }

  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo();
    this.#undo = [];
  }

  run(text: string, values: Values): Rows {
    for (const [words, statement] of STATEMENTS) if (text.startsWith(words)) return statement(this, values);
    throw new Error(`no simulated table knows the statement: ${text}`);
  }

  // ---- heads

  headOf(epoch: number): HeadRow | null {
    return this.tables.head.epoch === epoch ? this.tables.head : null;
  }

  changeHead(change: Partial<HeadRow>): void {
    const before = { ...this.tables.head };
    Object.assign(this.tables.head, change);
    this.#undo.push(() => Object.assign(this.tables.head, before));
  }

  // ---- rows by id

  put<T>(rows: Map<string, T>, id: string, row: T): void {
    const before = rows.get(id);
    rows.set(id, row);
    this.#undo.push(() => (before === undefined ? rows.delete(id) : rows.set(id, before)));
  }

  remove<T>(rows: Map<string, T>, id: string): boolean {
    const before = rows.get(id);
    if (before === undefined) return false;
    rows.delete(id);
    this.#undo.push(() => rows.set(id, before));
    return true;
  }

  append(rows: readonly EventRow[]): void {
    const { events } = this.tables;
    const length = events.length;
    for (const row of rows) {
      const last = events.at(-1);
      if (row.seq !== (last?.seq ?? 0) + 1 || row.prev_hash !== (last?.hash ?? null))
        this.broken.push(`event ${row.seq} does not follow event ${last?.seq ?? 0}`);
      events.push(row);
    }
    this.#undo.push(() => events.splice(length));
  }

  ignore(key: string): void {
    if (this.tables.ignored.has(key)) return;
    this.tables.ignored.add(key);
    this.#undo.push(() => this.tables.ignored.delete(key));
  }

  moveTask(task: Task): boolean {
    const before = this.tables.tasks.get(task.id);
    if (before === undefined || isTerminal(before.status) || before.status_version >= task.status_version) return false;
    this.put(this.tables.tasks, task.id, task);
    return true;
  }

  // ---- assets

  isTaken(asset: AssetRow): boolean {
    const { assets } = this.tables;
    for (const other of assets.values()) {
      if (other.id === asset.id) continue;
      const [one, two] = [asset.connection?.address ?? null, other.connection?.address ?? null];
      if (one !== null && one === two) return true;
      if (asset.remote_id_serial !== null && asset.remote_id_serial === other.remote_id_serial) return true;
    }
    return false;
  }

  /** In the order in which a room reads them. */
  sortedAssets(): AssetRow[] {
    const byAge = (a: AssetRow, b: AssetRow) =>
      a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1);
    return [...this.tables.assets.values()].sort(byAge);
  }
}

/** The result of `sql(...)` without a template: a list of columns, or rows to insert. */
export class Fragment {
  readonly of: unknown;
  constructor(of: unknown) {
    this.of = of;
  }
}

function assetOf(values: Values): AssetRow {
  const [, id, kind, name, domain, spec, serial, performance, placement, payloads, switches, connection] = values;
  const [created, updated, version] = values.slice(13);
  return {
    ...({ id, kind, name, domain, spec, performance, placement, payloads, switches, connection, version } as AssetRow),
    remote_id_serial: serial as string | null,
    created_at: new Date(created as string),
    updated_at: new Date(updated as string),
  };
}

function insertAsset(space: TableSpace, values: Values): Rows {
  const asset = assetOf(values);
  if (space.tables.assets.has(asset.id) || space.isTaken(asset)) return [];
  space.put(space.tables.assets, asset.id, asset);
  return [{ id: asset.id }];
}

function updateAsset(space: TableSpace, values: Values): Rows {
  const [kind, name, domain, spec, serial, performance, placement, payloads, switches, connection] = values;
  const [, updated, , id, version] = values.slice(10);
  const before = space.tables.assets.get(id as string);
  if (before === undefined || before.version !== version) return [];
  const after: AssetRow = {
    ...before,
    ...({ kind, name, domain, spec, performance, placement, payloads, switches, connection } as Partial<AssetRow>),
    remote_id_serial: serial as string | null,
    updated_at: new Date(updated as string),
    version: before.version + 1,
  };
  if (space.isTaken(after)) throw new DuplicateKey("another asset has the address or the serial");
  space.put(space.tables.assets, after.id, after);
  return [after];
}

function unplaceGuests(space: TableSpace, [updated, , hostId]: Values): Rows {
  const guests = space.sortedAssets().filter(({ placement }) => placement?.host_asset_id === hostId);
  return guests.map((before) => {
    const after = { ...before, placement: null, updated_at: new Date(updated as string), version: before.version + 1 };
    space.put(space.tables.assets, after.id, after);
    return after;
  });
}

function findAssets(space: TableSpace, values: Values): Rows {
  const assets = space.sortedAssets();
  if (values.length < 3) return assets;
  const [id, address, serial] = values.slice(2);
  return assets.filter(
    (one) =>
      one.id === id ||
      (address !== null && one.connection?.address === address) ||
      (serial !== null && one.remote_id_serial === serial),
  );
}

function insertTask(space: TableSpace, values: Values): Rows {
  const task = values.at(-1) as Task;
  if (space.tables.tasks.has(task.id)) throw new DuplicateKey("the task is there already");
  space.put(space.tables.tasks, task.id, task);
  return [];
}

const LINK_COLUMNS = [
  ...["workspace_id", "id", "name", "asset_id", "protocol", "direction", "transport", "role", "address", "port"],
  ...["options", "secret_sealed", "secret_prefix", "created_at"],
];

const inOrder = (tasks: Iterable<Task>): Rows =>
  [...tasks].sort((a, b) => (a.id < b.id ? -1 : 1)).map((task) => ({ task }));

/** By the first words of a statement, longer ones first. */
const STATEMENTS: readonly (readonly [string, (space: TableSpace, values: Values) => Rows])[] = [
  [
    "insert into event_heads (workspace_id, seq, hash, epoch)",
    (space, [, epoch]) => {
      const head = space.headOf(epoch as number);
      return head === null ? [] : [{ seq: String(head.seq), hash: head.hash }];
    },
  ],
  [
    "update event_heads set seq = $, hash = $",
    (space, [seq, hash, , epoch]) => {
      if (space.headOf(epoch as number) === null) return [];
      space.changeHead({ seq: seq as number, hash: hash as string | null });
      return [{}];
    },
  ],
  [
    "insert into event_heads (workspace_id, seq, hash, stream_gen_limit)",
    (space, [first, id, above, block]) => {
      if (id !== WORKSPACE_ROW.id) return [];
      const { head } = space.tables;
      const limit = head.limit === 0 ? (first as number) : Math.max(head.limit, above as number) + (block as number);
      space.changeHead({ limit });
      return [{ epoch: String(head.epoch), limit: String(limit) }];
    },
  ],
  [
    "update event_heads set stream_gen_limit",
    (space, [block, , epoch]) => {
      const head = space.headOf(epoch as number);
      if (head === null) return [];
      space.changeHead({ limit: head.limit + (block as number) });
      return [{ limit: String(head.limit) }];
    },
  ],
  [
    "insert into events",
    (space, [rows]) => {
      space.append((rows as Fragment).of as EventRow[]);
      return [];
    },
  ],
  ["insert into tasks", insertTask],
  [
    "update tasks set status",
    (space, values) => (space.moveTask(values[2] as Task) ? [{ id: (values[2] as Task).id }] : []),
  ],
  [
    "select task from tasks where workspace_id = $ and id = $",
    (space, [, id]) => {
      const task = space.tables.tasks.get(id as string);
      return task === undefined ? [] : [{ task }];
    },
  ],
  [
    "select task from tasks where workspace_id = $ and asset_id in $ and idempotency_key = $",
    (space, [, names, key]) => {
      const of = (names as Fragment).of as readonly string[];
      const all = [...space.tables.tasks.values()];
      return inOrder(all.filter((task) => of.includes(task.asset_id) && task.idempotency_key === key)).slice(0, 1);
    },
  ],
  [
    "select task from tasks where workspace_id = $ and is_open",
    (space) => inOrder([...space.tables.tasks.values()].filter(({ status }) => !isTerminal(status))),
  ],
  ["insert into assets", insertAsset],
  ["update assets set kind = $", updateAsset],
  ["update assets set placement = null", unplaceGuests],
  ["delete from assets", (space, [, id]) => (space.remove(space.tables.assets, id as string) ? [{ id }] : [])],
  ["select $ from assets where workspace_id = $", findAssets],
  ["select w.id, w.name", (_, [id]) => (id === WORKSPACE_ROW.id ? [WORKSPACE_ROW] : [])],
  ["select id, kind, name, spec, created_at, updated_at from catalogue_entries", () => []],
  ["select key from ignored_discoveries", (space) => [...space.tables.ignored].map((key) => ({ key }))],
  [
    "insert into ignored_discoveries",
    (space, [, key]) => {
      space.ignore(key as string);
      return [];
    },
  ],
  ["select * from links", (space) => [...space.tables.links.values()]],
  ["delete from links", (space, [, id]) => (space.remove(space.tables.links, id as string) ? [{ id }] : [])],
  [
    "insert into links",
    (space, values) => {
      const link = Object.fromEntries(LINK_COLUMNS.map((name, i) => [name, values[i]])) as unknown as LinkRow;
      space.put(space.tables.links, link.id, link);
      return [];
    },
  ],
];
