/**
 * The kernel's state as bytes: everything in its memory that affects the future, packed behind one another, and the way
 * back. In this order: head, the rows of the sensors, the columns of the track table, unexplained bearings, anchors.
 */
import { createHash } from "node:crypto";
import * as L from "../../../assembly/layout.ts";
import { assert } from "../../lib/assert.ts";

/** Track columns in the order of the memory: [byte offset, values a row]. */
const TRACK_COLUMNS: readonly (readonly [number, number])[] = [
  ...Array.from(
    { length: (L.TRACK_MODEL - L.TRACK_KEY) / (L.TRACK_CAPACITY * 8) },
    (_, k) => [L.TRACK_KEY + k * L.TRACK_CAPACITY * 8, 1] as const,
  ),
  [L.TRACK_MODEL, L.MODEL_COUNT],
  [L.TRACK_MEAN, L.MODEL_COUNT * L.STATE_SIZE],
  [L.TRACK_COV, L.MODEL_COUNT * L.COV_SIZE],
  [L.TRACK_REFLECTOR_MEAN, 3],
  [L.TRACK_REFLECTOR_COV, 6],
  [L.TRACK_CONTRIBUTOR_SLOT, L.CONTRIBUTORS_MAX],
  [L.TRACK_CONTRIBUTOR_LAST_US, L.CONTRIBUTORS_MAX],
  [L.TRACK_CONTRIBUTOR_HITS, L.CONTRIBUTORS_MAX],
];
/** Field of the head that counts the rows of a part, most rows, values a row. */
const COUNTED: readonly (readonly [number, number, number])[] = [
  [L.HEAD_SENSOR_COUNT, L.SENSOR_CAPACITY, L.SENSOR_STRIDE],
  [L.HEAD_TRACK_COUNT, L.TRACK_CAPACITY, TRACK_COLUMNS.reduce((sum, [, width]) => sum + width, 0)],
  [L.HEAD_BEARING_COUNT, L.BEARING_CAPACITY, L.BEARING_STRIDE],
  [L.HEAD_ANCHOR_COUNT, L.ANCHOR_CAPACITY, L.ANCHOR_STRIDE],
];

interface Column {
  readonly offset: number;
  readonly width: number;
  readonly view: Float64Array;
}

export class KernelState {
  readonly #f64: Float64Array;
  readonly #head: Float64Array;
  readonly #columns: readonly Column[];

