/**
 * The table's bound: over it the weakest tentative row goes, then the next. A heap of rows finds them, so that a flood of
 * new rows is dropped in one sweep without going through the table once for each. Knows tracks, not scans.
 */
import * as L from "./layout";
import { at, intAt, putInt, trackCount, tuneAt } from "./arena";
import { dropForCapacity, removeRow } from "./rows";

/** Rows in the heap. */
let size: i32 = 0;

/** By status, then existence; of equals the one that comes first in the table. */
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
function settle(place: i32, row: i32): void {
  putInt(L.SWEEP_HEAP, place, row);
  putInt(L.SWEEP_PLACE, row, place);
}

function sink(place: i32, row: i32): void {
  for (let child = 2 * place + 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && isWeaker(intAt(L.SWEEP_HEAP, child + 1), intAt(L.SWEEP_HEAP, child))) child++;
    if (!isWeaker(intAt(L.SWEEP_HEAP, child), row)) break;
    settle(place, intAt(L.SWEEP_HEAP, child));
    place = child;
  }
  settle(place, row);
}

function rise(place: i32, row: i32): void {
  while (place > 0 && isWeaker(row, intAt(L.SWEEP_HEAP, (place - 1) >> 1))) {
    settle(place, intAt(L.SWEEP_HEAP, (place - 1) >> 1));
    place = (place - 1) >> 1;
  }
  settle(place, row);
}

/** Ends the weakest row; the last of the table takes its row number, and so may only have become weaker. */
function dropWeakest(): void {
  assert(size == trackCount(), "the heap holds every row");
  const weakest = intAt(L.SWEEP_HEAP, 0);
  size--;
  if (size > 0) sink(0, intAt(L.SWEEP_HEAP, size));
  const last = trackCount() - 1;
  removeRow(weakest, L.ENDED_CAPACITY_REASON, 0);
  dropForCapacity();
  if (weakest != last) rise(intAt(L.SWEEP_PLACE, last), weakest);
}

export function keepBound(): void {
  const limit = <i32>tuneAt(L.TUNE_TRACKS_MAX);
  if (trackCount() <= limit) return;
  size = trackCount();
  for (let row = 0; row < size; row++) settle(row, row);
  for (let place = (size >> 1) - 1; place >= 0; place--) sink(place, intAt(L.SWEEP_HEAP, place));
  while (trackCount() > limit) dropWeakest();
}
