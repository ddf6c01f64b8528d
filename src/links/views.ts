/**
 * Links as clients see them, and a summary for each protocol for `integration_slice` (docs/interface.md#integrations). Pure.
 */
import type { Integration, LinkView } from "../domain/link.ts";
import { timeOrNull, toRfc3339 } from "../lib/clock.ts";
import { INTEGRATION_ACTIVE_WITHIN_MS } from "../limits.ts";
import type { LinkAdapter, LinkStatus } from "./adapter.ts";
import type { HeldLink } from "./heldLink.ts";

export function linkViewOf({ settings, assetId, secretPrefix, createdAtMs, open }: HeldLink, nowMs: number): LinkView {
  const status = open.status(nowMs);
  return {
    id: settings.linkId,
    name: settings.name,
    asset_id: assetId,
    issued_for: assetId === null ? "workspace" : "asset",
    protocol: settings.protocol,
    direction: settings.direction,
    transport: settings.transport as LinkView["transport"],
    role: settings.role,
    address: settings.address,
    port: status.localPort ?? settings.port,
    state: status.state,
    since_at: timeOrNull(status.sinceMs),
    last_heard_at: timeOrNull(status.lastHeardMs),
    error: status.error,
    credential: secretPrefix === null ? null : { kind: "secret", prefix: secretPrefix, expires_at: null },
    counters: { ...open.counters },
    rate_hz: status.rateHz,
    rtt_ms: status.rttMs,
    loss_pct: status.lossPct,
    offset_ms: status.offsetMs,
    options: { ...settings.options },
    created_at: createdAtMs === null ? null : toRfc3339(createdAtMs),
  };
}

/** The protocols of this build, their titles, and those that the deployment switched off. */
interface Families {
  readonly adapters: readonly LinkAdapter[];
  readonly familyTitle: (protocol: string) => string;
  readonly off: ReadonlySet<string>;
}

export function integrationsOfLinks(
  { adapters, familyTitle, off }: Families,
  links: readonly HeldLink[],
  nowMs: number,
): Integration[] {
  return adapters.map(({ protocol }) => {
    const own = links.filter(({ settings }) => settings.protocol === protocol);
    const statuses = own.map(({ open }) => open.status(nowMs));
    const counters = own.map(({ open }) => open.counters);
    const rx = sum(counters.map((one) => one.rx));
    const bad = sum(counters.map((one) => one.bad));
    const failed = statuses.find(({ error }) => error !== null);
    return {
      id: `int_${protocol}`,
      protocol,
      title: familyTitle(protocol),
      status: statusOf(statuses, off.has(protocol), nowMs),
      listeners: own.map(({ settings }, i) => ({
        interface: null,
        address: settings.address,
        port: statuses[i]!.localPort ?? settings.port,
        state: statuses[i]!.state,
        detail: statuses[i]!.error,
      })),
      sources: sum(statuses.map(({ sources }) => sources)),
      suppressed: sum(counters.map((one) => one.dropped)),
      rate_hz: statuses.length === 0 ? null : Math.round(10 * sum(statuses.map(({ rateHz }) => rateHz ?? 0))) / 10,
      bad_pct: rx + bad === 0 ? 0 : Math.round((1000 * bad) / (rx + bad)) / 10,
      last_at: timeOrNull(Math.max(0, ...statuses.map(({ lastHeardMs }) => lastHeardMs))),
      error_code: failed?.errorCode ?? null,
      detail: failed?.error ?? null,
    };
  });
}

function statusOf(statuses: readonly LinkStatus[], isOff: boolean, nowMs: number): Integration["status"] {
  if (statuses.length === 0) return isOff ? "off" : "unconfigured";
  const failing = statuses.filter(({ error, state }) => error !== null || state === "closed").length;
  if (failing === statuses.length) return "error";
  if (failing > 0 || statuses.some(({ state }) => state === "degraded" || state === "lost")) return "degraded";
  return statuses.some(({ lastHeardMs }) => nowMs - lastHeardMs < INTEGRATION_ACTIVE_WITHIN_MS)
    ? "active"
    : "listening";
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
