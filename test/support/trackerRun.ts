/** The simulated scans as the tracker gets them: converted by a room's intake, and a bare tracker that fuses them. */
import { EnuFrame, type Geodetic } from "../../src/domain/geodesy.ts";
import type { Scan } from "../../src/domain/scan.ts";
import type { SensorProfile } from "../../src/domain/sensorProfile.ts";
import { ManualClock } from "../../src/lib/clock.ts";
import { BUILTIN_TRACKER_CONFIG } from "../../src/tracker/config.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";
import { Tracker } from "../../src/tracker/tracker.ts";
import { ORIGIN, openRoom, push, START_MS, sky } from "./room.ts";

export interface Arrival {
  readonly scan: Scan;
  readonly profile: SensorProfile;
  readonly atMs: number;
}

const STEP_MS = 50;
let compiled: Promise<KernelBuild> | null = null;

export async function openTracker(origin: Geodetic = ORIGIN): Promise<Tracker> {
  compiled ??= compileKernel();
  const frame = new EnuFrame(origin);
  return new Tracker({ kernel: await compiled, frame, config: BUILTIN_TRACKER_CONFIG, tracksMax: 1000 });
}

/** Each simulated scan with its source's profile in the room, arriving `delayMs` after it was measured. */
export async function trackerSky(seconds: number, delayMs: (index: number) => number): Promise<Arrival[]> {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  const scans: Scan[] = [];
  room.listen({
    entered(entry) {
      if (entry.verb === "accept") for (const { scan } of entry.scans) scans.push(scan);
    },
  });
  for (const wire of sky(seconds)) {
    clock.set(wire.measured_at);
    push(room, [wire], wire.measured_at);
    room.step(wire.measured_at);
  }
  return scans.map((scan, i) => ({
    scan,
    profile: room.sensors.profileOf(scan.sourceId, scan.modality),
    atMs: scan.measuredAtUs / 1000 + delayMs(i),
  }));
}

/** Gives the tracker the scans that arrive in (fromMs, toMs], a step every 50 ms, as a room does. */
export function run(tracker: Tracker, arrivals: readonly Arrival[], fromMs: number, toMs: number): void {
  const waiting = arrivals.filter(({ atMs }) => atMs > fromMs && atMs <= toMs).sort((a, b) => a.atMs - b.atMs);
  for (let nowMs = fromMs + STEP_MS; nowMs <= toMs; nowMs += STEP_MS) {
    const due: Arrival[] = [];
    while (waiting[0] !== undefined && waiting[0].atMs <= nowMs) due.push(waiting.shift()!);
    give(tracker, due, nowMs);
  }
}

export function give(tracker: Tracker, arrivals: readonly Arrival[], nowMs: number): void {
  for (const { scan, profile } of arrivals) tracker.setSensor(scan.sourceId, profile);
  tracker.advance(
    arrivals.map(({ scan }) => scan),
    nowMs * 1000,
  );
}
