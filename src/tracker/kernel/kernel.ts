/**
 * One kernel: a WASM instance, views of its memory, and the calls of assembly/index.ts. Knows bytes and rows; order and
 * late data are in timeline.ts, names and ids in tracker.ts. A trap is thrown through to the caller.
 */
import { instantiateSync } from "@assemblyscript/loader";
import * as L from "../../../assembly/layout.ts";
import * as PHYSICS from "../../../assembly/physics.ts";
import type { Scan } from "../../domain/scan.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { assert } from "../../lib/assert.ts";
import type { TrackerConfig } from "../config.ts";
import type { RawExplain } from "../explain.ts";
import type { EndedTrack, TrackTable } from "../types.ts";
import type { KernelBuild } from "./build.ts";
import { ExplainRecord } from "./explainRecord.ts";
import { type KernelPose, writePose } from "./pose.ts";
import { sensorModelOf } from "./sensorModel.ts";
import { KernelState } from "./state.ts";
import { type MutableTable, makeTable } from "./table.ts";
import { gateLimits, hitsToShow, showThreshold } from "./tuning.ts";

const NO_SALT = new Float64Array(0);

interface SlotHealth {
  readonly slot: number;
  readonly nisMean: number | null;
  readonly azBiasDeg: number | null;
  readonly rangeBiasM: number | null;
  readonly clockOffsetMs: number | null;
  readonly corrected: boolean;
}

interface KernelHealth {
  readonly tentative: number;
  readonly confirmed: number;
  readonly coasting: number;
  readonly droppedForCapacity: number;
  readonly searchesCut: number;
  readonly sensors: readonly SlotHealth[];
}

/** assembly/index.ts, as the host calls it. */
interface KernelExports extends Record<string, unknown> {
  readonly memory: WebAssembly.Memory;
  start(): number;
  scan(slot: number, timeUs: number, scanKey: number, count: number, complete: number): void;
  sweep(timeUs: number): void;
  mergeTracks(keptKey: number, otherKey: number, timeUs: number): number;
  splitTrack(key: number, newKey: number, timeUs: number): number;
  readTracks(atUs: number): number;
  endedTracks(): number;
  clearEnded(): void;
  setExplain(on: number): void;
  clearExplain(): void;
  explainedPairs(): number;
  explainedTracks(): number;
}

const ENDED_REASONS: Readonly<Record<number, EndedTrack["reason"]>> = {
  [L.ENDED_STALE]: "stale",
  [L.ENDED_MERGED]: "merged",
  [L.ENDED_CAPACITY_REASON]: "capacity",
};

export class Kernel {
  explainOn = false;
  readonly buildHash: string;
  readonly #exports: KernelExports;
  readonly #memory: ArrayBuffer;
  readonly #f64: Float64Array;
  readonly #state: KernelState;
  readonly #table: MutableTable;
  readonly #touched: Uint8Array;
  /** Measurements of the last scan, when it was explained. */
  #explainedCount: number | null = null;

  constructor(build: KernelBuild, config: TrackerConfig, tracksMax: number) {
    // The loader turns a failed assertion of the kernel into an error with its file and line.
    const { exports } = instantiateSync<KernelExports>(build.module);
    this.#exports = exports;
    this.#memory = exports.memory.buffer;
    assert(this.#exports.start() === L.ARENA_END, "the kernel is of the layout that it is stamped with");
    assert(
      this.#memory.byteLength === L.MEMORY_PAGES * 65_536,
      "the kernel's memory has the size that layout.ts names",
    );
    this.buildHash = build.hash;
    this.#f64 = new Float64Array(this.#memory);
    this.#state = new KernelState(this.#memory);
    this.#touched = new Uint8Array(this.#memory, L.TRACK_TOUCHED, L.TRACK_CAPACITY);
    this.#table = makeTable(L.TRACK_CAPACITY);
    this.#tune(config, tracksMax);
  }

  #tune(config: TrackerConfig, tracksMax: number): void {
    const tuning = this.#f64.subarray(L.TUNING / 8, L.TUNING / 8 + L.TUNING_SIZE);
    tuning[L.TUNE_SHOW] = showThreshold(config);
    tuning[L.TUNE_COAST_PERIODS] = config.coastPeriods;
    tuning[L.TUNE_END_AFTER_S] = config.endAfterS;
    tuning[L.TUNE_END_AFTER_COOPERATIVE_S] = config.endAfterCooperativeS;
    // More rows than may be shown, so that tentative tracks find a place beside them.
    tuning[L.TUNE_TRACKS_MAX] = Math.min(L.TRACK_CAPACITY, Math.ceil(tracksMax * 1.2) + 64);
    tuning[L.TUNE_HITS_MIN] = hitsToShow(config);
    tuning.set(gateLimits(config.gateProb), L.TUNE_GATE_LIMIT);
  }

