/**
 * Links, discoveries and integrations as clients see them (docs/interface.md#links). A link is one connection to the outside
 * (a socket, a poll); a discovery is a platform that a link hears and nobody has registered; an integration sums up a protocol
 * family.
 */
import { type Static, Type } from "typebox";
import { LINK_STATES } from "./platformStates.ts";
import { nullable, Shape, UtcTime } from "./shape.ts";

const NumberOrNull = nullable(Type.Number());
const TextOrNull = nullable(Type.String());

export const LINK_TRANSPORTS = ["udp", "tcp", "tls", "ws", "http", "serial", "broadcast", "multicast", "mqtt"] as const;
export const LINK_DIRECTIONS = ["in", "out", "both"] as const;
/** Which side opens the connection: `listen` waits for it here, `connect` opens it. */
export const LINK_ROLES = ["listen", "connect"] as const;

export const LinkCounters = Shape("LinkCounters", {
  rx: Type.Integer(),
  tx: Type.Integer(),
  bad: Type.Integer({ description: "frames that could not be read" }),
  duplicate: Type.Integer(),
  dropped: Type.Integer({ description: "frames over a limit; nothing of them was taken" }),
  reordered: Type.Integer(),
});
export type LinkCounters = { -readonly [K in keyof Static<typeof LinkCounters>]: number };

export function newCounters(): LinkCounters {
  return { rx: 0, tx: 0, bad: 0, duplicate: 0, dropped: 0, reordered: 0 };
}

export const LinkView = Shape("Link", {
  id: Type.String(),
  name: Type.String(),
  asset_id: TextOrNull,
  issued_for: Type.Enum(["asset", "workspace"] as const, { description: "an asset's own link ends with the asset" }),
  protocol: Type.String({ description: "protocol family key" }),
  direction: Type.Enum(LINK_DIRECTIONS),
  transport: Type.Enum(LINK_TRANSPORTS),
  role: Type.Enum(LINK_ROLES),
  address: Type.String(),
  port: nullable(Type.Integer()),
  state: Type.Enum(LINK_STATES),
  since_at: nullable(UtcTime),
  last_heard_at: nullable(UtcTime),
  error: TextOrNull,
  credential: nullable(
    Type.Object(
      { kind: Type.String(), prefix: Type.String(), expires_at: nullable(UtcTime) },
      { description: "never the secret" },
    ),
  ),
  counters: LinkCounters,
  rate_hz: NumberOrNull,
  rtt_ms: NumberOrNull,
  loss_pct: NumberOrNull,
  offset_ms: NumberOrNull,
  options: Type.Record(Type.String(), Type.Unknown()),
  created_at: nullable(UtcTime),
});
export type LinkView = Static<typeof LinkView>;

const DISCOVERY_STATES = ["heard", "adopted", "ignored", "expired"] as const;

export const Discovery = Shape("Discovery", {
  key: Type.String({ description: "adoption key: hand it to bind, or its address to register" }),
  protocol: Type.String(),
  address: Type.String(),
  system_id: TextOrNull,
  kind_guess: Type.String(),
  domain_guess: Type.String(),
  type_guess: TextOrNull,
  model_guess: TextOrNull,
  remote_id_serial: TextOrNull,
  motion: nullable(Type.Object({ lat: Type.Number(), lon: Type.Number(), alt_hae_m: NumberOrNull })),
  first_heard_at: UtcTime,
  last_heard_at: UtcTime,
  messages: Type.Integer(),
  state: Type.Enum(DISCOVERY_STATES),
  adopted_asset_id: TextOrNull,
  conflicts: Type.Array(Type.String()),
});
export type Discovery = Static<typeof Discovery>;

const INTEGRATION_STATUSES = ["off", "unconfigured", "listening", "active", "degraded", "error"] as const;

const IntegrationListener = Type.Object({
  interface: TextOrNull,
  address: Type.String(),
  port: nullable(Type.Integer()),
  state: Type.String({ description: "a link state, or `closed` with the reason in detail" }),
  detail: TextOrNull,
});

export const Integration = Shape("Integration", {
  id: Type.String(),
  protocol: Type.String(),
  title: Type.String(),
  status: Type.Enum(INTEGRATION_STATUSES),
  listeners: Type.Array(IntegrationListener),
  sources: Type.Integer(),
  suppressed: Type.Integer(),
  rate_hz: NumberOrNull,
  bad_pct: Type.Number(),
  last_at: nullable(UtcTime),
  error_code: TextOrNull,
  detail: TextOrNull,
});
export type Integration = Static<typeof Integration>;
