/**
 * Hash buckets as linked lists in the arena: a table of INDEX_BUCKETS heads and one `next` an item, both i32; a negative
 * number ends a list. A bucket may hold items of other cells or claims, so a reader compares.
 */
import * as L from "./layout";
import { intAt, putInt } from "./arena";

/** Bucket of a grid cell. Source: Teschner et al., "Optimized spatial hashing", VMV 2003. */
// @ts-ignore: decorator
@inline
export function cellBucket(cx: i32, cy: i32): i32 {
  return ((cx * 73856093) ^ (cy * 19349663)) & (L.INDEX_BUCKETS - 1);
}

/** Bucket of a claim's number: its low bits, which spread evenly, because the number is a hash. */
// @ts-ignore: decorator
@inline
export function claimBucket(claim: f64): i32 {
  return (<i32>(<i64>claim)) & (L.INDEX_BUCKETS - 1);
}

export function clearBuckets(heads: usize): void {
  memory.fill(heads, 0xff, L.INDEX_BUCKETS * 4); // -1 in each
}

/** Puts the item first in its bucket: items pushed in descending order are read in ascending order. */
// @ts-ignore: decorator
@inline
export function pushToBucket(heads: usize, nexts: usize, bucket: i32, item: i32): void {
  putInt(nexts, item, intAt(heads, bucket));
  putInt(heads, bucket, item);
}
