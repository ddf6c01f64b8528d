/** The source id of a link's observations: the one that the operator gave, or one made of the protocol and the link. */
import { OWN_POSITIONS_SOURCE } from "../domain/platformReport.ts";
import type { LinkSettings } from "./adapter.ts";

/** As POST /api/signals takes it (docs/interface.md#observations). */
const SOURCE_ID = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

/** Why the given source id cannot be used; null: it can, or none was given. */
export function whyNotSourceId({ source_id: own }: LinkSettings["options"]): string | null {
  if (own === undefined || own === null) return null;
  if (typeof own !== "string" || !SOURCE_ID.test(own))
    return "options.source_id must be 1 to 128 characters without control characters";
  return own === OWN_POSITIONS_SOURCE ? `options.source_id ${own} is reserved for the service` : null;
}

export function sourceIdOf({ options, linkId }: LinkSettings): string {
  return typeof options.source_id === "string" ? options.source_id : `adsb:${linkId}`;
}
