/**
 * The registry's writes: decide, write, commit, tell (architecture §5). Each waits for the one before it in its workspace,
 * so nothing slips between the decision and the commit; the row's constraints decide between nodes.
 */

import type { Database, Sql } from "../../db/client.ts";
import { appendEvents } from "../../db/eventLog.ts";
import { type Actor, actorOf, type Principal } from "../../domain/access.ts";
import type { Asset } from "../../domain/asset.ts";
import type { ResolvedModel } from "../../domain/catalogue.ts";
import { isRefusal, type Refusal, RefusedError, refusal } from "../../domain/errors.ts";
import { auditDraft } from "../../domain/eventLog.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { ASSETS_PER_WORKSPACE_MAX } from "../../limits.ts";
import type { FleetAsset } from "../../workspace/fleet.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { decideBind, decideEdit, editedModelOf } from "./edit.ts";
import { heardAt, heardUnder } from "./heard.ts";
import { decideRegistration, modelNameOf, whyNotRegister } from "./register.ts";
import type { EditAsset, RegisterAsset } from "./schema.ts";
import { deleteAsset, insertAsset, updateAsset } from "./store.ts";

export interface AssetParts {
  readonly db: Database;
  readonly clock: Clock;
  /** The catalogue, workspace entries first. */
  readonly resolveModel: (workspaceId: string, name: string) => Promise<ResolvedModel | null>;
  /** The facts of a sensor's model; null for what is no sensor. */
  readonly profileOf: (model: ResolvedModel | null) => SensorProfile | null;
  /** The asset goes: its open tasks end in the same transaction. What is returned runs after the commit. */
  readonly endTasks: (sql: Sql, workspace: Workspace, assetId: string, actor: Actor) => Promise<() => void>;
  /** Its own links are closed; their rows went with it. */
  readonly onRemoved: (workspaceId: string, assetId: string) => void;
}

type Journey<T> = Promise<T | Refusal>;

const assetOf = (id: string) => ({ kind: "asset", id });

export interface Registered {
  readonly asset: FleetAsset;
  readonly isNew: boolean;
}

export function registerAsset(
  parts: AssetParts,
  workspace: Workspace,
  principal: Principal,
  body: RegisterAsset,
): Journey<Registered> {
  return workspace.serially(async () => {
    const { fleet } = workspace.forces;
    const wrong = whyNotRegister(body);
    if (wrong !== null) return wrong;
    const address = body.connection?.address ?? null;
    const known = address === null ? undefined : knownAt(workspace, address);
    if (known !== undefined) return { asset: known, isNew: false };
    const host = body.placement?.host_asset_id;
    if (host != null && fleet.get(host) === undefined)
      return refusal("invalid_input", `placement.host_asset_id ${host} is no asset of this workspace`);
    if (fleet.count >= ASSETS_PER_WORKSPACE_MAX)
      return refusal("invalid_input", `this workspace already has its limit of ${ASSETS_PER_WORKSPACE_MAX} assets`);
    const nowMs = parts.clock.nowMs();
    const heard = address === null ? [] : heardAt(workspace, address);
    const name = modelNameOf(body) ?? heard[0]?.typeGuess ?? null;
    const model = name === null ? null : await parts.resolveModel(workspace.id, name);
    const row = decideRegistration({ id: newId("ast", nowMs), nowMs, body, model, heard });
    if (isRefusal(row)) return row;
    if (row.remote_id_serial !== null) {
      const owner = fleet.bySerial(row.remote_id_serial);
      if (owner !== undefined)
        return refusal("already_bound", `${row.remote_id_serial} is already bound to ${owner.row.name}`);
    }
    await parts.db.transact(async (sql) => {
      if (!(await insertAsset(sql, workspace.id, row)))
        throw new RefusedError(refusal("already_bound", "the address or the serial was registered elsewhere just now"));
      await appendEvents(sql, workspace.id, [
        auditDraft(workspace, actorOf(principal), nowMs, "asset_registered", assetOf(row.id), { asset: row }),
      ]);
    });
    return { asset: workspace.forces.commitAsset(row, model, parts.profileOf(model)), isNew: true };
  });
}

/** What the address names already: a row with it, or one that what is heard there is. */
function knownAt(workspace: Workspace, address: string): FleetAsset | undefined {
  const { fleet } = workspace.forces;
  const byAddress = fleet.byAddress(address);
  if (byAddress !== undefined) return byAddress;
  const heard = heardAt(workspace, address);
  return heard.length === 1 ? fleet.assetOf(heard[0]!.key) : undefined;
}

