/**
 * A Remote ID observation that brings its claim as the radio heard it (`odid`: hex or base64 of one message, several, a
 * pack, or the frame around them) -> the same observation with the claim flat beside it, as an observation of the
 * interface has it (docs/interface.md#observations). What the sender says flat stands only where the payload is silent.
 */
import { claimOf, ODID_PAYLOAD_BYTES_MAX, OdidTransmitters, odidBytes, readOdid } from "../../domain/openDroneId.ts";
import { isObject, type Wire } from "../../measurement/observationRules.ts";

/** Of each room, what its transmitters said lately. */
const transmittersOf = new WeakMap<object, OdidTransmitters>();

type Expanded =
  | { readonly is: "whole"; readonly wire: Wire }
  /** Nothing to place yet: an identity without a position, or the reverse. */
  | { readonly is: "partial" }
  | { readonly is: "bad"; readonly reason: string };

/**
 * The observation was judged by the rules of its members before (whyNotPayload): what is kept of it here is bounded by
 * them. `sourceId` and `environment` are those of the scan where it is a detection of one.
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
  const said = Object.fromEntries(Object.entries(claim).filter(([, value]) => value !== null));
  const wire = { ...flat, ...said };
  const isPlaced = typeof wire.lat === "number" && typeof wire.lon === "number" && typeof wire.uas_id === "string";
  return isPlaced ? { is: "whole", wire } : { is: "partial" };
}
