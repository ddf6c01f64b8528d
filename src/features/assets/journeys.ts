/**
 * The registry's writes: decide, write, commit, publish (docs/architecture.md#journey-of-a-command). The writes of a workspace
 * run one after the other, so that a decision still holds when it is committed. Between nodes the rows' constraints decide.
 */

import type { Database, Sql } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import { type Actor, actorOf, type Principal } from "../../domain/access.ts";
import type { Asset } from "../../domain/asset.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { type ApiErrorCode, isRefusal, type Refusal, refusal } from "../../domain/errors.ts";
import { auditDraft } from "../../domain/eventLog.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { assert } from "../../lib/assert.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { ASSETS_PER_WORKSPACE_MAX } from "../../limits.ts";
import type { FleetAsset, RegisteredAsset, RoomFace } from "../../room/face.ts";
import { decideBind, decideEdit, editedModelOf, whyNotKey } from "./edit.ts";
import { decideRegistration, modelNameOf, whyNotRegister } from "./register.ts";
import { isSerial, whyNotHost } from "./rules.ts";
import type { EditAsset, RegisterAsset } from "./schema.ts";
import { deleteAsset, findAssetsLike, insertAsset, unlessTaken, unplaceGuests, updateAsset } from "./store.ts";

export interface AssetParts {
  readonly db: Database;
  readonly clock: Clock;
  /** Looks a model up in the catalogue, the workspace's entries first. */
  readonly resolveModel: (workspaceId: string, name: string) => Promise<ResolvedModel | null>;
  /** A sentence that names the first type, profile or protocol that the catalogue does not have; null: it has all. */
  readonly whyNotReferences: (of: Pick<Asset, "payloads" | "performance">) => string | null;
  /** The sensor profile of a model; null: the model is no sensor. */
  readonly profileOf: (model: ResolvedModel | null) => SensorProfile | null;
  /** Ends the open tasks of an asset that is being removed. Returns what to run after the transaction. */
  readonly endTasks: (sql: Sql, room: RoomFace, assetId: string, actor: Actor) => Promise<() => void>;
  /** Closes the links that were opened for this asset; the database has removed their rows with it. */
  readonly onRemoved: (workspaceId: string, assetId: string) => void;
}

/** The room was behind the database, because an answer was lost after its commit or another node wrote. It has reloaded. */
const STALE = "stale" as const;

const assetOf = (id: string) => ({ kind: "asset", id });

export function registerAsset(parts: AssetParts, room: RoomFace, principal: Principal, body: RegisterAsset) {
  const taken = refusal("already_bound", "the address or the serial was registered elsewhere just now");
  return room.serially(() => twice(() => tryRegister(parts, room, principal, body), taken));
}

/** Tries again once, after the room has reloaded the rows that it was behind on. */
async function twice<T, S extends Refusal>(attempt: () => Promise<T | typeof STALE>, stillStale: S): Promise<T | S> {
  const first = await attempt();
  if (first !== STALE) return first;
  const second = await attempt();
  return second === STALE ? stillStale : second;
}

async function tryRegister(parts: AssetParts, room: RoomFace, principal: Principal, body: RegisterAsset) {
  const { fleet } = room.forces;
  const wrong = whyNotRegister(body) ?? whyNotKnown(parts, body);
  if (wrong !== null) return wrong;
  const address = body.connection?.address ?? null;
  const known = address === null ? undefined : knownAt(room, address);
  if (known !== undefined) return { asset: known, isNew: false };
  const nowMs = parts.clock.nowMs();
  const id = newId("ast", nowMs);
  const hostless = whyNotHost(body.placement?.host_asset_id, id, (other) => fleet.get(other));
  if (hostless !== null) return hostless;
  if (fleet.count >= ASSETS_PER_WORKSPACE_MAX)
    return refusal("invalid_input", `this workspace already has its limit of ${ASSETS_PER_WORKSPACE_MAX} assets`);
  const discovered = address === null ? [] : room.forces.discoveredAt(address);
  const name = modelNameOf(body) ?? discovered[0]?.typeGuess ?? null;
  const model = name === null ? null : await parts.resolveModel(room.id, name);
  const isAddressShared = discovered[0] !== undefined && isShared(room, discovered[0].address);
  const row = decideRegistration({ id, nowMs, body, model, discovered, isAddressShared });
  if (isRefusal(row)) return row;
  const owner = fleet.bySerial(row.remote_id_serial);
  if (owner !== undefined)
    return refusal("already_bound", `${row.remote_id_serial} is already bound to ${owner.row.name}`);
  const isWritten = await parts.db.transact(async (sql) => {
    if (!(await insertAsset(sql, room.id, row))) return false;
    await appendEvents(sql, room, [
      auditDraft(room, actorOf(principal), nowMs, "asset_registered", assetOf(row.id), { asset: row }),
    ]);
    return true;
  });
  if (!isWritten) return reload(parts, room, actorOf(principal), row);
  return { asset: saved(room, { row, model, profile: parts.profileOf(model) }, nowMs), isNew: true };
}

