/**
 * Turns a parsed body into scans in the room's inbox and the counts of the answer (docs/interface.md#signals, #environment,
 * #answer-of-a-push). The whole body is checked before any of it is accepted. Knows the room and the wire; no HTTP.
 */
import { MEAS_KIND_POSITION } from "../../../assembly/layout.ts";
import type { EnuFrame } from "../../domain/geodesy.ts";
import type { Modality } from "../../domain/modality.ts";
import { PUSHED } from "../../domain/platformReport.ts";
import type { SensorPose } from "../../domain/sensorProfile.ts";
import { SIGNALS_REJECTED_SHOWN_MAX } from "../../limits.ts";
import { kindOf, poseOf, toMeasurements } from "../../measurement/convert.ts";
import { isObject, type UnknownTally, type Wire } from "../../measurement/observationRules.ts";
import { poseOnGround, widenBySiting } from "../../measurement/siting.ts";
import { parseTimeUs } from "../../measurement/time.ts";
import type { Channel, RoomFace, ScanInput } from "../../room/face.ts";
import { type Group, Groups } from "./groups.ts";
import { expandOdid } from "./odid.ts";
import {
  DETECTION_RULES,
  NO_DETECTION,
  type Reason,
  type RejectCode,
  sourceIdOf,
  whyNotObservation,
  whyNotObserved,
  whyNotPayload,
  whyNotScan,
  whyReserved,
} from "./whyNot.ts";

/** The room as the intake needs it. */
export type IntakeRoom = Pick<
  RoomFace,
  "environment" | "sensors" | "frame" | "hasSeen" | "accept" | "commit" | "hasRoomFor"
>;

export interface Rejected {
  /** The observation, the NDJSON line or the scan, from 0. */
  readonly index: number;
  /** Inside a scan, from 0. */
  readonly detection?: number;
  readonly code: RejectCode;
  readonly error: string;
}

export interface Intake {
  readonly accepted: number;
  readonly duplicates: number;
  readonly late: number;
  readonly quarantined: number;
  readonly rejected: Rejected[];
  readonly rejected_count: number;
  readonly unknown_members: number;
  readonly tick: number;
}

/** One observation or scan of the body, with its index. */
export interface Item {
  readonly index: number;
  readonly scan: boolean;
  readonly value: unknown;
}

/** Modalities whose sensors scan their field of view, so that a missing detection is evidence; the others only report. */
const LOOKING: ReadonlySet<Modality> = new Set<Modality>(["radar", "lidar", "eo", "ir", "acoustic", "rf"]);

/** Stands for an observation that was already counted or refused. A symbol, because a body may contain null. */
const COUNTED = Symbol("counted");

export class SignalsIntake {
  readonly #room: IntakeRoom;
  readonly #receivedAtUs: number;
  readonly #nowMs: number;
  readonly #protocol: string;
  readonly #tally: UnknownTally = { unknown: 0 };
  readonly #groups = new Groups();
  /** Observation ids of this call, because the room keeps ids only when it accepts their scans. */
  readonly #seenHere = new Set<string>();
  readonly #rejected: Rejected[] = [];
  #rejectedCount = 0;
  #environmentMismatches = 0;
  #duplicates = 0;
  /** By source: observations of this call that were refused. */
  readonly #turnedAway = new Map<string | null, { rejected: number; duplicates: number }>();
  /** Items with at least one valid observation; repeated ones and empty scans count too. */
  #valid = 0;

  /** `protocol`: the protocol family of the observations. */
  constructor(room: IntakeRoom, receivedAtMs: number, unknownMembers = 0, protocol: string = PUSHED) {
    this.#protocol = protocol;
    this.#tally.unknown = unknownMembers;
    this.#room = room;
    this.#nowMs = receivedAtMs;
    this.#receivedAtUs = Math.round(receivedAtMs * 1000);
  }

  add(item: Item): void {
    if (item.scan) this.#addScan(item.index, item.value);
    else this.#addObservation(item.index, item.value);
  }

  /** True when the body had items and none was valid. Nothing of it was accepted then. */
  get failed(): boolean {
    return this.#valid === 0 && this.#rejectedCount > 0;
  }

  get first(): Rejected | undefined {
    return this.#rejected[0];
  }

  /** The place and reason of the first failure. */
  describeFirst(): string {
    const { index, detection, code, error } = this.#rejected[0]!;
    return `nothing in it is valid; first [${index}]${detection === undefined ? "" : ` detection ${detection}`}, ${code}: ${error}`;
  }

  /** True when every failure was live data for a simulated workspace, or the reverse. */
  get wrongEnvironment(): boolean {
    return this.failed && this.#environmentMismatches === this.#rejectedCount;
  }

