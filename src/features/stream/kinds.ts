/** The `kinds` query (docs/interface.md#kinds): an exact, comma-separated selection. Pure. */

import { type Refusal, refusal } from "../../domain/errors.ts";
import { ALL_DOMAIN_MASK, KINDS, type Kind, kindBit } from "../../domain/events.ts";

/**
 * Absent: all domain events and no opt-in kind. Empty: none. An unknown name is refused: if it were ignored, a typing error
 * would silence the stream.
 */
export function parseKinds(value: string | undefined): number | Refusal<"invalid_input"> {
  if (value === undefined) return ALL_DOMAIN_MASK;
  let mask = 0;
  for (const part of value.split(",")) {
    const name = part.trim();
    if (name === "") continue;
    if (!KINDS.includes(name as Kind))
      return refusal(
        "invalid_input",
        `kinds: there is no event named "${name.slice(0, 40)}"; the names are ${KINDS.join(", ")}`,
      );
    mask |= kindBit(name as Kind);
  }
  return mask;
}
