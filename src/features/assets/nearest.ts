/**
 * `nearest` and `free` of GET /api/assets (docs/interface.md#assets): orders by distance over the ellipsoid, keeps assets
 * that are not committed. Pure.
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

/** An asset without a position gets no distance. */
export function withDistance(view: AssetView, from: Point): AssetView {
  if (view.motion === null) return view;
  return { ...view, distance_m: Math.round(geodesicDistanceM(from, view.motion) * 1000) / 1000 };
}

/**
 * Sort key: nearest first, equal distances by id, those without a distance last. Padded so that it sorts as text: no distance on
 * earth has more than 8 digits of metres.
 */
export function byDistance({ id, distance_m: distanceM }: Pick<AssetView, "id" | "distance_m">): string {
  return distanceM == null ? `~${id}` : `${distanceM.toFixed(3).padStart(12, "0")} ${id}`;
}

/** A proposed assignment is no commitment. */
export function isFree(view: AssetView): boolean {
  return view.commitment === null;
}