  /** Commits the counts of refused observations, also when nothing of the call is accepted. */
  giveUp(): void {
    if (this.#turnedAway.size === 0) return;
    const turnedAway = Array.from(this.#turnedAway, ([sourceId, counts]) => ({ sourceId, ...counts }));
    this.#turnedAway.clear();
    this.#room.commit({ op: "signals_refused", turnedAway }, this.#nowMs);
  }

  finish(): Intake {
    const scans = this.#groups.list.map((group) => this.#toInput(group));
    this.giveUp();
    const accepted = this.#room.accept(scans, this.#nowMs);
    return {
      accepted: accepted.accepted,
      duplicates: accepted.duplicates + this.#duplicates,
      late: accepted.late,
      quarantined: accepted.quarantined,
      rejected: this.#rejected,
      rejected_count: this.#rejectedCount,
      unknown_members: this.#tally.unknown,
      tick: accepted.tick,
    };
  }

  // ---- one observation

  #addObservation(index: number, given: unknown): void {
    const hasPayload = isObject(given) && given.modality === "remote_id" && given.odid !== undefined;
    const value = hasPayload ? this.#expanded(index, undefined, given, given) : given;
    if (value === COUNTED) return;
    const why = whyNotObservation(value, this.#tally) ?? this.#whyNotHere(value as Wire);
    const sourceId = sourceIdOf(value);
    if (why !== null) {
      this.#reject(sourceId, index, undefined, why);
      return;
    }
    const wire = value as Wire;
    const modality = wire.modality as Modality;
    const kind = kindOf(modality, wire);
    const channel = this.#channelOf(sourceId!, modality, wire, kind !== MEAS_KIND_POSITION, index, 1);
    if (channel === null) return;
    this.#valid++;
    if (!this.#isNew(channel.sensor, wire)) return;
    const pose = kind === MEAS_KIND_POSITION ? null : (givenPose(wire) ?? channel.sensor.pose);
    this.#groups.add(channel, parseTimeUs(wire.measured_at), kind, pose, wire);
  }

  /**
   * Expands a Remote ID payload, after the checks of any other observation. `common` is the observation itself, or the scan
   * of a detection. COUNTED: there is nothing to fuse.
   */
  #expanded(index: number, detection: number | undefined, given: Wire, common: Wire): Wire | typeof COUNTED {
    const sourceId = sourceIdOf(common);
    const why =
      whyNotPayload(given, detection !== undefined) ??
      (detection === undefined ? this.#whyNotHere(given) : null) ??
      this.#whyNotModality(sourceId!, "remote_id");
    if (why !== null) {
      this.#reject(sourceId, index, detection, why);
      return COUNTED;
    }
    const expanded = expandOdid(this.#room, given, sourceId!, this.#room.environment, this.#nowMs);
    if (expanded.is === "whole") return expanded.wire;
    if (expanded.is === "partial") this.#valid++;
    else this.#reject(sourceId, index, detection, { code: "invalid_input", error: expanded.reason });
    return COUNTED;
  }

  // ---- one scan

  #addScan(index: number, value: unknown): void {
    const sourceId = sourceIdOf(value);
    const detections: Wire[] = isObject(value) && Array.isArray(value.detections) ? value.detections : [];
    const weight = Math.max(1, detections.length);
    const why = whyNotScan(value, this.#tally) ?? this.#whyNotHere(value as Wire, weight);
    if (why !== null) {
      this.#reject(sourceId, index, undefined, why, weight);
      return;
    }
    const wire = value as Wire;
    const modality = wire.modality as Modality;
    const valid = this.#validDetections(wire, index, modality, detections);
    if (valid.length === 0 && detections.length > 0) return;
    const directed = LOOKING.has(modality) || valid.some((d) => kindOf(modality, d) !== MEAS_KIND_POSITION);
    const channel = this.#channelOf(sourceId!, modality, wire, directed, index, weight);
    if (channel === null) return;
    this.#valid++;
    const fresh = valid.every((d) => d.source_obs_id === undefined)
      ? valid
      : valid.filter((d) => this.#isNew(channel.sensor, d));
    // A scan of repeated detections alone is not an empty scan, which would mean that the sensor saw nothing.
    if (fresh.length === 0 && detections.length > 0) return;
    this.#groups.addScan({
      channel,
      measuredAtUs: parseTimeUs(wire.measured_at),
      pose: directed ? (givenPose(wire) ?? channel.sensor.pose) : null,
      scanId: typeof wire.scan_id === "string" ? wire.scan_id : null,
      complete: LOOKING.has(modality) && fresh.length === detections.length,
      observations: fresh,
    });
  }

  #validDetections(scan: Wire, index: number, modality: Modality, detections: Wire[]): Wire[] {
    const rules = DETECTION_RULES[modality];
    let valid: Wire[] | null = null;
    for (let i = 0; i < detections.length; i++) {
      const given = detections[i]!;
      const hasPayload = modality === "remote_id" && isObject(given) && given.odid !== undefined;
      const wire = hasPayload ? this.#expanded(index, i, given, scan) : given;
      if (wire !== given) valid ??= detections.slice(0, i);
      if (wire === COUNTED) continue;
      const why = isObject(wire) ? whyNotObserved(modality, wire, rules, this.#tally) : NO_DETECTION;
      if (why === null) {
        valid?.push(wire);
        continue;
      }
      valid ??= detections.slice(0, i);
      this.#reject(sourceIdOf(scan), index, i, why);
    }
    return valid ?? detections;
  }

  // ---- common to both

  /** The channel, new if need be. A sensor without a placement is added only when its observation carries a pose. */
  #channelOf(
    id: string,
    modality: Modality,
    value: Wire,
    directed: boolean,
    index: number,
    weight: number,
  ): Channel | null {
    const known = this.#room.sensors.get(id);
    const mismatch = this.#whyNotModality(id, modality);
    const placed = mismatch !== null || (known !== undefined && known.pose !== null);
    if (directed && !placed && givenPose(value) === null) {
      const why = known?.registered === true ? "has no placement, or its host is silent" : "is no registered sensor";
      const error = `source ${id} ${why}, so its ${modality} observations need sensor_pose`;
      this.#reject(id, index, undefined, { code: "unknown_source", error }, weight);
      return null;
    }
    const channel = mismatch === null ? this.#reported(id, modality) : undefined;
    if (channel !== undefined) return channel;
    const error = "this workspace already has its limit of sources";
    this.#reject(id, index, undefined, mismatch ?? { code: "unknown_source", error }, weight);
    return null;
  }

  /** The channel in the room, new if need be; undefined: the room has its limit of sources. */
  #reported(id: string, modality: Modality): Channel | undefined {
    const known = this.#room.sensors.find(id, modality);
    if (known !== undefined && known.sensor.protocol === this.#protocol) return known;
    this.#room.commit({ op: "source_reported", id, modality, protocol: this.#protocol }, this.#nowMs);
    return this.#room.sensors.find(id, modality);
  }

  /** Why a known sensor cannot report this modality. Adds no sensor. */
  #whyNotModality(id: string, modality: Modality): Reason | null {
    const error = this.#room.sensors.whyNotModality(id, modality);
    return error === null ? null : { code: "modality_mismatch", error };
  }

  #whyNotHere(value: Wire, weight = 1): Reason | null {
    const reserved = whyReserved(value.source_id);
    if (reserved !== null) return reserved;
    const environment = value.env ?? "live";
    if (environment === this.#room.environment) return null;
    this.#environmentMismatches += weight;
    return {
      code: "environment_mismatch",
      error: `the workspace is in ${this.#room.environment}, the observation is ${String(environment)}`,
    };
  }

  #isNew({ id: sensorId }: Channel["sensor"], wire: Wire): boolean {
    const id = wire.source_obs_id;
    if (typeof id !== "string" || id === "") return true;
    const name = `${sensorId}\u0000${id}`;
    if (!this.#seenHere.has(name) && !this.#room.hasSeen(sensorId, id)) {
      this.#seenHere.add(name);
      return true;
    }
    this.#duplicates++;
    this.#countOf(sensorId).duplicates++;
    return false;
  }

