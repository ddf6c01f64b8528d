/**
 * Is one aircraft one track, however it flies? A cooperative aircraft (own telemetry, ADS-B, Remote ID) starts, stops, turns
 * and falls silent in ways that no motion model expects; its claimed identity keeps it one track. A claim at a place that
 * the aircraft cannot have reached stays a contact of its own.
 */
import { expect, test } from "vitest";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import type { Room } from "../../src/room/room.ts";
import { openRoom, push, START_MS } from "../support/room.ts";

const HERE = new EnuFrame({ lat: 51.4325, lon: -1.9875, alt_hae_m: 150 });
/** East, north, up. */
type Vector = readonly [number, number, number];
interface Motion {
  readonly at: Vector;
  readonly velocity: Vector;
}
/** Seconds after the start to the aircraft's motion; null while it sends no report. */
type Path = (second: number) => Motion | null;
type Modality = "blue_force" | "adsb" | "remote_id";
interface Emitter {
  readonly modality: Modality;
  readonly hz: number;
  readonly path: Path;
  /** Seconds from the start to its first report. */
  readonly fromS?: number;
  readonly source?: string;
  readonly withVelocity?: boolean;
}

function reportOf({ modality, withVelocity = true }: Emitter, { at, velocity }: Motion): object {
  const [lat, lon, alt_hae_m] = HERE.toGeodetic(...at);
  const place = { lat, lon, alt_hae_m };
  const [e, n, u] = velocity;
  const track_deg = ((Math.atan2(e, n) * 180) / Math.PI + 360) % 360;
  if (modality === "blue_force")
    return { asset_key: "wolf", ...place, ...(withVelocity ? { vel_enu_mps: velocity } : {}) };
  const course = withVelocity ? { track_deg } : {};
  if (modality === "adsb")
    return { icao: "4ca123", ...place, ...course, gs_mps: Math.hypot(e, n), vrate_mps: u, nac_p: 10, nac_v: 3, gva: 2 };
  return { uas_id: "1596F-ONE", id_type: "serial", ...place, ...course, speed_mps: Math.hypot(e, n), vspeed_mps: u };
}

interface Flight {
  readonly room: Room;
  /** Every id that the picture showed, and the number of tracks at each second. */
  readonly ids: ReadonlySet<string>;
  readonly counts: readonly number[];
}

async function fly(emitters: readonly Emitter[], seconds: number): Promise<Flight> {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  const reports = emitters
    .flatMap((emitter) =>
      Array.from({ length: seconds * emitter.hz }, (_, i) => ({ emitter, s: (emitter.fromS ?? 0) + i / emitter.hz })),
    )
    .sort((a, b) => a.s - b.s);
  const ids = new Set<string>();
  const counts: number[] = [];
  let next = 0;
  for (let ms = 0; ms <= seconds * 1000; ms += 50) {
    clock.set(START_MS + ms);
    for (; next < reports.length && reports[next]!.s * 1000 <= ms; next++) {
      const { emitter, s } = reports[next]!;
      const motion = emitter.path(s);
      if (motion === null) continue;
      const { modality, source = modality } = emitter;
      const detections = [reportOf(emitter, motion)];
      const scan = {
        source_id: source,
        modality,
        measured_at: START_MS + s * 1000,
        scan_id: `${source}${s}`,
        detections,
      };
      expect(push(room, [scan], START_MS + ms).accepted).toBe(1);
    }
    if (ms % 1000 === 0) room.predictAll(START_MS + ms);
    else room.step(START_MS + ms);
    const tracks = [...room.tracks.all()];
    for (const track of tracks) ids.add(track.id);
    if (ms % 1000 === 0 && tracks.length > 0) counts.push(tracks.length);
  }
  return { room, ids, counts };
}

function errorM(room: Room, truth: Vector): number {
  const errors = [...room.tracks.all()].map((t) => {
    const [e, n, u] = HERE.toEnu(t.lat, t.lon, t.altHaeM);
    return Math.hypot(e - truth[0], n - truth[1], u - truth[2]);
  });
  return Math.max(...errors);
}

/** Expects one id from the first to the last second, and the aircraft's position in the end. */
async function expectOneTrack(emitters: readonly Emitter[], seconds: number): Promise<void> {
  const { room, ids, counts } = await fly(emitters, seconds);
  expect([...new Set(counts)]).toEqual([1]);
  expect(ids.size).toBe(1);
  expect(errorM(room, emitters[0]!.path(seconds)!.at)).toBeLessThan(10);
}

/** At rest, then accelerating along one axis up to a speed. */
const startsAt =
  (restS: number, acceleration: number, topMps: number, axis: 1 | 2 = 1): Path =>
  (second) => {
    const t = Math.max(0, second - restS);
    const ramp = Math.min(t, topMps / acceleration);
    const way = 0.5 * acceleration * ramp * ramp + topMps * (t - ramp);
    const speed = acceleration * ramp;
    return axis === 1
      ? { at: [0, way, 100], velocity: [0, speed, 0] }
      : { at: [0, 0, 100 + way], velocity: [0, 0, speed] };
  };
