/** Merging and splitting tracks by an operator: the resulting tracks, and that late data runs through the edits again. */
import { beforeEach, describe, expect, test } from "vitest";
import { isRefusal } from "../../src/domain/errors.ts";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Tracker } from "../../src/tracker/tracker.ts";
import { TRACK_STATUS } from "../../src/tracker/types.ts";
import { CONFIG, profile, radarScan, reportScan, START_US } from "../support/kernel.ts";

const POSE = { lat: 51, lon: 0, alt_hae_m: 0, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };
const UP_M = 100;
let build: KernelBuild;
type Place = readonly [eastM: number, northM: number];

beforeEach(async () => {
  build ??= await compileKernel();
});

interface Shown {
  readonly key: number;
  readonly status: string;
  readonly eastM: number;
  readonly northM: number;
  readonly hits: number;
  readonly existence: number;
  readonly varianceM2: number;
  readonly claim: number;
  readonly sensors: readonly string[];
}

/** A tracker with two radars at the origin, and targets that fly at 100 m. Times in seconds. */
class Scene {
  readonly tracker: Tracker;
  nowS = 0;

  constructor() {
    this.tracker = new Tracker({ kernel: build, frame: new EnuFrame(POSE), config: CONFIG, tracksMax: 100 });
    for (const id of ["radar-a", "radar-b"]) this.tracker.setSensor(id, profile("radar"));
    this.tracker.setSensor("remote_id", profile("remote_id"));
  }

  /** A scan of one radar with targets at these places. It arrives at `arrivesS`. */
  look(second: number, places: readonly Place[], radar = "radar-a", arrivesS = second): void {
    const plots = places.map(([east, north]): [number, number, number, number] => [
      (Math.atan2(east, north) * 180) / Math.PI,
      (Math.atan2(UP_M, Math.hypot(east, north)) * 180) / Math.PI,
      Math.hypot(east, north, UP_M),
      Number.NaN,
    ]);
    this.nowS = Math.max(this.nowS, arrivesS);
    this.tracker.advance([{ ...radarScan(second, plots), sourceId: radar, pose: POSE }], usOf(this.nowS));
  }

  /** A target's report of its own position, with its claim number. */
  report(second: number, [east, north]: Place, claim: number): void {
    this.nowS = Math.max(this.nowS, second);
    this.tracker.advance([reportScan(second, [[east, north, UP_M, claim]])], usOf(this.nowS));
  }

  /** Time passes without data. */
  pass(untilS: number): void {
    this.nowS = untilS;
    this.tracker.advance([], usOf(untilS));
  }

  shown(): Shown[] {
    const t = this.tracker.readTracks(usOf(this.nowS));
    return Array.from({ length: t.count }, (_, row) => ({
      key: t.key[row]!,
      status: TRACK_STATUS[t.status[row]!]!,
      eastM: t.eastM[row]!,
      northM: t.northM[row]!,
      hits: t.hits[row]!,
      existence: t.existence[row]!,
      varianceM2: t.covPosM2[row * 6]! + t.covPosM2[row * 6 + 3]!,
      claim: t.claim[row]!,
      sensors: [...t.contributorSensor.subarray(row * 8, row * 8 + 8)]
        .filter((slot) => slot >= 0)
        .map((slot) => this.tracker.sensorIdOfSlot(slot))
        .sort(),
    }));
  }

  /** Splits a track and returns the key of the new one. */
  split(key: number, atS: number): number {
    const split = this.tracker.splitTrack(key, usOf(atS));
    if (isRefusal(split)) throw new Error(split.sentence);
    expect(split).toEqual({ keptKey: key, newKeys: [expect.any(Number)] });
    return split.newKeys[0]!;
  }

  nearestTo([a, b]: readonly [Place, Place]): [Shown, Shown] {
    return [this.nearest(a), this.nearest(b)];
  }

  nearest([eastM, northM]: Place): Shown & { readonly offM: number } {
    const rows = this.shown().map((row) => ({ ...row, offM: Math.hypot(row.eastM - eastM, row.northM - northM) }));
    return rows.sort((a, b) => a.offM - b.offM)[0]!;
  }
}

const usOf = (second: number) => START_US + Math.round(second * 1e6);