/** Commits a written row to the room. */
function saved(room: RoomFace, asset: RegisteredAsset, nowMs: number): FleetAsset {
  room.commit({ op: "assets_saved", rows: [asset] }, nowMs);
  const inFleet = room.forces.fleet.get(asset.row.id);
  assert(inFleet !== undefined, "an asset that was saved is in the fleet");
  return inFleet;
}

function whyNotKnown(parts: AssetParts, of: Pick<RegisterAsset, "payloads" | "performance">) {
  const why = parts.whyNotReferences({ payloads: of.payloads ?? null, performance: of.performance ?? null });
  return why === null ? null : refusal("invalid_input", why);
}

/** Reloads the row, and the rows that have its address or serial. */
async function reload(parts: AssetParts, room: RoomFace, actor: Actor, row: Asset): Promise<typeof STALE> {
  const { forces, id: workspaceId } = room;
  const rows = await parts.db.run((sql) => findAssetsLike(sql, workspaceId, row));
  if (!rows.some(({ id }) => id === row.id) && forces.fleet.get(row.id) !== undefined) {
    const commitEnds = await parts.db.transact((sql) => parts.endTasks(sql, room, row.id, actor));
    forget(parts, room, row.id, commitEnds);
  }
  const found: RegisteredAsset[] = [];
  for (const row of rows) {
    const name = row.spec.model;
    const model = typeof name === "string" ? await parts.resolveModel(workspaceId, name) : null;
    found.push({ row, model, profile: parts.profileOf(model) });
  }
  room.commit({ op: "assets_saved", rows: found }, parts.clock.nowMs());
  return STALE;
}

function forget(parts: AssetParts, room: RoomFace, id: string, commitEnds: () => void): void {
  commitEnds();
  room.commit({ op: "asset_removed", assetId: id }, parts.clock.nowMs());
  parts.onRemoved(room.id, id);
}

/** The asset with this address, or the one whose platform is heard there. */
function knownAt(room: RoomFace, address: string): FleetAsset | undefined {
  const { fleet } = room.forces;
  const named = fleet.byAddress(address) ?? fleet.byKey(address);
  if (named !== undefined) return named;
  const discovered = room.forces.discoveredAt(address);
  return discovered.length === 1 ? fleet.assetOf(discovered[0]!.key) : undefined;
}

function isShared(room: RoomFace, address: string): boolean {
  const { fleet } = room.forces;
  return fleet.byAddress(address) !== undefined || fleet.discoveredAt(address).length > 1;
}

/** Every change of an existing row: decides, writes, logs, commits. */
function change<C extends ApiErrorCode>(
  parts: AssetParts,
  room: RoomFace,
  principal: Principal,
  id: string,
  event: string,
  decide: (asset: FleetAsset) => Promise<{ row: Asset | Refusal<C>; model: ResolvedModel | null }>,
) {
  const actor = actorOf(principal);
  const attempt = async () => {
    const asset = room.forces.fleet.get(id);
    if (asset === undefined) return refusal("not_found", `no asset ${id} in this workspace`);
    const { row: decided, model } = await decide(asset);
    if (isRefusal(decided)) return decided;
    const nowMs = parts.clock.nowMs();
    const row = { ...decided, updated_at: toRfc3339(nowMs) };
    const written = await unlessTaken(
      parts.db.transact(async (sql) => {
        const updated = await updateAsset(sql, room.id, row, asset.row.version);
        if (updated === null) return null;
        const data = { before: asset.row, after: updated };
        await appendEvents(sql, room, [auditDraft(room, actor, nowMs, event, assetOf(id), data)]);
        return updated;
      }),
    );
    if (written === null) return reload(parts, room, actor, row);
    saved(room, { row: written, model, profile: parts.profileOf(model) }, nowMs);
    return written;
  };
  const changed = refusal("version_conflict", `the asset ${id} was changed elsewhere just now`);
  return room.serially(() => twice(attempt, changed));
}

