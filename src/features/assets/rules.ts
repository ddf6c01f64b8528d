/** Rules that registration and editing share: what a spec and a placement may say. Pure. */
import type { Placement } from "../../domain/asset.ts";
import { type ApiErrorCode, type Refusal, refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { LAT_MAX, LON_MAX } from "../../domain/members.ts";

/** `notObject` is the code for something that is no object: 400 when registering, 409 when editing (Decision 13). */
export function whyNotSpec(spec: unknown, notObject: ApiErrorCode): Refusal | null {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec))
    return refusal(notObject, "spec must be an object");
  const why = whyNotFree(spec, "spec");
  return why === null ? null : refusal("invalid_spec", why);
}

export function whyNotPlacement({ lat, lon }: Placement): Refusal | null {
  if (Math.abs(lat) <= LAT_MAX && Math.abs(lon) <= LON_MAX) return null;
  return refusal("invalid_position", `the placement ${lat}, ${lon} is not a point on the earth`);
}
