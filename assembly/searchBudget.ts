/**
 * What one search for near partners may cost, so that no geometry makes a scan or a sweep dear: a pool of looks for all
 * seekers (tracks, or bearings), taken by whoever comes first, beyond a share that is kept for each who comes later. Most
 * searches never feel it. Knows no tracks; counts who was cut short.
 */
import * as L from "./layout";
import { headAt, putHead } from "./arena";

/** Looks for a scan or a sweep: at least so many; and so many for each track and each measurement. */
const BUDGET_MIN: i32 = 1_048_576;
export const GATE_LOOKS_EACH: i32 = 512;
export const CROSSING_LOOKS_EACH: i32 = 1024;
export const MERGE_LOOKS_EACH: i32 = 128;
/** What costs as much as so many looks: the gate of a pair, of a repeated claim, whether two rows are one aircraft. */
export const PAIR_LOOKS: i32 = 16;
export const MANOEUVRE_LOOKS: i32 = 32;
export const SAME_AIRCRAFT_LOOKS: i32 = 16;

let left: i32 = 0; // looks that nobody has taken yet
let share: i32 = 0; // kept for each seeker
let kept: i32 = 0; // what the seeker in hand must leave to those after it
let isCut: bool = false;

/** Half of the pool is shared out evenly, the other half is for whoever needs more. */
export function openBudget(seekers: i32, others: i32, looksEach: i32): void {
  left = <i32>Math.max(<f64>BUDGET_MIN, <f64>looksEach * <f64>(seekers + others));
  share = left / (2 * (seekers > 0 ? seekers : 1));
}

/** The next seeker, with so many still to come. */
// @ts-ignore: decorator
@inline
export function beginSearch(later: i32): void {
  kept = share * later;
  isCut = false;
}

/** Takes so many looks. False when they are not to be had: then the seeker's search has ended. */
// @ts-ignore: decorator
@inline
export function spend(looks: i32): bool {
  if (left - looks < kept) {
    cutSearch();
    return false;
  }
  left -= looks;
  return true;
}

/** The search in hand ends before its end; counted once a seeker. */
export function cutSearch(): void {
  if (isCut) return;
  isCut = true;
  putHead(L.HEAD_SEARCHES_CUT, headAt(L.HEAD_SEARCHES_CUT) + 1);
}

/** Whether the seeker in hand was cut short. */
// @ts-ignore: decorator
@inline
export function wasCut(): bool {
  return isCut;
}