export function editAsset(parts: AssetParts, room: RoomFace, principal: Principal, id: string, body: EditAsset) {
  return change(parts, room, principal, id, "asset_edited", async (asset) => {
    const named = editedModelOf(asset.row, body);
    const model = named === null ? undefined : await parts.resolveModel(room.id, named);
    const { fleet } = room.forces;
    const host = fleet.get(asset.row.placement?.host_asset_id ?? "")?.row ?? null;
    const find = (other: string) => fleet.get(other);
    const isHost = [...fleet.assets()].some(({ row }) => row.placement?.host_asset_id === id);
    const row =
      whyNotKnown(parts, { performance: body.performance ?? null }) ??
      decideEdit({ row: asset.row, current: asset.model, host, isHost, find, body, model });
    return { row, model: model ?? asset.model };
  });
}

export function bindAsset(parts: AssetParts, room: RoomFace, principal: Principal, id: string, key: string) {
  return change(parts, room, principal, id, "asset_bound", async (asset) => {
    const { fleet } = room.forces;
    const found = room.forces.discoveredByKey(key);
    const why = whyNotKey(key, found);
    if (why !== null) return { row: why, model: asset.model };
    const discovered = found[0] ?? null;
    const name = discovered?.key ?? key;
    const serial = (isSerial(discovered?.remoteIdSerial) ? discovered.remoteIdSerial : null) ?? name;
    const owner = fleet.bySerial(serial) ?? fleet.bySerial(name) ?? fleet.assetOf(name) ?? fleet.byKey(name);
    const row = decideBind(asset.row, key, serial, owner?.row ?? null);
    if (isRefusal(row) || discovered === null || row.connection?.address != null) return { row, model: asset.model };
    const connection = {
      address: fleet.byAddress(discovered.address) === undefined ? discovered.address : null,
      protocol: discovered.protocol,
      port: null,
      system_id: discovered.systemId,
      link_id: discovered.linkId,
      secret_ref: row.connection?.secret_ref ?? null,
    };
    return { row: { ...row, connection }, model: asset.model };
  });
}

export function setPayloads(
  parts: AssetParts,
  room: RoomFace,
  principal: Principal,
  id: string,
  payloads: Asset["payloads"],
) {
  return change(parts, room, principal, id, "asset_payloads_set", async (asset) => ({
    row: whyNotKnown(parts, { payloads }) ?? { ...asset.row, payloads },
    model: asset.model,
  }));
}

export function removeAsset(parts: AssetParts, room: RoomFace, principal: Principal, id: string) {
  return room.serially(async () => {
    const asset = room.forces.fleet.get(id);
    if (asset === undefined) return refusal("not_found", `no asset ${id} in this workspace`);
    const nowMs = parts.clock.nowMs();
    const actor = actorOf(principal);
    const { fleet } = room.forces;
    const guests = [...fleet.assets()].filter(({ row }) => row.placement?.host_asset_id === id);
    const { commitEnds, left } = await parts.db.transact(async (sql) => {
      const commitEnds = await parts.endTasks(sql, room, id, actor);
      // The sensors that it carried have no known position until an operator places them.
      const left = await unplaceGuests(sql, room.id, id, toRfc3339(nowMs));
      const drafts = left.map((after) => {
        const data = { before: fleet.get(after.id)?.row ?? null, after };
        return auditDraft(room, actor, nowMs, "asset_edited", assetOf(after.id), data);
      });
      // false: another node removed it before and logged that; only this room still had it.
      if (await deleteAsset(sql, room.id, id))
        drafts.push(auditDraft(room, actor, nowMs, "asset_removed", assetOf(id), { asset: asset.row }));
      await appendEvents(sql, room, drafts);
      return { commitEnds, left };
    });
    forget(parts, room, id, commitEnds);
    const rowOf = new Map(left.map((row) => [row.id, row]));
    const unplaced = guests.flatMap(({ row, model, profile }) => {
      const after = rowOf.get(row.id);
      return after === undefined ? [] : [{ row: after, model, profile }];
    });
    if (unplaced.length > 0) room.commit({ op: "assets_saved", rows: unplaced }, nowMs);
    for (const { row } of guests) if (!rowOf.has(row.id)) await reload(parts, room, actor, row);
    return null;
  });
}
