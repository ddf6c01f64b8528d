/**
 * One kernel: a WASM instance, its memory as columns made once, and the calls of assembly/index.ts. Knows bytes and
 * rows; order and late data are timeline.ts, names and ids are tracker.ts. Any trap is thrown through to the caller.
 */

import { createHash } from "node:crypto";
import { instantiateSync } from "@assemblyscript/loader";
import * as L from "../../../assembly/layout.ts";
import * as PHYSICS from "../../../assembly/physics.ts";
import { COOPERATIVE_MODALITIES } from "../../domain/modality.ts";
import type { Scan } from "../../domain/scan.ts";
import type { SensorProfile } from "../../domain/sensorProfile.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { assert } from "../../lib/assert.ts";
import type { Outcome, RawExplain } from "../explain.ts";
import type { EndedTrack, TrackerConfig, TrackTable } from "../types.ts";
import type { KernelBuild } from "./build.ts";
import { type KernelPose, writePose } from "./pose.ts";
import { explainedPair, explainedTrack, type MutableTable, makeTable } from "./table.ts";
import { gateLimits, hitsToShow, showThreshold } from "./tuning.ts";

/** Values of a sensor row that the kernel learns, and so are state: from SENSOR_MODEL_SIZE on. */
const LEARNT = L.SENSOR_STRIDE - L.SENSOR_MODEL_SIZE;

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
  scan(slot: number, timeUs: number, scanKey: number, kind: number, count: number, complete: number): void;
  sweep(timeUs: number): void;
  readTracks(atUs: number): number;
  endedTracks(): number;
  clearEnded(): void;
  setExplain(on: number): void;
  clearExplain(): void;
  explainedPairs(): number;
  explainedTracks(): number;
}

interface Column {
  readonly view: Float64Array;
  readonly width: number;
}

/** Track columns in the order of the memory: [offset, values a row]. */
const TRACK_COLUMNS: readonly (readonly [number, number])[] = [
  ...Array.from(
    { length: (L.TRACK_MODEL - L.TRACK_KEY) / (L.TRACK_CAPACITY * 8) },
    (_, k) => [L.TRACK_KEY + k * L.TRACK_CAPACITY * 8, 1] as const,
  ),
  [L.TRACK_MODEL, L.MODEL_COUNT],
  [L.TRACK_MEAN, L.MODEL_COUNT * L.STATE_SIZE],
  [L.TRACK_COV, L.MODEL_COUNT * L.COV_SIZE],
  [L.TRACK_STATIC_MEAN, 3],
  [L.TRACK_STATIC_COV, 6],
  [L.TRACK_CONTRIBUTOR_SLOT, L.CONTRIBUTORS_MAX],
  [L.TRACK_CONTRIBUTOR_LAST_US, L.CONTRIBUTORS_MAX],
  [L.TRACK_CONTRIBUTOR_HITS, L.CONTRIBUTORS_MAX],
];

const ENDED_REASONS: Readonly<Record<number, EndedTrack["reason"]>> = {
  [L.ENDED_STALE]: "stale",
  [L.ENDED_MERGED]: "merged",
  [L.ENDED_CAPACITY_REASON]: "capacity",
};
const OUTCOMES: Readonly<Record<number, Outcome>> = {
  [L.OUTCOME_CLUTTER]: "clutter",
  [L.OUTCOME_UPDATED]: "updated",
  [L.OUTCOME_INITIATED]: "initiated",
};
const BEARING_MODALITIES: ReadonlySet<string> = new Set(["rf", "eo", "ir", "acoustic"]);
const EMISSION_MODALITIES: ReadonlySet<string> = new Set(["rf", "acoustic"]);
const POSITION_MODALITIES: ReadonlySet<string> = new Set(["rf_fix", "remote_id", "adsb", "blue_force", "human"]);

