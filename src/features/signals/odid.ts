/**
 * Expands a Remote ID observation with a received payload (`odid`: hex or base64 of one message, several, a pack, or the
 * frame around them) into one with the claim's plain members (docs/interface.md#observations). Members of the payload
 * override those that the sender gave plainly.
 */
import { claimOf, ODID_PAYLOAD_BYTES_MAX, OdidTransmitters, odidBytes, readOdid } from "../../domain/openDroneId.ts";
import { isObject, type Wire } from "../../measurement/observationRules.ts";

/** Latest messages of each transmitter, by room. */
const transmittersOf = new WeakMap<object, OdidTransmitters>();

type Expanded =
  | { readonly is: "whole"; readonly wire: Wire }
  /** Not enough yet: an identity without a position, or the reverse. */
  | { readonly is: "partial" }
  | { readonly is: "bad"; readonly reason: string };

/**
 * Call it with an observation that whyNotPayload let pass, so that what is kept here is bounded. For a detection, `sourceId`
 * and `environment` are those of its scan.
 */
export function expandOdid(
  room: object,
  observation: Wire,
  sourceId: string,
  environment: string,
  nowMs: number,
): Expanded {
  const { odid, ...flat } = observation;
  const bytes = typeof odid === "string" ? odidBytes(odid) : null;
  if (bytes === null)
    return { is: "bad", reason: `odid must be hex or base64 of at most ${ODID_PAYLOAD_BYTES_MAX} bytes` };
  const messages = readOdid(bytes, nowMs);
  if ("bad" in messages) return { is: "bad", reason: `odid: ${messages.bad}` };
  let transmitters = transmittersOf.get(room);
  if (transmitters === undefined) transmittersOf.set(room, (transmitters = new OdidTransmitters()));
  const { mac } = isObject(flat.receiver) ? flat.receiver : ({} as Wire);
  const claim =
    typeof mac === "string"
      ? transmitters.join(`${environment}\u0000${sourceId}\u0000${mac}`, messages, nowMs)
      : claimOf(messages);
  const claimed = Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== null));
  const wire = { ...flat, ...claimed };
  const isPlaced = typeof wire.lat === "number" && typeof wire.lon === "number" && typeof wire.uas_id === "string";
  return isPlaced ? { is: "whole", wire } : { is: "partial" };
}
