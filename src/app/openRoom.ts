/** Opens rooms: reads a workspace's settings, assets and open tasks together, and builds the room from them. */
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import type { RoomWriter } from "../db/fencing.ts";
import { openHead, reserveNumbers } from "../db/roomHeads.ts";
import type { Asset } from "../domain/asset.ts";
import type { CatalogEntry, ResolvedModel } from "../domain/catalogue.ts";
import { DEFAULT_PROFILE } from "../domain/defaultProfiles.ts";
import type { SensorProfile } from "../domain/sensorProfile.ts";
import { findAssets } from "../features/assets/store.ts";
import { resolveModel } from "../features/catalogue/resolveModel.ts";
import { SENSOR_PROFILES } from "../features/catalogue/sensorProfiles.ts";
import { findEntries } from "../features/catalogue/store.ts";
import { findIgnoredKeys } from "../features/links/store.ts";
import { findWorkspace } from "../features/workspaces/store.ts";
import type { Clock } from "../lib/clock.ts";
import { WORKSPACES_OPEN_MAX } from "../limits.ts";
import { ADAPTERS } from "../links/adapters.ts";
import type { RegisteredAsset } from "../room/forces/fleet.ts";
import type { VerbRules } from "../room/forces/verbFacts.ts";
import { Room } from "../room/room.ts";
import { Rooms } from "../room/rooms.ts";
import { findOpenTasks } from "../tasking/store.ts";
import type { KernelBuild } from "../tracker/kernel/build.ts";

const PROFILE_BY_ID = new Map(SENSOR_PROFILES.map((profile) => [profile.id, profile]));

/** A sensor model that names no profile gets the generic one of its first modality. null for a model that is no sensor. */
export function profileOf(model: ResolvedModel | null): SensorProfile | null {
  if (model === null || model.kind !== "sensor") return null;
  const own = PROFILE_BY_ID.get(model.spec.sensor_profile_id ?? "");
  const modality = model.capability.modalities[0];
  return own ?? (modality === undefined ? null : DEFAULT_PROFILE[modality]);
}

export const VERB_RULES: Omit<VerbRules, "vehicleControl"> = {
  modelOfType: (typeKey) => resolveModel(typeKey, []),
  verbsOfProtocol: (protocol) => ADAPTERS.find((adapter) => adapter.protocol === protocol)?.verbs ?? null,
};

interface RoomsParts {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly db: Database;
  readonly kernel: KernelBuild;
}

export function openRooms({ config, log, clock, db, kernel }: RoomsParts): Rooms {
  const reserve = (writer: RoomWriter) =>
    db
      .run((sql) => reserveNumbers(sql, writer))
      .catch((fault) => {
        log.warn({ err: fault, workspace: writer.id }, "no numbers could be reserved for a stream; trying again");
        throw fault;
      });
  return new Rooms({
    roomsMax: WORKSPACES_OPEN_MAX,
    clock,
    async open(id) {
      const found = await readWorkspace(db, id, Math.floor(clock.nowMs()));
      if (found === null) return null;
      const writer: RoomWriter = { id, ownerEpoch: found.ownerEpoch };
      const { origin_lat: lat, origin_lon: lon, origin_alt_m: alt, name } = found.row;
      return new Room({
        id,
        ownerEpoch: found.ownerEpoch,
        numbers: { first: found.numbers, reserve: () => reserve(writer) },
        name,
        clock,
        kernel,
        origin: lat === null || lon === null ? null : { lat, lon, alt_hae_m: alt ?? 0 },
        tracksMax: config.tracksPerWorkspaceMax,
        streamsMax: config.streamsPerWorkspaceMax,
        registry: found.registry,
        verbRules: { ...VERB_RULES, vehicleControl: config.vehicleControl },
        onFault: (fault) =>
          log.error({ err: fault, workspace: id }, "the tracker of a workspace failed and was rebuilt"),
      });
    },
  });
}

function modelled(rows: readonly Asset[], entries: readonly CatalogEntry[]): RegisteredAsset[] {
  return rows.map((row) => {
    const model = typeof row.spec.model === "string" ? resolveModel(row.spec.model, entries) : null;
    return { row, model, profile: profileOf(model) };
  });
}

/** The assets of a workspace as the database has them now. */
export async function readRegistry(db: Database, workspaceId: string): Promise<RegisteredAsset[]> {
  return db.run(async (sql) => modelled(await findAssets(sql, workspaceId), await findEntries(sql, workspaceId)));
}

async function readWorkspace(db: Database, id: string, nowMs: number) {
  return db.run(async (sql) => {
    // Before any other row: rows read before another process took over must not be used under the epoch it left behind.
    // Stream numbers also begin above the clock, because a database that was restored from a backup has an old limit.
    const head = await openHead(sql, id, nowMs);
    const row = await findWorkspace(sql, id);
    if (head === null || row === null) return null;
    const [assets, tasks, ignoredKeys, entries] = await Promise.all([
      findAssets(sql, id),
      findOpenTasks(sql, id),
      findIgnoredKeys(sql, id),
      findEntries(sql, id),
    ]);
    return { row, ...head, registry: { assets: modelled(assets, entries), tasks, ignoredKeys } };
  });
}

/** After a change of the workspace's catalogue: resolves the models of its assets again. */
export async function remodel(rooms: Rooms, db: Database, clock: Clock, workspaceId: string): Promise<void> {
  const room = rooms.get(workspaceId);
  if (room === undefined) return;
  const entries = await db.run((sql) => findEntries(sql, workspaceId));
  const named = [...room.forces.fleet.assets()].filter(({ row }) => typeof row.spec.model === "string");
  if (named.length === 0) return;
  const rows = modelled(
    named.map(({ row }) => row),
    entries,
  );
  room.commit({ op: "assets_saved", rows }, clock.nowMs());
}
