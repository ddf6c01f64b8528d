/**
 * An asset, or a platform that may become one, as clients read it (docs/interface.md#asset-views): the registry's row, its
 * model and the last reports of its link, in the one shape of GET, picture, `fleet_slice` and `sensor_slice`. Pure.
 */
import type { AssetView } from "../../domain/asset.ts";
import type { CatalogueDomain, PlatformPerformance } from "../../domain/catalogue.ts";
import type { Environment } from "../../domain/modality.ts";
import type { MovesIn } from "../../domain/platformReport.ts";
import type { HealthLevel } from "../../domain/platformStates.ts";
import type { Task } from "../../domain/task.ts";
import { DEG_PER_RAD } from "../../lib/angles.ts";
import { timeOrNull, toRfc3339 } from "../../lib/clock.ts";
import { round } from "../../lib/numbers.ts";
import type { FleetAsset, FleetEntry } from "./fleet.ts";
import type { Platform } from "./platform.ts";

/** The room as a view needs it. */
export interface ViewContext {
  readonly environment: Environment;
  verbsOf(entry: FleetEntry): AssetView["verbs"];
  openTasksOf(assetId: string): readonly Task[];
  /** The motion of a live track; null when it is gone, or has no position. */
  motionOfTrack(trackId: string): AssetView["motion"];
}

const orNull = <T>(value: T | null | undefined): T | null => value ?? null;

export function viewOf(entry: FleetEntry, context: ViewContext): AssetView {
  if (entry.origin === "discovered") return discoveredView(entry, context);
  const { asset } = entry;
  const { row, model } = asset;
  const isTwin = entry.origin === "sim_twin";
  const platform = isTwin ? null : asset.platform;
  const payloads = row.payloads ?? model?.spec.payloads ?? [];
  return {
    id: entry.id,
    key: null,
    name: row.name,
    kind: row.kind,
    domain: row.domain,
    model: typeof row.spec.model === "string" ? row.spec.model : null,
    class_type: orNull(model?.spec.type),
    origin: entry.origin,
    remote_id_serial: row.remote_id_serial,
    link: linkOf(platform, row.connection),
    health: healthOf(platform),
    motion: isTwin ? placedAt(asset) : whereIs(asset, context),
    power: powerOf(platform),
    nav: navOf(platform),
    track_id: isTwin ? null : asset.trackId,
    verbs: context.verbsOf(entry),
    commitment: isTwin ? null : commitmentOf(context.openTasksOf(row.id)),
    payloads,
    payload_source: row.payloads !== null ? "own" : payloads.length > 0 ? "model" : "none",
    performance: performanceOf(asset),
    switches: row.switches,
    sensor: null,
    env: isTwin ? "sim" : context.environment,
    version: row.version,
  };
}

function discoveredView(entry: Extract<FleetEntry, { origin: "discovered" }>, context: ViewContext): AssetView {
  const { platform } = entry;
  return {
    id: platform.key,
    key: platform.key,
    name: platform.name ?? `${platform.source.protocol} ${platform.source.systemId}`,
    kind: platform.kindGuess,
    domain: domainGuess(platform),
    model: platform.modelGuess,
    class_type: platform.typeGuess,
    origin: "discovered",
    remote_id_serial: platform.remoteIdSerial,
    link: linkOf(platform, null),
    health: healthOf(platform),
    motion: motionOf(platform),
    power: powerOf(platform),
    nav: navOf(platform),
    track_id: null,
    verbs: context.verbsOf(entry),
    commitment: null,
    payloads: [],
    payload_source: "none",
    performance: null,
    sensor: null,
    env: context.environment,
    version: 1,
  };
}

/** The medium that the platform reports, else that of its type; air where neither is known. */
function movesIn(type: string, reported: MovesIn | null): MovesIn {
  if (reported !== null) return reported;
  if (/^(rover|legged|road|dismounted)/.test(type)) return "ground";
  if (type.includes("underwater")) return "subsurface";
  return type.includes("vessel") ? "surface" : "air";
}

/** For an unregistered platform. */
export function platformMovesIn({ typeGuess, domainGuess: reported }: Platform): MovesIn {
  return movesIn(typeGuess ?? "", reported);
}

/** For an asset: the registry's domain overrides the platform's report. */
export function assetMovesIn({ row, model, platform }: FleetAsset): MovesIn {
  if (row.domain === "ground") return "ground";
  if (row.domain === "maritime") {
    const moves = movesIn(model?.spec.type ?? "", model === null ? (platform?.domainGuess ?? null) : null);
    return moves === "subsurface" ? moves : "surface";
  }
  return row.domain === "contact" && platform !== null ? platformMovesIn(platform) : "air";
}

/** `sensor` for a sensor, else the domain that the platform moves in. */
export function domainGuess(platform: Platform): CatalogueDomain {
  if (platform.kindGuess === "sensor") return "sensor";
  const moves = platformMovesIn(platform);
  return moves === "surface" || moves === "subsurface" ? "maritime" : moves;
}

