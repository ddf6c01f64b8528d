/**
 * `nearest` and `free` of GET /api/assets (docs/interface.md#assets): order by distance over the ellipsoid, keep what is
 * not committed. Pure.
 */

import type { AssetView } from "../../domain/asset.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import { isOnEarth } from "../../domain/members.ts";

interface Point {
  readonly lat: number;
  readonly lon: number;
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/;

export function readPoint(text: string): Point | Refusal<"invalid_input" | "invalid_position"> {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length !== 2 || !parts.every((part) => NUMBER.test(part)))
    return refusal("invalid_input", `nearest must be "lat,lon" in degrees, not "${text}"`);
  const [lat, lon] = parts.map(Number) as [number, number];
  if (!isOnEarth(lat, lon)) return refusal("invalid_position", `nearest ${text} is not a point on the earth`);
  return { lat, lon };
}

/** Nearest first, ties by id; what has no place comes last and has no distance. */
export function byDistance(views: readonly AssetView[], from: Point): AssetView[] {
  return views
    .map((view) => {
      if (view.motion === null) return view;
      return { ...view, distance_m: Math.round(geodesicDistanceM(from, view.motion) * 1000) / 1000 };
    })
    .sort((a, b) => (a.distance_m ?? Infinity) - (b.distance_m ?? Infinity) || (a.id < b.id ? -1 : 1));
}

/** A merely proposed assignment is no commitment. */
export function isFree(view: AssetView): boolean {
  return view.commitment === null;
}
