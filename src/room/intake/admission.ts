/**
 * Which scans reach the inbox: repeated, late and future ones are only counted (docs/interface.md#signals). Also keeps
 * observation ids, so that a repeated observation is found before it is converted. Knows no tracker.
 */

import type { Scan } from "../../domain/scan.ts";
import {
  FUTURE_TOLERANCE_MS,
  INBOX_OBSERVATIONS_MAX,
  SEEN_IDS_PER_WORKSPACE_MAX,
  SEEN_IDS_WINDOW_MS,
} from "../../limits.ts";
import type { TurnedAway } from "../changes.ts";
import { Inbox, type ScanInput } from "./inbox.ts";
import { newestOfEach } from "./newestOfEach.ts";
import { SeenIds } from "./seenIds.ts";

/** The outcome of one call's scans, in observations. */
export interface Admitted {
  readonly accepted: number;
  readonly late: number;
  readonly quarantined: number;
  /** Observations of scans whose (source, scan_id) was accepted before, and older reports of one object in one scan. */
  readonly duplicates: number;
}

/** A sensor as admission needs it: its id and its counters. */
interface CountedSource {
  readonly id: string;
  rejected: number;
  duplicates: number;
  late: number;
  quarantined: number;
}

interface AdmissionParts {
  /** The sensor with this source id. */
  readonly sensorOf: (sourceId: string) => CountedSource | undefined;
  /** Writes the claim numbers into the rows. */
  readonly numberClaims: (input: ScanInput) => void;
  readonly maxLagS: number;
  /** Called with each accepted scan. */
  readonly onAdmitted: (input: ScanInput, nowMs: number) => void;
}

interface AdmissionCounters {
  observationsIn: number;
  late: number;
  quarantined: number;
  duplicates: number;
  rejected: number;
}

export class Admission {
  readonly inbox = new Inbox(INBOX_OBSERVATIONS_MAX);
  readonly counters: AdmissionCounters = { observationsIn: 0, late: 0, quarantined: 0, duplicates: 0, rejected: 0 };
  readonly #parts: AdmissionParts;
  readonly #seenObservations = new SeenIds(SEEN_IDS_PER_WORKSPACE_MAX, SEEN_IDS_WINDOW_MS);
  readonly #seenScans = new SeenIds(SEEN_IDS_PER_WORKSPACE_MAX, SEEN_IDS_WINDOW_MS);

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** How often ids arrived too fast to be kept for their whole window. */
  get idWindowsShortened(): number {
    return this.#seenObservations.turnedEarly + this.#seenScans.turnedEarly;
  }

  /** An observation with this id of this sensor was accepted within the window. */
  hasSeen(sensorId: string, observationId: string): boolean {
    return this.#seenObservations.has(nameOf(sensorId, observationId));
  }

  /** `newestUs`: time of the newest measurement that was fused. Call `inbox.hasRoomFor` first. */
  take(inputs: readonly ScanInput[], nowMs: number, newestUs: number): Admitted {
    const admitted = { accepted: 0, late: 0, quarantined: 0, duplicates: 0 };
    const oldestUs = Math.max(nowMs * 1000, newestUs) - this.#parts.maxLagS * 1e6;
    const futureUs = (nowMs + FUTURE_TOLERANCE_MS) * 1000;
    for (const input of inputs) {
      const { scan } = input;
      this.#rememberIds(scan, nowMs);
      const why = this.#whyNot(scan.measuredAtUs, scan.sourceId, scan.scanId, nowMs, oldestUs, futureUs);
      if (why === null) {
        this.#admit(input, nowMs, admitted);
        continue;
      }
      admitted[why] += scan.count;
      const sensor = this.#parts.sensorOf(scan.sourceId);
      if (sensor !== undefined) sensor[why] += scan.count;
    }
    this.counters.observationsIn += admitted.accepted;
    this.counters.late += admitted.late;
    this.counters.quarantined += admitted.quarantined;
    this.counters.duplicates += admitted.duplicates;
    return admitted;
  }

  /** Also for scans that are late or repeated. */
  #rememberIds({ sourceId, observationIds }: Scan, nowMs: number): void {
    if (observationIds.length === 0) return;
    const sensorId = this.#parts.sensorOf(sourceId)?.id ?? sourceId;
    for (const id of observationIds) if (id !== "") this.#seenObservations.first(nameOf(sensorId, id), nowMs);
  }

  /** Counts what a call brought and the room did not take, by source, for fusion_health and sensor_slice. */
  countTurnedAway(turnedAway: readonly TurnedAway[]): void {
    for (const { sourceId, rejected, duplicates } of turnedAway) {
      this.counters.rejected += rejected;
      this.counters.duplicates += duplicates;
      const sensor = sourceId === null ? undefined : this.#parts.sensorOf(sourceId);
      if (sensor === undefined) continue;
      sensor.rejected += rejected;
      sensor.duplicates += duplicates;
    }
  }

  #whyNot(
    measuredAtUs: number,
    sourceId: string,
    scanId: string | null,
    nowMs: number,
    oldestUs: number,
    futureUs: number,
  ): "duplicates" | "late" | "quarantined" | null {
    if (scanId !== null && !this.#seenScans.first(nameOf(sourceId, scanId), nowMs)) return "duplicates";
    if (measuredAtUs < oldestUs) return "late";
    return measuredAtUs > futureUs ? "quarantined" : null;
  }

  #admit(given: ScanInput, nowMs: number, admitted: { accepted: number; duplicates: number }): void {
    this.#parts.numberClaims(given);
    const input = newestOfEach(given);
    const repeated = given.scan.count - input.scan.count;
    if (repeated > 0) {
      admitted.duplicates += repeated;
      const sensor = this.#parts.sensorOf(given.scan.sourceId);
      if (sensor !== undefined) sensor.duplicates += repeated;
    }
    admitted.accepted += input.scan.count;
    this.inbox.push(input);
    this.#parts.onAdmitted(input, nowMs);
  }
}

const nameOf = (sourceId: string, id: string): string => `${sourceId}\u0000${id}`;