export class Kernel {
  explainOn = false;
  readonly buildHash: string;
  readonly #exports: KernelExports;
  readonly #memory: ArrayBuffer;
  readonly #f64: Float64Array;
  readonly #i32: Int32Array;
  readonly #columns: readonly Column[];
  readonly #table: MutableTable;
  readonly #touched: Uint8Array;
  #slotsUsed = 0;
  #explained: { readonly count: number } | null = null;

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
    this.#i32 = new Int32Array(this.#memory);
    this.#columns = TRACK_COLUMNS.map(([offset, width]) => ({
      view: new Float64Array(this.#memory, offset, L.TRACK_CAPACITY * width),
      width,
    }));
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
    // Tentative rows need room beside what may be shown.
    tuning[L.TUNE_TRACKS_MAX] = Math.min(L.TRACK_CAPACITY, Math.ceil(tracksMax * 1.2) + 64);
    tuning[L.TUNE_HITS_MIN] = hitsToShow(config);
    tuning.set(gateLimits(config.gateProb), L.TUNE_GATE_LIMIT);
  }

  #sensor(slot: number): Float64Array {
    const start = L.SENSOR / 8 + slot * L.SENSOR_STRIDE;
    return this.#f64.subarray(start, start + L.SENSOR_STRIDE);
  }

  /** What the slot's sensor is. A slot that is given to another sensor forgets what was learnt of the one before. */
  setSensor(slot: number, profile: SensorProfile): void {
    assert(slot >= 0 && slot < L.SENSOR_CAPACITY, "a sensor slot is inside the table");
    const s = this.#sensor(slot);
    s.fill(0);
    s[L.SENSOR_RANGE_MIN_M] = profile.min_range_m;
    s[L.SENSOR_RANGE_MAX_M] = profile.max_range_m;
    s[L.SENSOR_FOV_RAD] = profile.fov_deg * RAD_PER_DEG;
    s[L.SENSOR_EL_MIN_RAD] = profile.el_min_deg * RAD_PER_DEG;
    s[L.SENSOR_EL_MAX_RAD] = profile.el_max_deg * RAD_PER_DEG;
    s[L.SENSOR_PD_P0] = Math.min(profile.pd.p0, 0.995);
    s[L.SENSOR_PD_R50_M] = profile.pd.r50_m;
    s[L.SENSOR_PD_SLOPE] = profile.pd.slope;
    s[L.SENSOR_PD_FLOOR] = profile.pd.floor;
    s[L.SENSOR_FALSE_ALARMS] = profile.false_alarm_per_scan;
    s[L.SENSOR_BEARING_ONLY] = BEARING_MODALITIES.has(profile.modality)
      ? 1
      : POSITION_MODALITIES.has(profile.modality)
        ? 2
        : 0;
    s[L.SENSOR_COOPERATIVE] = COOPERATIVE_MODALITIES.has(profile.modality) ? 1 : 0;
    s[L.SENSOR_HEARS_EMISSIONS] = EMISSION_MODALITIES.has(profile.modality) ? 1 : 0;
    this.#slotsUsed = Math.max(this.#slotsUsed, slot + 1);
  }

  #kindOf(slot: number, scan: Scan): number {
    if (scan.count > 0) return scan.measurements[L.MEAS_KIND]!;
    const kind = this.#sensor(slot)[L.SENSOR_BEARING_ONLY];
    return kind === 1 ? L.MEAS_KIND_BEARING : kind === 2 ? L.MEAS_KIND_POSITION : L.MEAS_KIND_SPHERICAL;
  }

  /** Fuses one scan at its place in time. `scanKey`: 53-bit hash of source and time, the root of new tracks' keys. */
  scan(slot: number, timeUs: number, scanKey: number, pose: KernelPose | null, scan: Scan): void {
    assert(scan.count <= L.SCAN_MEASUREMENTS_MAX, "a scan fits the kernel");
    this.#f64.set(scan.measurements.subarray(0, scan.count * L.MEAS_STRIDE), L.MEAS / 8);
    if (pose !== null) writePose(this.#f64.subarray(L.POSE / 8, L.POSE / 8 + L.POSE_SIZE), pose);
    this.#exports.setExplain(this.explainOn ? 1 : 0);
    this.#exports.clearExplain();
    this.#exports.scan(slot, timeUs, scanKey, this.#kindOf(slot, scan), scan.count, scan.complete ? 1 : 0);
    this.#explained = this.explainOn ? { count: scan.count } : null;
  }

  sweep(timeUs: number): void {
    this.#exports.sweep(timeUs);
  }

  get #count(): number {
    return this.#f64[L.HEAD / 8 + L.HEAD_TRACK_COUNT]!;
  }

  /** The table predicted to a time; the state stays. Touched flags are since the last read. */
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

  /** Everything that affects the future: head, what was learnt of sensors, tracks, bearings, anchors. */
  save(): Uint8Array {
    const count = this.#count;
    const head = this.#f64.subarray(L.HEAD / 8, L.HEAD / 8 + L.HEAD_SIZE);
    const bearings = head[L.HEAD_BEARING_COUNT]! * L.BEARING_STRIDE;
    const anchors = head[L.HEAD_ANCHOR_COUNT]! * L.ANCHOR_STRIDE;
    const rowSize = this.#columns.reduce((sum, { width }) => sum + width, 0);
    const saved = new Float64Array(1 + L.HEAD_SIZE + this.#slotsUsed * LEARNT + count * rowSize + bearings + anchors);
    saved[0] = this.#slotsUsed;
    saved.set(head, 1);
    let at = 1 + L.HEAD_SIZE;
    const put = (values: Float64Array) => {
      saved.set(values, at);
      at += values.length;
    };
    for (let slot = 0; slot < this.#slotsUsed; slot++) put(this.#sensor(slot).subarray(L.SENSOR_MODEL_SIZE));
    for (const { view, width } of this.#columns) put(view.subarray(0, count * width));
    put(this.#f64.subarray(L.BEARING / 8, L.BEARING / 8 + bearings));
    put(this.#f64.subarray(L.ANCHOR / 8, L.ANCHOR / 8 + anchors));
    assert(at === saved.length, "the packed state is full");
    return new Uint8Array(saved.buffer);
  }

  restore(packed: Uint8Array): void {
    const saved = new Float64Array(packed.buffer, packed.byteOffset, packed.byteLength / 8);
    const head = this.#f64.subarray(L.HEAD / 8, L.HEAD / 8 + L.HEAD_SIZE);
    this.#touched.fill(0, 0, this.#count);
    head.set(saved.subarray(1, 1 + L.HEAD_SIZE));
    const count = this.#count;
    let at = 1 + L.HEAD_SIZE;
    const take = (into: Float64Array) => {
      into.set(saved.subarray(at, at + into.length));
      at += into.length;
    };
    const slots = saved[0]!;
    for (let slot = 0; slot < slots; slot++) take(this.#sensor(slot).subarray(L.SENSOR_MODEL_SIZE));
    // Sensors that were first set after the state was kept had learnt nothing then.
    for (let slot = slots; slot < this.#slotsUsed; slot++) this.#sensor(slot).fill(0, L.SENSOR_MODEL_SIZE);
    for (const { view, width } of this.#columns) take(view.subarray(0, count * width));
    take(this.#f64.subarray(L.BEARING / 8, L.BEARING / 8 + head[L.HEAD_BEARING_COUNT]! * L.BEARING_STRIDE));
    take(this.#f64.subarray(L.ANCHOR / 8, L.ANCHOR / 8 + head[L.HEAD_ANCHOR_COUNT]! * L.ANCHOR_STRIDE));
    this.#exports.clearEnded();
  }

  /** 16 hex digits over exactly what `save` packs. */
  hash(): string {
    return createHash("sha256").update(this.save()).digest("hex").slice(0, 16);
  }

  health(): KernelHealth {
    const counts = [0, 0, 0];
    const count = this.#count;
    for (let row = 0; row < count; row++) counts[this.#f64[L.TRACK_STATUS_CODE / 8 + row]!]!++;
    const sensors: SlotHealth[] = [];
    for (let slot = 0; slot < this.#slotsUsed; slot++) sensors.push(this.#slotHealth(slot));
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
      azBiasDeg: learnt ? s[L.SENSOR_BIAS]! / RAD_PER_DEG : null,
      rangeBiasM: learnt ? s[L.SENSOR_BIAS + 1]! : null,
      clockOffsetMs: learnt ? s[L.SENSOR_BIAS + 2]! * 1000 : null,
      corrected: s[L.SENSOR_BIAS_CORRECTED] === 1,
    };
  }

  /** The record of the last scan, or null when explaining was off. */
  takeExplain(): RawExplain | null {
    const explained = this.#explained;
    if (explained === null) return null;
    this.#explained = null;
    const f64 = this.#f64;
    const pairs = Array.from({ length: this.#exports.explainedPairs() }, (_, i) =>
      explainedPair(f64, L.EXPLAIN_PAIR / 8 + i * L.EXPLAIN_PAIR_STRIDE),
    );
    const measurements = Array.from({ length: explained.count }, (_, m) => ({
      outcome: OUTCOMES[this.#i32[L.MEAS_OUTCOME / 4 + m]!]!,
      trackKey: f64[L.MEAS_TRACK_KEY / 8 + m]!,
    }));
    const tracks = Array.from({ length: this.#exports.explainedTracks() }, (_, i) =>
      explainedTrack(f64, L.EXPLAIN_TRACK / 8 + i * L.EXPLAIN_TRACK_STRIDE),
    );
    return { measurements, pairs, tracks };
  }
}
