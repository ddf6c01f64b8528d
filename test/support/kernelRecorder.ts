/**
 * A stand-in for the kernel behind a timeline: its state is the list of the events it was given, so that two timelines with
 * equal lists at the end have run the same scans and sweeps in the same order. Knows no tracking.
 */
import type { TimelineEntry, TimelineKernel } from "../../src/tracker/timeline.ts";

export class KernelRecorder implements TimelineKernel<TimelineEntry> {
  events: string[] = [];
  scansRun = 0;
  saves = 0;

  run(entry: TimelineEntry): void {
    this.events.push(`scan ${entry.timeUs} ${entry.sourceId} ${entry.identity}`);
    this.scansRun++;
  }

  sweep(timeUs: number): void {
    this.events.push(`sweep ${timeUs}`);
  }

  save(): Uint8Array {
    this.saves++;
    return new TextEncoder().encode(JSON.stringify(this.events));
  }

  restore(saved: Uint8Array): void {
    this.events = JSON.parse(new TextDecoder().decode(saved));
  }
}

export function entryOf(timeUs: number, sourceId: string, identity: string, weight = 1): TimelineEntry {
  return { timeUs, sourceId, identity, weight, ran: false };
}
