/**
 * The catalogue entries of a workspace (docs/interface.md#catalogue): list with backfill, create, read, edit. `parseSpec.ts`
 * checks specs, `resolveModel.ts` compares names.
 */
import { Type } from "typebox";
import type { Database, Sql } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import type { RoomWriter } from "../../db/fencing.ts";
import { lockHead } from "../../db/roomHeads.ts";
import { type Actor, actorOf, type Principal } from "../../domain/access.ts";
import { CatalogEntry } from "../../domain/catalogue.ts";
import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { auditDraft, type LoggedRoom } from "../../domain/eventLog.ts";
import { maybe } from "../../domain/members.ts";
import { CatalogueName, cleanName, Line } from "../../domain/text.ts";
import { pageOf, WHOLE_QUERY } from "../../http/page.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import { CATALOGUE_ENTRIES_PER_WORKSPACE_MAX } from "../../limits.ts";
import type { RoomFace } from "../../room/face.ts";
import { BUILTINS } from "./builtins.ts";
import { parseCatalogSpec } from "./parseSpec.ts";
import { isNameOf, nameKey } from "./resolveModel.ts";
import { findEntries, findEntry, insertEntry, insertMissingEntries, type NewEntry, updateEntry } from "./store.ts";

const TAG = "Catalogue";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const Kind = Line(64);
/** Open here, because `parseCatalogSpec` checks it and its refusal names the rule. */
const Spec = Type.Unknown({ description: "a CatalogSpec", "x-type": "object" });

const BUILTIN_ENTRIES: readonly NewEntry[] = BUILTINS.map(({ kind, name, spec }) => ({
  kind,
  name,
  nameKey: nameKey(name),
  spec,
}));

export interface EntryParts {
  readonly db: Database;
  readonly clock: Clock;
  /** Writes an entry's new name into its assets, in the same transaction. Returns what to run after it. */
  readonly onRenamed: (
    sql: Sql,
    room: RoomFace,
    rename: { readonly isOldName: (name: string) => boolean; readonly name: string },
    actor: Actor,
  ) => Promise<() => void>;
  /** Why assets could not keep their models with these entries; null: they can. `nameOf`: a model's name after the change. */
  readonly whyNotChanged: (
    room: RoomFace,
    entries: readonly CatalogEntry[],
    nameOf: (model: string) => string,
  ) => Refusal<"domain_mismatch"> | null;
  /** Resolves the models of the workspace's assets again, because they inherit from its entries. */
  readonly onChanged: (workspaceId: string) => Promise<void>;
}