  #reject(sourceId: string | null, index: number, detection: number | undefined, why: Reason, weight = 1): void {
    this.#rejectedCount += weight;
    this.#countOf(sourceId).rejected += weight;
    if (this.#rejected.length >= SIGNALS_REJECTED_SHOWN_MAX) return;
    this.#rejected.push(detection === undefined ? { index, ...why } : { index, detection, ...why });
  }

  #countOf(sourceId: string | null): { rejected: number; duplicates: number } {
    let counts = this.#turnedAway.get(sourceId);
    if (counts === undefined) this.#turnedAway.set(sourceId, (counts = { rejected: 0, duplicates: 0 }));
    return counts;
  }

  #toInput(group: Group): ScanInput {
    const { channel, measuredAtUs, pose, scanId, complete, observations } = group;
    const frame = this.#frameOf(pose, observations);
    // The siting errors belong to the registered placement, not to a pose that the sensor reports itself.
    const { sensor } = channel;
    const siting = pose !== null && pose === sensor.pose ? sensor.siting : null;
    const facts = {
      sourceId: channel.id,
      scanId,
      modality: channel.modality,
      measuredAtUs,
      receivedAtUs: this.#receivedAtUs,
      pose: siting === null ? pose : poseOnGround(pose!, siting, frame!.origin.alt_hae_m),
      complete,
    };
    const scan = toMeasurements(facts, observations, channel.profile, frame!);
    if (siting !== null) widenBySiting(scan.measurements, scan.count, siting, channel.profile);
    return { scan, wire: observations };
  }

  /** The room's frame; its origin is the first pose or position. null for an empty scan without a pose, which needs none. */
  #frameOf(pose: SensorPose | null, observations: readonly Wire[]): EnuFrame | null {
    const first = observations[0];
    if (this.#room.frame === null && (pose ?? first) !== undefined) {
      const { lat, lon, alt_hae_m: altM } = (pose ?? first) as Wire;
      const origin = { lat: lat as number, lon: lon as number, alt_hae_m: typeof altM === "number" ? altM : 0 };
      this.#room.commit({ op: "origin_set", origin }, this.#nowMs);
    }
    return pose === null && first === undefined ? null : this.#room.frame;
  }
}

function givenPose(value: Wire): SensorPose | null {
  return isObject(value.sensor_pose) ? poseOf(value.sensor_pose) : null;
}