/** Two drones abreast, `apartM` apart, flying east at 10 m/s. */
const abreast = (second: number, apartM: number): [Place, Place] => [
  [-100 + 10 * second, 1000 - apartM / 2],
  [-100 + 10 * second, 1000 + apartM / 2],
];

/** Two tracks, confirmed by six scans. */
function twoTracks(apartM: number): { scene: Scene; south: Shown; north: Shown } {
  const scene = new Scene();
  for (let s = 0; s < 6; s++) scene.look(s, abreast(s, apartM));
  const [south, north] = scene.nearestTo(abreast(5, apartM));
  expect([south.status, north.status]).toEqual(["confirmed", "confirmed"]);
  expect(south.key).not.toBe(north.key);
  return { scene, south, north };
}

describe("[FU-80] an operator's merge", () => {
  test("ends the other track in the kept one, which has the evidence of both", () => {
    const { scene, south, north } = twoTracks(60);
    expect(scene.tracker.mergeTracks(south.key, [north.key], usOf(5.2))).toEqual({
      keptKey: south.key,
      endedKeys: [north.key],
    });
    const [merged, ...others] = scene.shown();
    expect(others).toEqual([]);
    expect(merged!.key).toBe(south.key);
    expect(merged!.status).toBe("confirmed");
    expect(merged!.hits).toBe(south.hits + north.hits);
    expect(merged!.existence).toBeCloseTo(Math.max(south.existence, north.existence), 2);
    expect(scene.tracker.takeEnded()).toEqual([{ key: north.key, reason: "merged", mergedInto: south.key }]);
  });

  test("of tracks that agree gives a place between them, never surer than the better of the two", () => {
    const { scene, south, north } = twoTracks(8);
    const surest = Math.min(south.varianceM2, north.varianceM2);
    scene.tracker.mergeTracks(north.key, [south.key], usOf(5.001));
    const [merged] = scene.shown();
    expect(merged!.northM).toBeGreaterThan(south.northM + 1);
    expect(merged!.northM).toBeLessThan(north.northM - 1);
    expect(merged!.varianceM2).toBeGreaterThan(0.99 * surest);
  });

  test("of a track that coasts and the one that took its place goes on from the one seen last", () => {
    const scene = new Scene();
    const lost = (s: number): Place => [-300 + 5 * s, 800];
    for (let s = 0; s < 6; s++) scene.look(s, [lost(s)]);
    const kept = scene.nearest(lost(5));
    // It turned hard, so a new track started on it.
    const found = (s: number): Place => [-150, 950 + 5 * (s - 8)];
    for (let s = 8; s < 13; s++) scene.look(s, [found(s)]);
    const fresh = scene.nearest(found(12));
    expect(fresh.key).not.toBe(kept.key);
    scene.tracker.mergeTracks(kept.key, [fresh.key], usOf(12.1));
    expect(scene.nearest(found(12.1))).toMatchObject({ key: kept.key });
    expect(scene.nearest(found(12.1)).offM).toBeLessThan(8);
    for (let s = 13; s < 16; s++) scene.look(s, [found(s)]);
    expect(scene.shown().map(({ key }) => key)).toEqual([kept.key]);
  });

  test("keeps the sensors of both", () => {
    const scene = new Scene();
    for (let s = 0; s < 6; s++) {
      scene.look(s, [abreast(s, 200)[0]], "radar-a");
      scene.look(s + 0.3, [abreast(s + 0.3, 200)[1]], "radar-b");
    }
    const [south, north] = scene.nearestTo(abreast(5.3, 200));
    expect([south.sensors, north.sensors]).toEqual([["radar-a"], ["radar-b"]]);
    scene.tracker.mergeTracks(south.key, [north.key], usOf(5.4));
    expect(scene.nearest([south.eastM, south.northM]).sensors).toEqual(["radar-a", "radar-b"]);
  });
});

