/**
 * What the searches of one scan or sweep may cost, whatever lies where: a pool of looks for all searches (of a track, or
 * of a bearing). Each has a share of half of the pool for itself; the other half is taken by those that need more, in
 * their order. Most searches never reach the bound. Knows no tracks; counts the searches that were cut short.
 */
import * as L from "./layout";
import { headAt, putHead } from "./arena";

/** Size of the pool: looks for each track and each measurement, and for the whole at least so many. */
const BUDGET_MIN: i32 = 1_048_576;
export const GATE_LOOKS_EACH: i32 = 512;
export const CROSSING_LOOKS_EACH: i32 = 1024;
export const MERGE_LOOKS_EACH: i32 = 128;
/** Cost in looks of solving a pair, of gating a repeated claim, and of comparing two rows of one claim. */
export const PAIR_LOOKS: i32 = 16;
export const MANOEUVRE_LOOKS: i32 = 32;
export const SAME_AIRCRAFT_LOOKS: i32 = 16;

let left: i32 = 0; // looks that are not spent
let share: i32 = 0; // looks of each search that nobody else may spend
let kept: i32 = 0; // looks that the present search must leave to those after it
let isCut: bool = false;

/** Opens the pool for `searches` searches among `others`. */
export function openBudget(searches: i32, others: i32, looksEach: i32): void {
  left = <i32>Math.max(<f64>BUDGET_MIN, <f64>looksEach * <f64>(searches + others));
  share = left / (2 * (searches > 0 ? searches : 1));
}

/** The next search begins; `later` searches are still to come. */
// @ts-ignore: decorator
@inline
export function beginSearch(later: i32): void {
  kept = share * later;
  isCut = false;
}

/** Spends so many looks. False when they are not left for this search, which then ends. */
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

/** The present search ends before it is complete. Counted once a search. */
export function cutSearch(): void {
  if (isCut) return;
  isCut = true;
  putHead(L.HEAD_SEARCHES_CUT, headAt(L.HEAD_SEARCHES_CUT) + 1);
}

/** Whether the present search was cut short. */
// @ts-ignore: decorator
@inline
export function wasCut(): bool {
  return isCut;
}