  #sensor(slot: number): Float64Array {
    const start = L.SENSOR / 8 + slot * L.SENSOR_STRIDE;
    return this.#f64.subarray(start, start + L.SENSOR_STRIDE);
  }

  /**
   * Puts a sensor in the slot; what was learnt of the one there before is forgotten. `key` names the sensor together with
   * its profile (`sensorKeyOf`) and is part of the state, so that it is known after a restore.
   */
  setSensor(slot: number, profile: SensorProfile, key = slot + 1): void {
    assert(slot >= 0 && slot < L.SENSOR_CAPACITY, "a sensor slot is inside the table");
    const row = this.#sensor(slot);
    row.fill(0);
    row.set(sensorModelOf(profile));
    row[L.SENSOR_KEY] = key;
    const head = L.HEAD / 8 + L.HEAD_SENSOR_COUNT;
    this.#f64[head] = Math.max(this.#f64[head]!, slot + 1);
  }

  /** Key of the sensor in the slot, 0 for none. */
  sensorKeyAt(slot: number): number {
    return this.#sensor(slot)[L.SENSOR_KEY]!;
  }

  /** Fuses one scan. `scanKey`: 53-bit hash of source, time and identity, from which the keys of new tracks follow. */
  scan(slot: number, timeUs: number, scanKey: number, pose: KernelPose | null, scan: Scan): void {
    this.#f64.set(scan.measurements.subarray(0, scan.count * L.MEAS_STRIDE), L.MEAS / 8);
    if (pose !== null) writePose(this.#f64.subarray(L.POSE / 8, L.POSE / 8 + L.POSE_SIZE), pose);
    this.#exports.setExplain(this.explainOn ? 1 : 0);
    this.#exports.clearExplain();
    this.#exports.scan(slot, timeUs, scanKey, scan.count, scan.complete ? 1 : 0);
    this.#explainedCount = this.explainOn ? scan.count : null;
  }

  sweep(timeUs: number): void {
    this.#exports.sweep(timeUs);
  }

  /** Ends the other track in the kept one. Does nothing when either is not there. */
  mergeTracks(keptKey: number, otherKey: number, timeUs: number): void {
    this.#exports.mergeTracks(keptKey, otherKey, timeUs);
  }

  /** Makes a second track beside the one with `key`. Does nothing when that one is not there or the table is full. */
  splitTrack(key: number, newKey: number, timeUs: number): void {
    this.#exports.splitTrack(key, newKey, timeUs);
  }

  get isFull(): boolean {
    return this.#state.trackCount >= L.TRACK_CAPACITY;
  }

  /** Time of the first measurement of the track, null when there is none with this key. */
  firstSeenUs(key: number): number | null {
    const keys = L.TRACK_KEY / 8;
    const row = this.#f64.subarray(keys, keys + this.#state.trackCount).indexOf(key);
    return row < 0 ? null : this.#f64[L.TRACK_FIRST_US / 8 + row]!;
  }

  /** The table predicted to a time; the state does not change. `touched` is since the last read. */
  read(atUs: number): TrackTable {
    const count = this.#exports.readTracks(atUs);
    const table = this.#table;
    table.count = count;
    table.atUs = atUs;
    for (let row = 0; row < count; row++) this.#readRow(table, row);
    this.#touched.fill(0, 0, count);
    return table;
  }

  #readRow(table: MutableTable, row: number): void {
    const f64 = this.#f64;
    const out = L.OUT / 8 + row * L.OUT_STRIDE;
    const column = (offset: number) => f64[offset / 8 + row]!;
    table.key[row] = column(L.TRACK_KEY);
    table.status[row] = column(L.TRACK_STATUS_CODE);
    table.touched[row] = this.#touched[row]!;
    table.existence[row] = f64[out + L.OUT_EXISTENCE]!;
    table.eastM[row] = f64[out]!;
    table.northM[row] = f64[out + 1]!;
    table.upM[row] = f64[out + 2]!;
    table.velEastMps[row] = f64[out + 3]!;
    table.velNorthMps[row] = f64[out + 4]!;
    table.velUpMps[row] = f64[out + 5]!;
    for (let k = 0; k < 6; k++) {
      table.covPosM2[row * 6 + k] = f64[out + L.OUT_COV_POS + k]!;
      table.covVelM2ps2[row * 6 + k] = f64[out + L.OUT_COV_VEL + k]!;
    }
    table.firstAtUs[row] = column(L.TRACK_FIRST_US);
    table.lastAtUs[row] = column(L.TRACK_LAST_US);
    table.hits[row] = column(L.TRACK_HITS);
    table.misses[row] = column(L.TRACK_MISSES);
    table.bearingOnly[row] = column(L.TRACK_RAY);
    table.rayAzRad[row] = f64[out + L.OUT_RAY_AZ]!;
    table.rayElRad[row] = f64[out + L.OUT_RAY_EL]!;
    table.raySigmaRad[row] = f64[out + L.OUT_RAY_SIGMA]!;
    table.raySensor[row] = column(L.TRACK_SLOT);
    table.claim[row] = column(L.TRACK_CLAIM_SCORE) >= PHYSICS.CLAIM_SCORE_SHOWN ? column(L.TRACK_CLAIM) : 0;
    table.manoeuvre[row] = f64[out + L.OUT_MANOEUVRE]!;
    table.rcsDbsm[row] = column(L.TRACK_RCS_DBSM);
    const contributors = row * L.CONTRIBUTORS_MAX;
    for (let k = contributors; k < contributors + L.CONTRIBUTORS_MAX; k++) {
      table.contributorSensor[k] = f64[L.TRACK_CONTRIBUTOR_SLOT / 8 + k]!;
      table.contributorLastAtUs[k] = f64[L.TRACK_CONTRIBUTOR_LAST_US / 8 + k]!;
      table.contributorHits[k] = f64[L.TRACK_CONTRIBUTOR_HITS / 8 + k]!;
    }
  }

  takeEnded(): EndedTrack[] {
    const count = this.#exports.endedTracks();
    const ended: EndedTrack[] = [];
    for (let i = 0; i < count; i++) {
      const at = L.ENDED / 8 + i * L.ENDED_STRIDE;
      ended.push({
        key: this.#f64[at + L.ENDED_KEY]!,
        reason: ENDED_REASONS[this.#f64[at + L.ENDED_REASON]!]!,
        mergedInto: this.#f64[at + L.ENDED_SURVIVOR_KEY]!,
      });
    }
    this.#exports.clearEnded();
    return ended;
  }

  /** Everything that affects the future, packed; see state.ts. */
  save(): Uint8Array {
    return this.#state.pack();
  }

  restore(packed: Uint8Array): void {
    this.#touched.fill(0, 0, this.#state.trackCount);
    this.#state.unpack(packed);
    this.#exports.clearEnded();
  }

  /** 16 hex digits over `salt` and what `save` packs, whichever slots the sensors have. */
  hash(salt: Float64Array = NO_SALT): string {
    return this.#state.hash(salt);
  }

  health(): KernelHealth {
    const counts = [0, 0, 0];
    const count = this.#state.trackCount;
    for (let row = 0; row < count; row++) counts[this.#f64[L.TRACK_STATUS_CODE / 8 + row]!]!++;
    const sensors: SlotHealth[] = [];
    for (let slot = 0; slot < this.#state.sensorCount; slot++) sensors.push(this.#slotHealth(slot));
    return {
      tentative: counts[0]!,
      confirmed: counts[1]!,
      coasting: counts[2]!,
      droppedForCapacity: this.#f64[L.HEAD / 8 + L.HEAD_DROPPED_FOR_CAPACITY]!,
      searchesCut: this.#f64[L.HEAD / 8 + L.HEAD_SEARCHES_CUT]!,
      sensors,
    };
  }

  #slotHealth(slot: number): SlotHealth {
    const s = this.#sensor(slot);
    const learnt = s[L.SENSOR_BIAS_COUNT]! >= PHYSICS.BIAS_SAMPLES_MIN;
    return {
      slot,
      nisMean: s[L.SENSOR_NIS_COUNT]! >= 20 ? s[L.SENSOR_NIS_MEAN]! : null,
      azBiasDeg: learnt ? s[L.SENSOR_BIAS + L.BIAS_AZ]! / RAD_PER_DEG : null,
      rangeBiasM: learnt ? s[L.SENSOR_BIAS + L.BIAS_RANGE]! : null,
      clockOffsetMs: learnt ? s[L.SENSOR_BIAS + L.BIAS_CLOCK]! * 1000 : null,
      corrected: s[L.SENSOR_BIAS_CORRECTED] === 1,
    };
  }

  /** The record of the last scan, within the bounds of an explained scan; null when explaining was off. */
  takeExplain(): RawExplain | null {
    const record = this.#takeRecord();
    return record === null ? null : record.ofScan();
  }

  /** What of that record concerns one track; null when nothing does, or when explaining was off. */
  takeExplainOf(trackKey: number): RawExplain | null {
    const record = this.#takeRecord();
    return record === null ? null : record.ofTrack(trackKey);
  }

  #takeRecord(): ExplainRecord | null {
    if (this.#explainedCount === null) return null;
    const measurements = this.#explainedCount;
    this.#explainedCount = null;
    const pairs = this.#exports.explainedPairs();
    return new ExplainRecord(this.#memory, { measurements, pairs, tracks: this.#exports.explainedTracks() });
  }
}
