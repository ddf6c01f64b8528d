/**
 * Capacity of the track table: above it the weakest rows end, tentative ones first. A heap of rows finds them, so a flood
 * of n new rows costs n log n and not n times the table. Knows tracks, not scans.
 */
import * as L from "./layout";
import { at, intAt, putInt, trackCount, tuneAt } from "./arena";
import { dropForCapacity, removeRow } from "./rows";

/** Rows in the heap. */
let size: i32 = 0;

/** Order of ending: by status, then by existence, then by place in the table. */
function isWeaker(a: i32, b: i32): bool {
  const statusA = at(L.TRACK_STATUS_CODE, a);
  const statusB = at(L.TRACK_STATUS_CODE, b);
  if (statusA != statusB) return statusA < statusB;
  const existenceA = at(L.TRACK_EXISTENCE, a);
  const existenceB = at(L.TRACK_EXISTENCE, b);
  return existenceA != existenceB ? existenceA < existenceB : a < b;
}

// @ts-ignore: decorator
@inline
function putAt(place: i32, row: i32): void {
  putInt(L.SWEEP_HEAP, place, row);
  putInt(L.SWEEP_PLACE, row, place);
}

function sink(place: i32, row: i32): void {
  for (let child = 2 * place + 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && isWeaker(intAt(L.SWEEP_HEAP, child + 1), intAt(L.SWEEP_HEAP, child))) child++;
    if (!isWeaker(intAt(L.SWEEP_HEAP, child), row)) break;
    putAt(place, intAt(L.SWEEP_HEAP, child));
    place = child;
  }
  putAt(place, row);
}

function rise(place: i32, row: i32): void {
  while (place > 0 && isWeaker(row, intAt(L.SWEEP_HEAP, (place - 1) >> 1))) {
    putAt(place, intAt(L.SWEEP_HEAP, (place - 1) >> 1));
    place = (place - 1) >> 1;
  }
  putAt(place, row);
}

/** Ends the weakest row. The table's last row takes its number; a smaller number can only move it towards the root. */
function endWeakest(): void {
  assert(size == trackCount(), "the heap holds every row");
  const weakest = intAt(L.SWEEP_HEAP, 0);
  size--;
  if (size > 0) sink(0, intAt(L.SWEEP_HEAP, size));
  const last = trackCount() - 1;
  removeRow(weakest, L.ENDED_CAPACITY_REASON, 0);
  dropForCapacity();
  if (weakest != last) rise(intAt(L.SWEEP_PLACE, last), weakest);
}

/** Ends rows until the table holds no more than TUNE_TRACKS_MAX. */
export function keepWithinCapacity(): void {
  const limit = <i32>tuneAt(L.TUNE_TRACKS_MAX);
  if (trackCount() <= limit) return;
  size = trackCount();
  for (let row = 0; row < size; row++) putAt(row, row);
  for (let place = (size >> 1) - 1; place >= 0; place--) sink(place, intAt(L.SWEEP_HEAP, place));
  while (trackCount() > limit) endWeakest();
}