describe("[FU-81] an operator's split", () => {
  test.each([16, 30, 60])("makes a track follow each of two drones %i m apart that one track stood for", (apartM) => {
    const { scene, south, north } = twoTracks(apartM);
    scene.tracker.mergeTracks(south.key, [north.key], usOf(5.2));
    const keys = [south.key, scene.split(south.key, 5.4)].sort();
    expect(
      scene
        .shown()
        .map(({ key, status }) => `${key} ${status}`)
        .sort(),
    ).toEqual(keys.map((key) => `${key} confirmed`).sort());
    for (let s = 6; s < 12; s++) scene.look(s, abreast(s, apartM));
    const after = abreast(11, apartM).map((place) => scene.nearest(place));
    expect(after.map(({ key }) => key).sort()).toEqual(keys);
    for (const { offM } of after) expect(offM).toBeLessThan(6);
    expect(scene.tracker.takeEnded().filter(({ key }) => keys.includes(key))).toEqual([]);
  });

  test.each([5, 10, 15, 20])(
    "follows two drones that crossed at %i m/s and were merged wrongly as they met",
    (speed) => {
      const scene = new Scene();
      const crossing = (s: number): [Place, Place] => [
        [speed * (s - 6), 1000 - 60 + 10 * s],
        [speed * (6 - s), 1000 - 60 + 10 * s],
      ];
      for (let s = 0; s < 6; s++) scene.look(s, crossing(s));
      const [a, b] = scene.nearestTo(crossing(5));
      scene.tracker.mergeTracks(a.key, [b.key], usOf(6.1));
      const newKey = scene.split(a.key, 6.6);
      for (let s = 7; s < 13; s++) scene.look(s, crossing(s));
      const after = crossing(12).map((place) => scene.nearest(place));
      expect(after.map(({ key }) => key).sort()).toEqual([a.key, newKey].sort());
      for (const { offM } of after) expect(offM).toBeLessThan(10);
    },
  );

  test("is not undone at once by the search for doubles, though one plot feeds both", () => {
    const scene = new Scene();
    const only = (s: number): Place => [10 * s, 1000];
    for (let s = 0; s < 6; s++) scene.look(s, [only(s)]);
    const { key } = scene.nearest(only(5));
    const newKey = scene.split(key, 5.1);
    for (let s = 6; s < 8; s++) scene.look(s, [only(s)]);
    scene.pass(9.1);
    expect(
      scene
        .shown()
        .map((row) => row.key)
        .sort(),
    ).toEqual([key, newKey].sort());
    // Only one object exists: in the end there is one track again.
    for (let s = 9; s < 20; s++) scene.look(s, [only(s)]);
    expect(scene.shown()).toHaveLength(1);
  });

  test.each([
    [2, 0, 1000],
    [2, 5, 1000],
    [2, 0, 3000],
    [1, 0, 3000],
    [2, 4, 2000],
  ])("of one object keeps its first track, at %i Hz with plots %i m off at %i m", (hz, offM, rangeM) => {
    const scene = new Scene();
    const only = (i: number): Place => [(10 * i) / hz + offM * Math.sin(7 * i), rangeM + offM * Math.cos(11 * i)];
    let i = 0;
    for (; i < 8; i++) scene.look(i / hz, [only(i)]);
    const { key } = scene.nearest(only(7));
    scene.split(key, (i - 1) / hz + 0.1);
    for (const endAt = i + 6; i < endAt; i++) {
      scene.look(i / hz, [only(i)]);
      // Neither of the two takes the plot from the other, so that both would miss it.
      expect(scene.shown().find((row) => row.key === key)?.status).toBe("confirmed");
    }
    const hits = scene.shown().find((row) => row.key === key)!.hits;
    expect(hits).toBeGreaterThanOrEqual(12);
    for (const endAt = i + 30 * hz; i < endAt; i++) scene.look(i / hz, [only(i)]);
    expect(scene.shown().map((row) => row.key)).toEqual([key]);
  });

  test("leaves the claimed identity with the track that had it, and a merge brings it along", () => {
    const scene = new Scene();
    for (let s = 0; s < 6; s++) {
      scene.look(s, abreast(s, 60));
      const [east, north] = abreast(s + 0.5, 60)[0];
      scene.report(s + 0.5, [east, north], 7);
    }
    const [south, north] = scene.nearestTo(abreast(5.5, 60));
    expect([south.claim, north.claim]).toEqual([7, 0]);
    const newKey = scene.split(south.key, 5.6);
    const claimOf = (key: number) => scene.shown().find((row) => row.key === key)!.claim;
    expect([claimOf(south.key), claimOf(newKey)]).toEqual([7, 0]);
    scene.tracker.mergeTracks(north.key, [south.key, newKey], usOf(5.7));
    expect(scene.shown().map(({ key, claim }) => [key, claim])).toEqual([[north.key, 7]]);
  });
});