  constructor(memory: ArrayBuffer) {
    this.#f64 = new Float64Array(memory);
    this.#head = this.#f64.subarray(L.HEAD / 8, L.HEAD / 8 + L.HEAD_SIZE);
    this.#columns = TRACK_COLUMNS.map(([offset, width]) => ({
      offset,
      width,
      view: new Float64Array(memory, offset, L.TRACK_CAPACITY * width),
    }));
  }

  get trackCount(): number {
    return this.#head[L.HEAD_TRACK_COUNT]!;
  }

  get sensorCount(): number {
    return this.#head[L.HEAD_SENSOR_COUNT]!;
  }

  #sensors(from: number, to: number): Float64Array {
    return this.#f64.subarray(L.SENSOR / 8 + from * L.SENSOR_STRIDE, L.SENSOR / 8 + to * L.SENSOR_STRIDE);
  }

  #bearings(): Float64Array {
    const count = this.#head[L.HEAD_BEARING_COUNT]!;
    return this.#f64.subarray(L.BEARING / 8, L.BEARING / 8 + count * L.BEARING_STRIDE);
  }

  #anchors(): Float64Array {
    const count = this.#head[L.HEAD_ANCHOR_COUNT]!;
    return this.#f64.subarray(L.ANCHOR / 8, L.ANCHOR / 8 + count * L.ANCHOR_STRIDE);
  }

  /** The parts that are packed, by the counts that the head has now. */
  #parts(): Float64Array[] {
    const count = this.trackCount;
    return [
      this.#sensors(0, this.sensorCount),
      ...this.#columns.map(({ view, width }) => view.subarray(0, count * width)),
      this.#bearings(),
      this.#anchors(),
    ];
  }

  #pack(): Float64Array {
    const parts = [this.#head, ...this.#parts()];
    const packed = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      packed.set(part, at);
      at += part.length;
    }
    return packed;
  }

  pack(): Uint8Array {
    return new Uint8Array(this.#pack().buffer);
  }

  /** Takes a packed state of this memory map, at any offset of its buffer; see `isWhole`. */
  unpack(bytes: Uint8Array): void {
    assert(isWhole(bytes), "a packed state has the length that its head says");
    const packed = valuesOf(bytes);
    const sensorsBefore = this.sensorCount;
    this.#head.set(packed.subarray(0, L.HEAD_SIZE));
    let at = L.HEAD_SIZE;
    for (const part of this.#parts()) {
      part.set(packed.subarray(at, at + part.length));
      at += part.length;
    }
    // Sensors that first reported after this state are unknown to it.
    if (sensorsBefore > this.sensorCount) this.#sensors(this.sensorCount, sensorsBefore).fill(0);
  }

  /**
   * 16 hex digits over the state and `salt`. Sensors are numbered by their keys for it, not by their slots: which slot a
   * source got follows from who reported first, and changes nothing that the kernel computes.
   */
  hash(salt: Float64Array): string {
    const packed = this.#pack();
    return createHash("sha256").update(salt).update(this.#withSensorsInOrder(packed)).digest("hex").slice(0, 16);
  }

  #withSensorsInOrder(packed: Float64Array): Float64Array {
    const count = this.sensorCount;
    const keyOf = (slot: number) => this.#sensors(slot, slot + 1)[L.SENSOR_KEY]!;
    const slots = Array.from({ length: count }, (_, slot) => slot).filter((slot) => keyOf(slot) !== 0);
    slots.sort((a, b) => keyOf(a) - keyOf(b));
    if (slots.length === count && slots.every((slot, i) => slot === i)) return packed;
    const ordered = new Float64Array(packed.length - (count - slots.length) * L.SENSOR_STRIDE);
    ordered.set(packed.subarray(0, L.HEAD_SIZE));
    ordered[L.HEAD_SENSOR_COUNT] = slots.length;
    slots.forEach((slot, i) => {
      ordered.set(this.#sensors(slot, slot + 1), L.HEAD_SIZE + i * L.SENSOR_STRIDE);
    });
    const tracksAt = L.HEAD_SIZE + slots.length * L.SENSOR_STRIDE;
    ordered.set(packed.subarray(L.HEAD_SIZE + count * L.SENSOR_STRIDE), tracksAt);
    this.#renumber(ordered, tracksAt, slots);
    return ordered;
  }

  /** Replaces each slot in the tracks' columns and in the bearings by its place in `slots`. */
  #renumber(packed: Float64Array, tracksAt: number, slots: readonly number[]): void {
    const placeOf = new Map(slots.map((slot, i) => [slot, i]));
    const renumber = (at: number) => {
      packed[at] = placeOf.get(packed[at]!) ?? packed[at]!;
    };
    let at = tracksAt;
    for (const { offset, width } of this.#columns) {
      const end = at + this.trackCount * width;
      if (offset === L.TRACK_SLOT || offset === L.TRACK_CONTRIBUTOR_SLOT) for (let i = at; i < end; i++) renumber(i);
      at = end;
    }
    for (let b = 0; b < this.#head[L.HEAD_BEARING_COUNT]!; b++) renumber(at + b * L.BEARING_STRIDE + L.BEARING_SLOT);
  }
}

/** Whether bytes can be a packed state: no count is over its capacity, and the length is what the counts make it. */
export function isWhole(bytes: Uint8Array): boolean {
  if (bytes.byteLength % 8 !== 0 || bytes.byteLength < L.HEAD_SIZE * 8) return false;
  const head = valuesOf(bytes.subarray(0, L.HEAD_SIZE * 8));
  let length = L.HEAD_SIZE;
  for (const [field, capacity, width] of COUNTED) {
    const count = head[field]!;
    if (!Number.isInteger(count) || count < 0 || count > capacity) return false;
    length += count * width;
  }
  return bytes.byteLength === length * 8;
}

/** Values of f64 need an offset that is a multiple of eight; bytes out of a message have any. */
function valuesOf(bytes: Uint8Array): Float64Array {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  return new Float64Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 8);
}
