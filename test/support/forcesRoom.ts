/** A bare room with a registry on a manual clock: assets are committed as after their row, time passes in steps. */
import type { Asset } from "../../src/domain/asset.ts";
import type { ResolvedModel } from "../../src/domain/catalogue.ts";
import type { SensorProfile } from "../../src/domain/sensorProfile.ts";
import { observe } from "../../src/features/signals/observe.ts";
import { ManualClock, toRfc3339 } from "../../src/lib/clock.ts";
import { Room } from "../../src/room/room.ts";
import type { LiveTrack } from "../../src/room/tracks/liveTrack.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { START_MS } from "./room.ts";

const FLUSH_PERIOD_MS = 100;
let compiled: Promise<KernelBuild> | null = null;

export interface ForcesRoom {
  readonly clock: ManualClock;
  readonly room: Room;
  /** An asset of the registry, new or in place of the one with its id. */
  commit(row: Partial<Asset> & { readonly id: string }, model?: ResolvedModel, profile?: SensorProfile): void;
  /** Pushes observations at the room's time; returns the counts of the intake. */
  push(...observations: readonly object[]): { readonly accepted: number; readonly rejected: number };
  /** Lets this many seconds pass, stepping and flushing; `each` is called once a second, before its step. */
  pass(seconds: number, each?: (second: number) => void): void;
  tracks(): LiveTrack[];
  now(): number;
}

export async function openForcesRoom(): Promise<ForcesRoom> {
  compiled ??= compileKernel();
  const clock = new ManualClock(START_MS);
  const room = new Room({
    id: "wsp_test",
    name: "test",
    clock,
    kernel: await compiled,
    origin: { lat: 50, lon: 8, alt_hae_m: 100 },
    tracksMax: 1000,
    streamsMax: 10,
    onFault: (fault) => {
      throw fault;
    },
  });
  return {
    clock,
    room,
    commit(row, model, profile) {
      const asset = { row: rowOf(row), model: model ?? null, profile: profile ?? null };
      room.commit({ op: "assets_saved", rows: [asset] }, clock.nowMs());
    },
    push: (...observations) => observe(room, observations, clock.nowMs()),
    pass(seconds, each) {
      for (let ms = 0; ms < seconds * 1000; ms += FLUSH_PERIOD_MS) {
        if (ms % 1000 === 0) each?.(ms / 1000);
        clock.advance(FLUSH_PERIOD_MS);
        room.step(clock.nowMs());
        room.flush(clock.nowMs());
      }
    },
    tracks: () => [...room.tracks.all()],
    now: () => clock.nowMs(),
  };
}

function rowOf(row: Partial<Asset> & { readonly id: string }): Asset {
  const at = toRfc3339(START_MS);
  return {
    kind: "vehicle",
    name: row.id,
    domain: "air",
    spec: {},
    remote_id_serial: null,
    performance: null,
    placement: null,
    payloads: null,
    switches: {},
    connection: null,
    created_at: at,
    updated_at: at,
    version: 1,
    ...row,
  };
}

/** A platform's report of its own position, as pushed to POST /api/signals. */
export function ownWord(assetKey: string, lat: number, lon: number, atMs: number): object {
  const where = { lat, lon, alt_hae_m: 200, vel_enu_mps: [0, 0, 0] };
  return { source_id: "feeder", modality: "blue_force", measured_at: atMs, asset_key: assetKey, ...where };
}

/** A Remote ID claim of a serial, at rest. */
export function claimOf(serial: string, lat: number, lon: number, atMs: number): object {
  const where = { lat, lon, alt_hae_m: 200, speed_mps: 0, track_deg: 0 };
  return { source_id: "receiver", modality: "remote_id", measured_at: atMs, uas_id: serial, ...where };
}