/** The row and what the journey made of it; each edit of a row goes through here. */
function change(
  parts: AssetParts,
  workspace: Workspace,
  principal: Principal,
  id: string,
  event: string,
  decide: (asset: FleetAsset) => Promise<{ row: Asset | Refusal; model: ResolvedModel | null }>,
): Journey<Asset> {
  return workspace.serially(async () => {
    const asset = workspace.forces.fleet.get(id);
    if (asset === undefined) return refusal("not_found", `no asset ${id} in this workspace`);
    const { row: decided, model } = await decide(asset);
    if (isRefusal(decided)) return decided;
    const nowMs = parts.clock.nowMs();
    const row = { ...decided, updated_at: toRfc3339(nowMs) };
    const written = await parts.db.transact(async (sql) => {
      const updated = await updateAsset(sql, workspace.id, row, asset.row.version);
      if (updated === null)
        throw new RefusedError(refusal("version_conflict", `${asset.row.name} was changed elsewhere just now`));
      const data = { before: asset.row, after: updated };
      await appendEvents(sql, workspace.id, [
        auditDraft(workspace, actorOf(principal), nowMs, event, assetOf(id), data),
      ]);
      return updated;
    });
    workspace.forces.commitAsset(written, model, parts.profileOf(model));
    return written;
  });
}

export function editAsset(
  parts: AssetParts,
  workspace: Workspace,
  principal: Principal,
  id: string,
  body: EditAsset,
): Journey<Asset> {
  return change(parts, workspace, principal, id, "asset_edited", async (asset) => {
    const named = editedModelOf(asset.row, body);
    const model = named === null ? undefined : await parts.resolveModel(workspace.id, named);
    const host = workspace.forces.fleet.get(asset.row.placement?.host_asset_id ?? "")?.row ?? null;
    return { row: decideEdit({ row: asset.row, host, body, model }), model: model ?? asset.model };
  });
}

export function bindAsset(
  parts: AssetParts,
  workspace: Workspace,
  principal: Principal,
  id: string,
  key: string,
): Journey<Asset> {
  return change(parts, workspace, principal, id, "asset_bound", async (asset) => {
    const { fleet } = workspace.forces;
    const heard = heardUnder(workspace, key);
    const serial = heard?.remoteIdSerial ?? key;
    const owner = fleet.bySerial(serial) ?? fleet.bySerial(key) ?? fleet.assetOf(key);
    const row = decideBind(asset.row, key, serial, owner?.row ?? null);
    if (isRefusal(row) || heard === null || row.connection?.address != null) return { row, model: asset.model };
    const connection = {
      address: fleet.byAddress(heard.address) === undefined ? heard.address : null,
      protocol: heard.protocol,
      port: null,
      system_id: heard.systemId,
      link_id: heard.linkId,
      secret_ref: row.connection?.secret_ref ?? null,
    };
    return { row: { ...row, connection }, model: asset.model };
  });
}

export function setPayloads(
  parts: AssetParts,
  workspace: Workspace,
  principal: Principal,
  id: string,
  payloads: Asset["payloads"],
): Journey<Asset> {
  return change(parts, workspace, principal, id, "asset_payloads_set", async (asset) => ({
    row: { ...asset.row, payloads },
    model: asset.model,
  }));
}

export function removeAsset(parts: AssetParts, workspace: Workspace, principal: Principal, id: string): Journey<null> {
  return workspace.serially(async () => {
    const asset = workspace.forces.fleet.get(id);
    if (asset === undefined) return refusal("not_found", `no asset ${id} in this workspace`);
    const nowMs = parts.clock.nowMs();
    const actor = actorOf(principal);
    const guests = [...workspace.forces.fleet.assets()].filter(({ row }) => row.placement?.host_asset_id === id);
    const { tellTasks, left } = await parts.db.transact(async (sql) => {
      const tellTasks = await parts.endTasks(sql, workspace, id, actor);
      const left: Pick<FleetAsset, "row" | "model" | "profile">[] = [];
      for (const guest of guests) left.push({ ...guest, row: await unplace(sql, workspace, guest.row, actor, nowMs) });
      if (!(await deleteAsset(sql, workspace.id, id)))
        throw new RefusedError(refusal("not_found", `no asset ${id} in this workspace`));
      await appendEvents(sql, workspace.id, [
        auditDraft(workspace, actor, nowMs, "asset_removed", assetOf(id), { asset: asset.row }),
      ]);
      return { tellTasks, left };
    });
    tellTasks();
    workspace.forces.commitRemoved(id);
    for (const { row, model, profile } of left) workspace.forces.commitAsset(row, model, profile);
    parts.onRemoved(workspace.id, id);
    return null;
  });
}

/** What carried it goes: where it is now, nobody knows, until somebody places it. */
async function unplace(sql: Sql, workspace: Workspace, row: Asset, actor: Actor, nowMs: number): Promise<Asset> {
  const after = { ...row, placement: null, updated_at: toRfc3339(nowMs) };
  const updated = await updateAsset(sql, workspace.id, after, row.version);
  if (updated === null)
    throw new RefusedError(refusal("version_conflict", `${row.name} was changed elsewhere just now`));
  const data = { before: row, after: updated };
  await appendEvents(sql, workspace.id, [auditDraft(workspace, actor, nowMs, "asset_edited", assetOf(row.id), data)]);
  return updated;
}