export function entryRoutes({ db, clock, onChanged, onRenamed, whyNotChanged }: EntryParts): Route[] {
  const log = (sql: Sql, room: LoggedRoom & RoomWriter, principal: Principal, entry: CatalogEntry) => {
    const subject = { kind: "catalogue_entry", id: entry.id };
    const draft = auditDraft(room, actorOf(principal), clock.nowMs(), "catalogue_entry_stored", subject, {
      entry,
    });
    return appendEvents(sql, room, [draft]);
  };
  const listEntries = route({
    method: "GET",
    path: "/api/catalog/entries",
    access: "read",
    tag: TAG,
    summary: "The workspace's catalogue; built-in platforms that it lacks are added",
    query: Type.Object(WHOLE_QUERY),
    reply: { 200: Type.Array(CatalogEntry) },
    errors: ["invalid_input"],
    async handle({ room, query, refuse }) {
      let entries = await db.run((sql) => findEntries(sql, room.id));
      const known = new Set(entries.map((entry) => nameKey(entry.name)));
      const missing = BUILTIN_ENTRIES.filter((builtin) => !known.has(builtin.nameKey));
      if (missing.length > 0) {
        await db.transact(async (sql) => {
          await lockHead(sql, room);
          await insertMissingEntries(sql, room.id, missing);
        });
        entries = await db.run((sql) => findEntries(sql, room.id));
      }
      const page = pageOf("/api/catalog/entries", query, entries, ({ name }) => nameKey(name));
      return isRefusal(page) ? refuse(page) : { status: 200, ...page };
    },
  });
  const createEntry = route({
    method: "POST",
    path: "/api/catalog/entries",
    access: "configure",
    tag: TAG,
    summary: "Store a catalogue entry; an entry of that name is replaced",
    body: Type.Object({ kind: Kind, name: CatalogueName, spec: Spec }, { additionalProperties: false }),
    reply: { 200: CatalogEntry },
    errors: ["invalid_spec", "invalid_input", "domain_mismatch"],
    async handle({ room, principal, body, refuse }) {
      const spec = parseCatalogSpec(body.spec);
      if (isRefusal(spec)) return refuse(spec);
      const name = cleanName(body.name);
      const entry = { kind: body.kind, name, nameKey: nameKey(name), spec };
      const store = async (sql: Sql) => {
        const row = await insertEntry(sql, room.id, entry, CATALOGUE_ENTRIES_PER_WORKSPACE_MAX);
        if (row === null) return null;
        const why = whyNotChanged(room, await findEntries(sql, room.id), (model) => model);
        if (why !== null) return refuse(why);
        await log(sql, room, principal, row);
        return row;
      };
      // In turn with the workspace's other writes: an asset registered meanwhile would get the old entry.
      return room.serially(async () => {
        const stored = await db.transact(store);
        if (stored === null)
          return refuse(
            "invalid_input",
            `a workspace holds at most ${CATALOGUE_ENTRIES_PER_WORKSPACE_MAX} catalogue entries`,
          );
        await onChanged(room.id);
        return { status: 200, data: stored };
      });
    },
  });
  const getEntry = route({
    method: "GET",
    path: "/api/catalog/entries/{id}",
    access: "read",
    tag: TAG,
    summary: "One catalogue entry",
    params: ById,
    reply: { 200: CatalogEntry },
    errors: ["not_found"],
    async handle({ room, params, refuse }) {
      const entry = UUID.test(params.id) ? await db.run((sql) => findEntry(sql, room.id, params.id)) : null;
      return entry === null
        ? refuse("not_found", `no catalogue entry ${params.id} in this workspace`)
        : { status: 200, data: entry };
    },
  });
  const editEntry = route({
    method: "POST",
    path: "/api/catalog/entries/{id}",
    access: "configure",
    tag: TAG,
    summary: "Replace an entry's spec; kind and name are kept when absent",
    params: ById,
    body: Type.Object(
      {
        spec: Spec,
        kind: maybe(Kind),
        name: maybe(CatalogueName),
      },
      { additionalProperties: false },
    ),
    reply: { 200: CatalogEntry },
    errors: ["not_found", "invalid_spec", "invalid_input", "domain_mismatch"],
    async handle({ room, principal, params, body, refuse }) {
      const spec = parseCatalogSpec(body.spec);
      if (isRefusal(spec)) return refuse(spec);
      const { kind = null } = body;
      const name = body.name == null ? null : cleanName(body.name);
      const change = { kind, name, nameKey: name === null ? null : nameKey(name), spec };
      if (!UUID.test(params.id)) return refuse("not_found", `no catalogue entry ${params.id} in this workspace`);
      const edit = async (sql: Sql) => {
        const before = await findEntry(sql, room.id, params.id);
        const row = await updateEntry(sql, room.id, params.id, change);
        // Refuse from inside the transaction, because the failed statement has ended it.
        if (row === "taken") return refuse("invalid_input", `another entry of this workspace is called ${name}`);
        if (before === null || row === null) return null;
        const rename = { isOldName: isNameOf(before), name: row.name };
        const nameOf = (model: string) => (rename.isOldName(model) ? row.name : model);
        const why = whyNotChanged(room, await findEntries(sql, room.id), nameOf);
        if (why !== null) return refuse(why);
        await log(sql, room, principal, row);
        return { row, tellAssets: await onRenamed(sql, room, rename, actorOf(principal)) };
      };
      // In turn with the workspace's other writes: an asset edited meanwhile would keep the old name.
      return room.serially(async () => {
        const done = await db.transact(edit);
        if (done === null) return refuse("not_found", `no catalogue entry ${params.id} in this workspace`);
        done.tellAssets();
        await onChanged(room.id);
        return { status: 200, data: done.row };
      });
    },
  });
  return [listEntries, createEntry, getEntry, editEntry];
}