/** North at a speed, then with another velocity from a given time on. */
const changesAt =
  (second: number, speed: number, after: Vector): Path =>
  (s) => {
    const before = Math.min(s, second);
    const since = Math.max(0, s - second);
    return {
      at: [after[0] * since, speed * before + after[1] * since, 300 + after[2] * since],
      velocity: s > second ? after : [0, speed, 0],
    };
  };
const MODALITIES: readonly Modality[] = ["blue_force", "adsb", "remote_id"];

for (const hz of [1, 5])
  test(`[FU-21] own positions at ${hz} Hz: at rest for 45 s, then 3 m/s² to 15 m/s`, () =>
    expectOneTrack([{ modality: "blue_force", hz, path: startsAt(45, 3, 15) }], 75));

test("[FU-21] own positions fused twice, the second time extrapolated from the report before", async () => {
  for (const [lateS, acceleration] of [
    [0.5, 3],
    [0.95, 3],
    [0.95, 5],
    [0.99, 3],
    [0.999, 3],
    [0.999, 6],
  ] as const) {
    // A vehicle that moves once a second and reports the velocity of that move.
    const moved: Path = (s) => {
      const t = Math.max(0, Math.floor(s + 1e-6) - 44);
      const ramp = Math.min(t, 15 / acceleration);
      const way = (acceleration * ramp * (ramp + 1)) / 2 + 15 * (t - ramp);
      return { at: [0, way, 100], velocity: [0, acceleration * ramp, 0] };
    };
    const stretched: Path = (s) => {
      const { at, velocity } = moved(s)!;
      return { at: [0, at[1] + velocity[1] * lateS, 100], velocity };
    };
    const own = { modality: "blue_force", hz: 1 } as const;
    await expectOneTrack(
      [
        { ...own, path: moved },
        { ...own, path: stretched, source: "own", fromS: lateS },
      ],
      75,
    );
  }
});

for (const hz of [1, 5])
  test(`[FU-21] from rest to full speed between two reports, sideways and upwards, at ${hz} Hz`, async () => {
    for (const modality of MODALITIES)
      for (const axis of [1, 2] as const)
        await expectOneTrack(
          [{ modality, hz, path: startsAt(30, axis === 1 ? 30 : 10, axis === 1 ? 25 : 8, axis) }],
          50,
        );
  });

for (const hz of [1, 5])
  test(`[FU-21] an abrupt stop, a sharp turn and a turn on the spot at ${hz} Hz`, async () => {
    for (const modality of MODALITIES)
      for (const after of [
        [0, 0, 0],
        [25, 0, 0],
        [0, -25, 0],
      ] as const)
        await expectOneTrack([{ modality, hz, path: changesAt(30, 25, after) }], 50);
  });

test("[FU-21] an airliner that turns by a right angle between two reports", async () => {
  for (const hz of [0.5, 1, 2])
    await expectOneTrack([{ modality: "adsb", hz, path: changesAt(30, 150, [150, 0, 10]) }], 60);
});

test("[FU-21] reports without a velocity", async () => {
  for (const path of [startsAt(30, 5, 20), changesAt(30, 20, [0, 0, 0]), changesAt(30, 20, [0, -20, 0])])
    await expectOneTrack([{ modality: "blue_force", hz: 1, path, withVelocity: false }], 60);
});

test("[FU-21] silent for 20 s, then back 200 m further", async () => {
  const path: Path = (s) => {
    if (s > 30 && s < 50) return null;
    return { at: [0, s < 50 ? 0 : 200, 100], velocity: [0, 0, 0] };
  };
  for (const modality of MODALITIES) await expectOneTrack([{ modality, hz: 1, path }], 75);
});

test("[FU-22] the same claim 5 km away stays a contact of its own, however long, and neither track moves the other", async () => {
  for (const modality of ["adsb", "remote_id"] as const)
    for (const fromS of [10, 10.5]) {
      const here = startsAt(20, 3, 15);
      const there: Path = () => ({ at: [5000, 0, 100], velocity: [0, 0, 0] });
      const { room, ids, counts } = await fly(
        [
          { modality, hz: 1, path: here },
          { modality, hz: 1, path: there, fromS, source: "other" },
        ],
        90,
      );
      expect(ids.size).toBe(2);
      expect(counts.slice(-70).every((count) => count === 2)).toBe(true);
      const easts = [...room.tracks.all()].map((t) => HERE.toEnu(t.lat, t.lon, t.altHaeM)[0]).sort((a, b) => a - b);
      expect(Math.abs(easts[0]!)).toBeLessThan(5);
      expect(Math.abs(easts[1]! - 5000)).toBeLessThan(5);
    }
});
