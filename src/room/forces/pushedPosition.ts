/**
 * A blue-force observation of POST /api/signals as the report of a platform (docs/interface.md#observations, blue_force).
 * Pure.
 */

import type { NavReport, PlatformReport } from "../../domain/platformReport.ts";
import { LANDED_STATES, type LandedState } from "../../domain/platformStates.ts";
import type { Fleet } from "./fleet.ts";

/** Own positions are pushed about once a second; a feeder that takes its time is not lost at once. */
const EXPECTED_PERIOD_S = 2;

type Wire = Readonly<Record<string, unknown>>;

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

function landedOf(value: unknown): LandedState {
  if (value === "takeoff") return "taking_off";
  return (LANDED_STATES as readonly unknown[]).includes(value) ? (value as LandedState) : "undefined";
}

function navOf(wire: Wire): NavReport {
  return {
    gps_fix: typeof wire.gps_fix === "string" ? wire.gps_fix : null,
    sats: numberOrNull(wire.sats),
    hdop: numberOrNull(wire.hdop),
    landed: landedOf(wire.landed),
    armed: typeof wire.armed === "boolean" ? wire.armed : null,
    mode: typeof wire.mode === "string" ? wire.mode : null,
  };
}

/** `observation` is valid: the signals slice let it in. */
export function reportOf(observation: object, fleet: Fleet, nowMs: number): PlatformReport {
  const wire = observation as Wire;
  const name = fleet.nameOf(wire.asset_key as string);
  const percent = numberOrNull(wire.battery_pct);
  return {
    source: name,
    atMs: nowMs,
    motion: {
      lat: wire.lat as number,
      lon: wire.lon as number,
      alt_hae_m: numberOrNull(wire.alt_hae_m),
      vel_enu_mps: Array.isArray(wire.vel_enu_mps) ? (wire.vel_enu_mps as [number, number, number]) : null,
      heading_deg: numberOrNull(wire.yaw_deg),
    },
    nav: navOf(wire),
    ...(percent === null || percent < 0 ? {} : { power: { percent } }),
    radio: { rssi_dbm: numberOrNull(wire.link_rssi_dbm) },
    expectedPeriodS: EXPECTED_PERIOD_S,
  };
}
