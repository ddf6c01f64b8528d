/**
 * A receiver's MQTT message -> the Remote ID payload that it received and how it received it: JSON with an `odid` member, or the
 * bare payload. Pure and total.
 */
import { odidBytes } from "../../domain/openDroneId.ts";
import { sha256 } from "../../lib/ids.ts";
import { within } from "../../lib/numbers.ts";
import { utf8Text } from "../../lib/utf8.ts";

interface HeardPayload {
  readonly payload: Buffer;
  readonly receiver: string | null;
  readonly mac: string | null;
  readonly rssiDbm: number | null;
  readonly channel: number | null;
  readonly transport: string | null;
  readonly atMs: number | null;
}

const TRANSPORTS = new Set(["wifi_beacon", "wifi_nan", "ble4", "ble5", "network"]);
const word = (value: unknown): string | null =>
  typeof value === "string" && /^[\x20-\x7e]{1,40}$/.test(value) ? value : null;

/** Leaves room for a prefix within the 128 characters of a source id. */
const NAME_LENGTH_MAX = 100;

/** A receiver's name as part of a source id: any text without control characters; null: it has none. */
export function receiverName(given: unknown): string | null {
  if (typeof given !== "string") return null;
  const name = given.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  if (name === "") return null;
  const points = [...name];
  if (points.length <= NAME_LENGTH_MAX) return name;
  // The hash keeps long names apart that differ only near their end.
  return points.slice(0, NAME_LENGTH_MAX - 12).join("") + sha256(name).toString("hex").slice(0, 12);
}

export function readMessage(body: Buffer, kind: "json" | "raw"): HeardPayload | null {
  if (kind === "raw")
    return { payload: body, receiver: null, mac: null, rssiDbm: null, channel: null, transport: null, atMs: null };
  let json: unknown;
  try {
    json = JSON.parse(utf8Text(body));
  } catch {
    return null;
  }
  if (typeof json !== "object" || json === null) return null;
  const { odid, sensor, mac, rssi, channel, transport, at } = json as Record<string, unknown>;
  const payload = typeof odid === "string" ? odidBytes(odid) : null;
  if (payload === null) return null;
  const atMs = typeof at === "number" ? at : typeof at === "string" ? Date.parse(at) : Number.NaN;
  return {
    payload,
    receiver: receiverName(sensor),
    mac: word(mac),
    rssiDbm: within(rssi, -200, 100),
    channel: within(channel, 0, 65_535),
    transport: TRANSPORTS.has(String(transport)) ? String(transport) : null,
    atMs: Number.isFinite(atMs) ? atMs : null,
  };
}
