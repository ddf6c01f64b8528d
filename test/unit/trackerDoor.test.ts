/** What the tracker does not take at its door: a caller's mistake stops at once, with a sentence that names it. */
import { beforeAll, describe, expect, test } from "vitest";
import { EnuFrame } from "../../src/domain/geodesy.ts";
import type { Scan } from "../../src/domain/scan.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Tracker } from "../../src/tracker/tracker.ts";
import { CONFIG, profile, radarScan, START_US } from "../support/kernel.ts";

const ORIGIN = { lat: 51, lon: 0, alt_hae_m: 0 };
let build: KernelBuild;

beforeAll(async () => {
  build = await compileKernel();
});

function open(change: Partial<typeof CONFIG> = {}, tracksMax = 100): Tracker {
  const frame = new EnuFrame(ORIGIN);
  const tracker = new Tracker({ kernel: build, frame, config: { ...CONFIG, ...change }, tracksMax });
  tracker.setSensor("radar", profile("radar"));
  return tracker;
}

const scan = (change: Partial<Scan> = {}): Scan => ({ ...radarScan(0, [[45, 5, 1000, 0]]), ...change });

describe("[FU-89] the tracker refuses", () => {
  test.each<[string, Partial<Scan>]>([
    ["a scan without a source", { sourceId: "" }],
    ["a scan without a time", { measuredAtUs: Number.NaN }],
    ["a scan at part of a microsecond", { measuredAtUs: START_US + 0.5 }],
    ["a scan with fewer measurements than it says", { count: 2 }],
    ["a scan with too many measurements", { count: 20_000, measurements: new Float64Array(20_000 * 16) }],
  ])("%s, and goes on with the next one", (_, change) => {
    const tracker = open();
    const before = tracker.stateHash();
    expect(() => tracker.advance([scan(change)], START_US)).toThrow(/^a scan /);
    expect(tracker.stateHash()).toBe(before);
    tracker.advance([scan()], START_US);
    expect(tracker.health().scansFused).toBe(1);
  });

  test("times that are no times", () => {
    const tracker = open();
    expect(() => tracker.advance([], Number.NaN)).toThrow("the time of a step");
    expect(() => tracker.readTracks(Number.POSITIVE_INFINITY)).toThrow("the time of the picture");
    expect(() => tracker.mergeTracks(1, [2], START_US + 0.5)).toThrow("the time of an edit");
    expect(() => tracker.explainsOf(1, Number.NaN, 10)).toThrow("since");
    expect(() => tracker.explainsOf(1, 0, 0)).toThrow("at least one");
  });

  test("a source without an id, a slot that no sensor has, and a rebuild without a fault", () => {
    const tracker = open();
    expect(() => tracker.setSensor("", profile("radar"))).toThrow("a source has an id");
    expect(() => tracker.sensorIdOfSlot(7)).toThrow("no sensor has slot 7");
    expect(() => tracker.rebuild()).toThrow("rebuild is for");
  });

  test("a configuration under which nothing could be tracked", () => {
    expect(() => open({ maxLagS: 0 })).toThrow("the lag window");
    expect(() => open({ confirmM: 4, confirmN: 3 })).toThrow("m hits in n looks");
    expect(() => open({}, 0)).toThrow("room for a track");
  });
});
