/** A bare room on a manual clock, fed with the demo's scans: six drones, an aircraft, birds, clutter, with fixed seeds. */

import { SignalsIntake } from "../../src/features/signals/intake.ts";
import { type Clock, ManualClock } from "../../src/lib/clock.ts";
import { Room } from "../../src/room/room.ts";
import { scansBetween, type WireScan } from "../../src/sim/sensors.ts";
import { compileKernel, type KernelBuild } from "../../src/tracker/kernel/build.ts";

export const START_MS = 1_800_000_000_000;
export const ORIGIN = { lat: 51.4325, lon: -1.9875, alt_hae_m: 150 };
/** Delay from measurement to arrival. */
const TRANSIT_MS = 20;

let compiled: Promise<KernelBuild> | null = null;

export async function openRoom(clock: Clock, onFault = rethrow): Promise<Room> {
  compiled ??= compileKernel();
  return new Room({
    id: "wsp_test",
    name: "test",
    clock,
    kernel: await compiled,
    origin: ORIGIN,
    tracksMax: 1000,
    streamsMax: 10,
    onFault,
  });
}

function rethrow(fault: unknown): void {
  throw fault;
}

export function sky(seconds: number): WireScan[] {
  return scansBetween(START_MS, START_MS, START_MS + seconds * 1000).sort((a, b) => a.measured_at - b.measured_at);
}

/** Gives the room scans as one request, at a given time. */
export function push(room: Room, scans: readonly object[], nowMs: number) {
  const intake = new SignalsIntake(room, nowMs);
  for (const [index, value] of scans.entries()) intake.add({ index, scan: true, value });
  return intake.finish();
}

interface Arrival {
  readonly scan: WireScan;
  readonly atMs: number;
}

export function inOrder(scans: readonly WireScan[]): Arrival[] {
  return scans.map((scan) => ({ scan, atMs: scan.measured_at + TRANSIT_MS }));
}

/** Steps every 50 ms, flushes every 100 ms, and gives the room each scan when it arrives. */
export async function simulate(
  arrivals: readonly Arrival[],
  untilMs: number,
  watch?: (room: Room, nowMs: number) => void,
) {
  const clock = new ManualClock(START_MS);
  const room = await openRoom(clock);
  const waiting = [...arrivals].sort((a, b) => a.atMs - b.atMs);
  for (let nowMs = START_MS; nowMs <= untilMs; nowMs += 50) {
    clock.set(nowMs);
    while (waiting[0] !== undefined && waiting[0].atMs <= nowMs) push(room, [waiting.shift()!.scan], nowMs);
    room.step(nowMs);
    if (nowMs % 100 === 0) room.flush(nowMs);
    watch?.(room, nowMs);
  }
  return room;
}