function linkOf(platform: Platform | null, connection: FleetAsset["row"]["connection"]): AssetView["link"] {
  if (platform === null)
    return {
      state: "never_heard",
      since_at: null,
      last_heard_at: null,
      protocol: orNull(connection?.protocol),
      address: orNull(connection?.address),
      rssi_dbm: null,
      loss_pct: null,
      rtt_ms: null,
      rate_hz: null,
    };
  return {
    state: platform.state,
    since_at: toRfc3339(platform.stateSinceMs),
    last_heard_at: toRfc3339(platform.lastHeardMs),
    protocol: platform.source.protocol,
    address: platform.source.address,
    rssi_dbm: orNull(platform.radio.rssi_dbm),
    loss_pct: orNull(platform.radio.loss_pct),
    rtt_ms: orNull(platform.radio.rtt_ms),
    rate_hz: platform.rateHz,
  };
}

const LEVELS: readonly HealthLevel[] = ["ok", "unknown", "not_ready", "warn", "fail"];

/** The worst of its own level and its components' levels; `unknown` for a platform that is not heard. */
export function healthLevelOf(platform: Platform | null): HealthLevel {
  if (platform === null || platform.state === "lost" || platform.state === "closed") return "unknown";
  let level: HealthLevel = platform.healthLevel ?? "unknown";
  // A component of unknown level does not lower the platform's.
  for (const component of platform.components.values())
    if (component.level !== "unknown" && LEVELS.indexOf(component.level) > LEVELS.indexOf(level))
      level = component.level;
  return level;
}

function healthOf(platform: Platform | null): AssetView["health"] {
  const conflicts = platform?.conflicts ?? [];
  const messages = [...(platform?.notes ?? [])];
  if (conflicts.length > 0)
    messages.push(`another vehicle uses the same system id, heard from ${conflicts.join(", ")}`);
  return {
    level: conflicts.length > 0 ? "fail" : healthLevelOf(platform),
    components: Array.from(platform?.components.values() ?? [], ({ updatedAtMs, ...component }) => ({
      ...component,
      updated_at: toRfc3339(updatedAtMs),
    })),
    messages,
    armable: orNull(platform?.armable),
    updated_at: timeOrNull(platform?.healthAtMs ?? 0),
  };
}

/** Its own report while it is heard; else its track; else its last report, or its placement. */
function whereIs(asset: FleetAsset, context: ViewContext): AssetView["motion"] {
  const { platform, trackId } = asset;
  const own = motionOf(platform);
  if (own !== null && platform?.state !== "lost" && platform?.state !== "closed") return own;
  const seen = trackId === null ? null : context.motionOfTrack(trackId);
  return seen ?? own ?? placedAt(asset);
}

function motionOf(platform: Platform | null): AssetView["motion"] {
  const motion = platform?.motion;
  if (platform === null || motion == null) return null;
  const velocity = orNull(motion.vel_enu_mps);
  return {
    lat: motion.lat,
    lon: motion.lon,
    alt_hae_m: orNull(motion.alt_hae_m),
    alt_rel_m: orNull(motion.alt_rel_m),
    vel_enu_mps: velocity === null ? null : [...velocity],
    speed_mps: velocity === null ? null : round(Math.hypot(velocity[0], velocity[1]), 2),
    course_deg: velocity === null ? null : round((Math.atan2(velocity[0], velocity[1]) * DEG_PER_RAD + 360) % 360, 1),
    heading_deg: orNull(motion.heading_deg),
    climb_mps: velocity === null ? null : velocity[2],
    at: toRfc3339(platform.motionAtMs),
    source: platform.source.protocol,
  };
}

/** The placement of an asset that no link reports; null for a carried one, which moves with its host. */
function placedAt({ row }: FleetAsset): AssetView["motion"] {
  const { placement } = row;
  if (placement === null || placement.host_asset_id != null) return null;
  return {
    lat: placement.lat,
    lon: placement.lon,
    alt_hae_m: orNull(placement.alt_hae_m),
    alt_rel_m: null,
    vel_enu_mps: null,
    speed_mps: null,
    course_deg: null,
    heading_deg: orNull(placement.yaw_deg),
    climb_mps: null,
    at: row.updated_at,
    source: "placement",
  };
}

function powerOf(platform: Platform | null): AssetView["power"] {
  const power = platform?.power;
  if (power == null) return null;
  return {
    percent: orNull(power.percent),
    voltage_v: orNull(power.voltage_v),
    current_a: orNull(power.current_a),
    remaining_s: orNull(power.remaining_s),
    state: orNull(power.state),
  };
}

function navOf(platform: Platform | null): AssetView["nav"] {
  const nav = platform?.nav;
  if (nav == null) return null;
  return {
    gps_fix: orNull(nav.gps_fix),
    sats: orNull(nav.sats),
    hdop: orNull(nav.hdop),
    landed: nav.landed ?? "undefined",
    armed: orNull(nav.armed),
    mode: orNull(nav.mode),
    home: orNull(nav.home),
  };
}

/** The open task on a threat or a plan that makes an asset not `free`. */
function commitmentOf(tasks: readonly Task[]): AssetView["commitment"] {
  const task = tasks.find((one) => one.threat_id !== null || one.plan_id !== null);
  if (task === undefined) return null;
  return { threat_id: task.threat_id, plan_id: task.plan_id, task_id: task.id, since_at: task.created_at };
}

/** The model's figures with the asset's own over them; null and absent inherit. */
export function performanceOf({ row, model }: FleetAsset): PlatformPerformance | null {
  const own = Object.entries(row.performance ?? {}).filter(([, value]) => value !== null);
  const base = model?.spec.performance;
  return own.length === 0 ? orNull(base) : { ...base, ...Object.fromEntries(own) };
}
