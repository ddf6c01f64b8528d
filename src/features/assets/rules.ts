/** Rules that registration and edits share, about specs, placements and serials. Pure. */

import { Compile } from "typebox/compile";
import type { Asset, Placement } from "../../domain/asset.ts";
import { type ApiErrorCode, type Refusal, refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { isOnEarth } from "../../domain/members.ts";
import { Word } from "./schema.ts";

const word = Compile(Word);
/** Whether it can be the serial of a platform, from a body, a spec or a radio alike. */
export function isSerial(value: unknown): value is string {
  return word.Check(value);
}

const ADDRESS = /^\d{1,3}(\.\d{1,3}){3}:\d{1,5}(\/.+)?$/;
/** `10.0.0.5:14550`, or with `/system` after it. No serial has this form, so it means the platform that is heard there. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** `notObject`: the code for a spec that is no object, 400 in a registration and 409 in an edit. */
export function whyNotSpec<C extends ApiErrorCode>(spec: unknown, notObject: C): Refusal<C | "invalid_spec"> | null {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec))
    return refusal(notObject, "spec must be an object");
  const why = whyNotFree(spec, "spec");
  if (why !== null) return refusal("invalid_spec", why);
  // The service reads these two members of the free object.
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

/** Only a vehicle of the workspace carries sensors. A sensor carries none, so no chain of carriers can close. */
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
