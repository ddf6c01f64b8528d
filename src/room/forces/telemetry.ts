/**
 * Own positions between fleet and tracker. To the tracker: the positions of all own platforms as one scan of blue-force
 * observations, extrapolated to one time, because the tracker's cost is per scan. To the fleet: a pushed blue-force
 * observation as a report of its platform, like the telemetry of a link. Pure.
 */
import { isRefusal } from "../../domain/errors.ts";
import { EnuFrame } from "../../domain/geodesy.ts";
import { type NavReport, OWN_POSITIONS_SOURCE, type PlatformReport, PUSHED } from "../../domain/platformReport.ts";
import { LANDED_STATES, type LandedState } from "../../domain/platformStates.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { finite } from "../../lib/numbers.ts";
import { OWN_POSITION_AGE_MAX_MS } from "../../limits.ts";
import { toMeasurements } from "../../measurement/convert.ts";
import type { ScanInput } from "../intake/inbox.ts";
import type { Sensors } from "../sensors/sensors.ts";
import type { Fleet } from "./fleet.ts";
import type { Platform } from "./platform.ts";

const METRES_PER_DEGREE = 111_320;
/** Own positions are pushed about once a second; twice that, so that a slower client is not `lost` at once. */
const PUSHED_PERIOD_S = 2;
/** `taking_off` in an AssetView is `takeoff` in a blue-force observation. */
const LANDED = {
  undefined: "undefined",
  on_ground: "on_ground",
  in_air: "in_air",
  taking_off: "takeoff",
  landing: "landing",
} as const;

type Wire = Readonly<Record<string, unknown>>;

/** A sensor's own position makes no track. */
function isSensor({ key, kindGuess }: Platform, fleet: Fleet): boolean {
  return (fleet.assetOf(key)?.row.kind ?? kindGuess) === "sensor";
}

const isOnEarth = (lat: number, lon: number): boolean => Math.abs(lat) <= 90 && Math.abs(lon) <= 180;

/** The positions at `nowMs` of the platforms that links hear, as blue-force observations. */
export function ownPositionsOf(fleet: Fleet, nowMs: number): Wire[] {
  const observations: Wire[] = [];
  for (const platform of fleet.platforms()) {
    if (isSensor(platform, fleet)) continue;
    const { motion, nav, power } = platform;
    const ageMs = nowMs - platform.motionAtMs;
    // A pushed position was fused when it arrived; here it would be fused twice.
    if (platform.source.protocol === PUSHED) continue;
    if (motion === null || Math.abs(ageMs) > OWN_POSITION_AGE_MAX_MS || !isOnEarth(motion.lat, motion.lon)) continue;
    const [east, north, up] = motion.vel_enu_mps ?? [0, 0, 0];
    const ageS = Math.max(0, ageMs) / 1000;
    observations.push({
      source_id: OWN_POSITIONS_SOURCE,
      modality: "blue_force",
      measured_at: nowMs,
      asset_key: platform.key,
      lat: motion.lat + (north * ageS) / METRES_PER_DEGREE,
      lon: motion.lon + (east * ageS) / (METRES_PER_DEGREE * Math.max(0.01, Math.cos(motion.lat * RAD_PER_DEG))),
      // A height above mean sea level is shown, but is not fused as a height above the ellipsoid.
      alt_hae_m: motion.alt_hae_m == null || motion.alt_is_msl === true ? null : motion.alt_hae_m + up * ageS,
      vel_enu_mps: motion.vel_enu_mps ?? null,
      gps_fix: nav?.gps_fix ?? null,
      sats: nav?.sats ?? null,
      hdop: nav?.hdop ?? null,
      battery_pct: power?.percent ?? null,
      armed: nav?.armed ?? null,
      landed: LANDED[nav?.landed ?? "undefined"],
    });
  }
  return observations;
}

/** One scan of our platforms' positions, with its frame; null: none of them reports a position. */
export function ownScanOf(
  fleet: Fleet,
  sensors: Sensors,
  frame: EnuFrame | null,
  nowMs: number,
): { readonly input: ScanInput; readonly frame: EnuFrame } | null {
  const wire = ownPositionsOf(fleet, nowMs);
  const first = wire[0];
  if (first === undefined) return null;
  const channel = sensors.resolve(OWN_POSITIONS_SOURCE, "blue_force");
  if (isRefusal(channel)) return null;
  channel.sensor.protocol = PUSHED;
  const { lat, lon, alt_hae_m: altM } = first as { lat: number; lon: number; alt_hae_m: number | null };
  const at = frame ?? new EnuFrame({ lat, lon, alt_hae_m: altM ?? 0 });
  const nowUs = Math.round(nowMs * 1000);
  const facts = {
    sourceId: OWN_POSITIONS_SOURCE,
    scanId: null,
    modality: "blue_force" as const,
    measuredAtUs: nowUs,
    receivedAtUs: nowUs,
    pose: null,
    complete: false,
  };
  return { input: { scan: toMeasurements(facts, wire, channel.profile, at), wire }, frame: at };
}

function landedOf(value: unknown): LandedState {
  if (value === "takeoff") return "taking_off";
  return (LANDED_STATES as readonly unknown[]).includes(value) ? (value as LandedState) : "undefined";
}

function navOf(wire: Wire): NavReport {
  return {
    gps_fix: typeof wire.gps_fix === "string" ? wire.gps_fix : null,
    sats: finite(wire.sats),
    hdop: finite(wire.hdop),
    landed: landedOf(wire.landed),
    armed: typeof wire.armed === "boolean" ? wire.armed : null,
    mode: typeof wire.mode === "string" ? wire.mode : null,
  };
}

/** A pushed blue-force observation as the report of its platform. `observation` was validated by the signals slice. */
export function reportOf(observation: object, fleet: Fleet, nowMs: number): PlatformReport {
  const wire = observation as Wire;
  const percent = finite(wire.battery_pct);
  return {
    source: fleet.nameOf(wire.asset_key as string),
    atMs: nowMs,
    motion: {
      lat: wire.lat as number,
      lon: wire.lon as number,
      alt_hae_m: finite(wire.alt_hae_m),
      vel_enu_mps: Array.isArray(wire.vel_enu_mps) ? (wire.vel_enu_mps as [number, number, number]) : null,
      heading_deg: finite(wire.yaw_deg),
    },
    nav: navOf(wire),
    ...(percent === null || percent < 0 ? {} : { power: { percent } }),
    radio: { rssi_dbm: finite(wire.link_rssi_dbm) },
    expectedPeriodS: PUSHED_PERIOD_S,
  };
}
