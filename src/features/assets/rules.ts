/** Rules that registration and editing share: what a spec, a placement and a serial may say. Pure. */

import { Compile } from "typebox/compile";
import type { Asset, Placement } from "../../domain/asset.ts";
import { type ApiErrorCode, type Refusal, refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { isOnEarth } from "../../domain/members.ts";
import { Word } from "./schema.ts";

const word = Compile(Word);
/** What may be the identity of a platform, whoever names it: a caller, a spec or a radio. */
export function isSerial(value: unknown): value is string {
  return word.Check(value);
}

const ADDRESS = /^\d{1,3}(\.\d{1,3}){3}:\d{1,5}(\/.+)?$/;
/** `10.0.0.5:14550`, with a system or without. No serial is written so; who sends it means what is heard there. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** `notObject` is the code for something that is no object: 400 when registering, 409 when editing. */
export function whyNotSpec<C extends ApiErrorCode>(spec: unknown, notObject: C): Refusal<C | "invalid_spec"> | null {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec))
    return refusal(notObject, "spec must be an object");
  const why = whyNotFree(spec, "spec");
  if (why !== null) return refusal("invalid_spec", why);
  // The two members of the free object that the service itself reads.
  const { model, remote_id_serial: serial } = spec as Record<string, unknown>;
  if (model != null && typeof model !== "string")
    return refusal("invalid_spec", "spec.model must be a string or null: the name of a model of the catalogue");
  if (serial != null && !isSerial(serial))
    return refusal(
      "invalid_spec",
      `spec.remote_id_serial must be ${(Word as { "x-rule"?: string })["x-rule"]}, or null`,
    );
  return null;
}

export function whyNotPlacement({ lat, lon }: Placement): Refusal<"invalid_position"> | null {
  if (isOnEarth(lat, lon)) return null;
  return refusal("invalid_position", `the placement ${lat}, ${lon} is not a point on the earth`);
}

/** What carries a sensor is a vehicle of the workspace. No sensor carries, so nothing carries itself by a detour. */
export function whyNotHost(
  host: string | null | undefined,
  ownId: string,
  find: (id: string) => { readonly row: Asset } | undefined,
): Refusal<"invalid_input"> | null {
  if (host == null) return null;
  const found = find(host);
  if (host !== ownId && found?.row.kind === "vehicle") return null;
  const isNothing = found === undefined ? "is no asset of this workspace" : "is a sensor: only a vehicle carries one";
  return refusal(
    "invalid_input",
    `placement.host_asset_id ${host} ${host === ownId ? "is the asset itself" : isNothing}`,
  );
}