describe("[FU-82] an edit keeps its place among the scans", () => {
  const edited = (scene: Scene, south: number, north: number) => {
    scene.tracker.mergeTracks(south, [north], usOf(5.5));
    return scene.tracker.splitTrack(south, usOf(6.5));
  };

  test("a scan from before it that arrives after it ends in the same state", () => {
    const inTime = twoTracks(40);
    inTime.scene.look(5.3, abreast(5.3, 40), "radar-b");
    edited(inTime.scene, inTime.south.key, inTime.north.key);
    for (let s = 7; s < 10; s++) inTime.scene.look(s, abreast(s, 40));
    const late = twoTracks(40);
    edited(late.scene, late.south.key, late.north.key);
    late.scene.look(7, abreast(7, 40));
    late.scene.look(5.3, abreast(5.3, 40), "radar-b", 7.5);
    for (let s = 8; s < 10; s++) late.scene.look(s, abreast(s, 40));
    expect(late.scene.tracker.health().rewinds).toBeGreaterThan(0);
    expect(late.scene.tracker.stateHash()).toBe(inTime.scene.tracker.stateHash());
    expect(late.scene.shown().map(({ key }) => key)).toEqual(inTime.scene.shown().map(({ key }) => key));
  });

  test("at the time of a scan it comes before the scan, whichever arrives first", () => {
    const hashes = [true, false].map((editFirst) => {
      const { scene, south, north } = twoTracks(40);
      const edit = () => scene.tracker.mergeTracks(south.key, [north.key], usOf(6));
      if (editFirst) edit();
      scene.look(6, abreast(6, 40), "radar-b");
      if (!editFirst) edit();
      return scene.tracker.stateHash();
    });
    expect(hashes[1]).toBe(hashes[0]);
  });

  test("a snapshot carries it to another process", () => {
    const whole = twoTracks(40);
    edited(whole.scene, whole.south.key, whole.north.key);
    whole.scene.look(7, abreast(7, 40));
    const successor = new Scene();
    expect(successor.tracker.restore(structuredClone(whole.scene.tracker.snapshot()))).toBeNull();
    successor.nowS = 7;
    for (const scene of [whole.scene, successor]) {
      scene.look(5.3, abreast(5.3, 40), "radar-b", 7.5);
      scene.look(8, abreast(8, 40));
    }
    expect(successor.tracker.health().rewinds).toBeGreaterThan(0);
    expect(successor.tracker.stateHash()).toBe(whole.scene.tracker.stateHash());
  });

  test("and is part of the state: without it the same scans end in another hash", () => {
    const plain = twoTracks(40);
    const merged = twoTracks(40);
    merged.scene.tracker.mergeTracks(merged.south.key, [merged.north.key], usOf(5.5));
    for (const { scene } of [plain, merged]) scene.look(6, abreast(6, 40));
    expect(merged.scene.tracker.stateHash()).not.toBe(plain.scene.tracker.stateHash());
  });
});

test("[FU-83] an edit of a track that does not exist, of one twice, or from before the lag window is refused and changes nothing", () => {
  const { scene, south, north } = twoTracks(60);
  const before = scene.tracker.stateHash();
  expect(scene.tracker.mergeTracks(south.key, [12345], usOf(5.2))).toMatchObject({ code: "not_found" });
  expect(scene.tracker.splitTrack(12345, usOf(5.2))).toMatchObject({ code: "not_found" });
  expect(scene.tracker.mergeTracks(south.key, [], usOf(5.2))).toMatchObject({ code: "invalid_input" });
  expect(scene.tracker.mergeTracks(south.key, [south.key], usOf(5.2))).toMatchObject({ code: "invalid_input" });
  expect(scene.tracker.mergeTracks(south.key, [north.key, north.key], usOf(5.2))).toMatchObject({
    code: "invalid_input",
  });
  expect(scene.tracker.splitTrack(south.key, usOf(-1))).toMatchObject({ code: "invalid_state" });
  for (let s = 6; s < 20; s++) scene.look(s, abreast(s, 60));
  expect(scene.tracker.splitTrack(south.key, usOf(5.2))).toMatchObject({ code: "invalid_state" });
  const again = twoTracks(60);
  expect(again.scene.tracker.stateHash()).toBe(before);
});
