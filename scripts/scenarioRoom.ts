/**
 * A scenario through a bare room: the signals slice's intake, the workspace, its tracker and picture, exactly as they
 * serve requests, on a clock that stands at each arrival. Knows no truth and no scorer.
 */
import { SignalsIntake } from "../src/features/signals/intake.ts";
import { ManualClock } from "../src/lib/clock.ts";
import { TRACKS_PER_WORKSPACE_MAX } from "../src/limits.ts";
import { Room } from "../src/room/room.ts";
import type { LiveTrack } from "../src/room/tracks/liveTrack.ts";
import type { KernelBuild } from "../src/tracker/kernel/build.ts";
import { poseOf, profileOf, replay, type Scenario, startMsOf, toWireScan } from "./scenario.ts";

export interface TrackRow {
  readonly t: number;
  readonly track_id: string;
  readonly lat: number;
  readonly lon: number;
  readonly alt_m: number;
  readonly vel: readonly number[];
  /** Position covariance, 3x3 row by row, m^2. */
  readonly cov: readonly number[];
  readonly status: string;
  readonly rid_serial?: string;
}

export interface TrackedScenario {
  readonly rows: readonly TrackRow[];
  readonly stateHash: string;
  readonly scans: number;
  readonly trackingMs: number;
}

function openRoom(kernel: KernelBuild, scenario: Scenario, clock: ManualClock): Room {
  const { lat, lon, alt_m } = scenario.site;
  const room = new Room({
    id: "wsp_evaluation",
    name: scenario.scenario,
    clock,
    kernel,
    origin: { lat, lon, alt_hae_m: alt_m },
    tracksMax: TRACKS_PER_WORKSPACE_MAX,
    streamsMax: 1,
    onFault: (fault) => {
      throw fault;
    },
  });
  for (const { id, ...sensor } of scenario.sensors) {
    const change = {
      op: "sensor_registered",
      id,
      profile: profileOf({ id, ...sensor }),
      pose: poseOf({ id, ...sensor }),
    } as const;
    room.commit(change, clock.nowMs());
  }
  return room;
}

export function trackScenario(kernel: KernelBuild, scenario: Scenario): TrackedScenario {
  const startMs = startMsOf(scenario);
  const clock = new ManualClock(startMs);
  const room = openRoom(kernel, scenario, clock);
  const rows: TrackRow[] = [];
  const startedMs = performance.now();
  for (const event of replay(scenario)) {
    const nowMs = startMs + ("scan" in event ? event.scan.t_received : event.te) * 1000;
    clock.set(nowMs);
    if ("scan" in event) {
      const intake = new SignalsIntake(room, nowMs);
      intake.add({ index: 0, scan: true, value: toWireScan(scenario, event.scan) });
      intake.finish();
      room.step(nowMs);
    } else {
      room.predictAll(nowMs);
      for (const track of room.tracks.all()) appendRow(rows, event.te, track);
    }
  }
  const trackingMs = performance.now() - startedMs;
  return { rows, stateHash: room.tracker?.stateHash() ?? "", scans: scenario.scans.length, trackingMs };
}

/** Writes a track that an operator sees: confirmed or coasting, and with a position. */
function appendRow(rows: TrackRow[], t: number, track: LiveTrack): void {
  if (track.status === "tentative" || track.bearingOnly) return;
  const [ee, en, eu, nn, nu, uu] = track.covPosM2 as unknown as [number, number, number, number, number, number];
  rows.push({
    t,
    track_id: track.id,
    lat: track.lat,
    lon: track.lon,
    alt_m: track.altHaeM,
    vel: [track.velEastMps, track.velNorthMps, track.velUpMps],
    cov: [ee, en, eu, en, nn, nu, eu, nu, uu],
    status: track.status,
    ...(track.remoteId === null ? {} : { rid_serial: track.remoteId.uas_id }),
  });
}
