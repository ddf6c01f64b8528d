/**
 * What a received event means to us: a friend's event is a platform's report of its own position (in the room a blue-force
 * observation), an event about anyone else is a human sighting. Pure.
 */
import { CE90_PER_SIGMA } from "../../domain/geodesy.ts";
import type { MovesIn, PlatformReport } from "../../domain/platformReport.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import type { CotReport } from "./read.ts";
import { uidOf } from "./write.ts";

const STALE_PERIODS = 4;
/** Greatest expected period. Some senders give their events a life of a year. */
const PERIOD_MAX_S = 3600;
const FUTURE_MAX_MS = 60_000;
/** Least sigma of a human sighting; `ce` is the 90 % radius. */
const HUMAN_SIGMA_MIN_M = 10;

type Meaning =
  | { readonly is: "friend"; readonly report: PlatformReport }
  | { readonly is: "sighting"; readonly observation: object }
  | { readonly is: "ping" }
  /** Our own event, returned by a server or a group. */
  | { readonly is: "own" }
  /** A position of an affiliation that we do not take. */
  | { readonly is: "untaken" }
  /** Chat, routes, markers: no present position of anything. */
  | { readonly is: "nothing" }
  /** Stale, or from the future. */
  | { readonly is: "untimely" };

function typeGuess(type: string): string | null {
  if (/^a-f-A-M-F/.test(type)) return "fixed_wing_propeller";
  if (/^a-f-A-M-H/.test(type)) return "multirotor_generic";
  if (/^a-f-G-E-V/.test(type)) return "road_vehicle";
  return /^a-f-G-U/.test(type) ? "dismounted_operator" : null;
}

/** By the third part of the CoT type. */
const MOVES_IN: Readonly<Record<string, MovesIn>> = { A: "air", G: "ground", S: "surface", U: "subsurface" };

export function meaningOf(event: CotReport, peer: string, linkId: string, workspaceId: string, nowMs: number): Meaning {
  if (event.type === "t-x-c-t") return { is: "ping" };
  if (event.uid.startsWith(uidOf(workspaceId, ""))) return { is: "own" };
  if (!event.type.startsWith("a-")) return { is: "nothing" };
  if (event.staleMs < nowMs || event.timeMs - nowMs > FUTURE_MAX_MS) return { is: "untimely" };
  if (event.type.startsWith("a-f-")) return { is: "friend", report: friendReport(event, peer, linkId, nowMs) };
  if (!/^a-[uhsp]-/.test(event.type)) return { is: "untaken" };
  return {
    is: "sighting",
    observation: {
      source_id: `cot:${linkId}`,
      source_obs_id: `${event.uid} ${event.timeMs}`.slice(0, 128),
      modality: "human",
      measured_at: Math.min(event.timeMs, nowMs),
      lat: event.lat,
      lon: event.lon,
      alt_hae_m: event.haeM,
      sigma_m: Math.max(HUMAN_SIGMA_MIN_M, (event.ceM ?? 100) / CE90_PER_SIGMA),
      text: event.remarks ?? event.callsign ?? event.type,
    },
  };
}

function friendReport(event: CotReport, peer: string, linkId: string, nowMs: number): PlatformReport {
  const { speedMps, courseDeg } = event;
  const hasVelocity = speedMps !== null && courseDeg !== null;
  return {
    // The uid identifies it; a phone's port changes with every connection.
    source: { protocol: "cot_xml", address: `${peer}/${event.uid}`, systemId: event.uid, linkId },
    atMs: nowMs,
    identity: {
      kindGuess: "vehicle",
      typeGuess: typeGuess(event.type),
      domainGuess: MOVES_IN[event.type[4]!] ?? "air",
      name: event.callsign,
    },
    motion: {
      lat: event.lat,
      lon: event.lon,
      alt_hae_m: event.haeM,
      vel_enu_mps: hasVelocity
        ? [speedMps * Math.sin(courseDeg * RAD_PER_DEG), speedMps * Math.cos(courseDeg * RAD_PER_DEG), 0]
        : null,
      heading_deg: courseDeg,
    },
    // A server sends new clients the last known positions, which may be minutes old.
    motionAtMs: event.timeMs,
    ...(event.batteryPct === null ? {} : { power: { percent: event.batteryPct } }),
    expectedPeriodS: Math.min(PERIOD_MAX_S, Math.max(1, (event.staleMs - event.timeMs) / 1000 / STALE_PERIODS)),
  };
}
