/**
 * An asset in a list, in the picture and in the slices (docs/interface.md#asset-views): the whole view without what only a
 * write changes, because a fleet is sent again whenever one of its vehicles moves. Pure.
 */
import type { AssetInList, AssetView, ListInclude, VerbView } from "./asset.ts";
import { VERB_ORDER } from "./verbs.ts";

const NOTHING: ReadonlySet<ListInclude> = new Set();

/** `include` names what a query asks for back. */
export function assetInList(view: AssetView, include: ReadonlySet<ListInclude> = NOTHING): AssetInList {
  const { verbs, performance, payloads, health, registration: _, ...rest } = view;
  const isWhole = include.has("params_schema");
  return {
    ...rest,
    health: include.has("components") ? health : withoutHealthy(health),
    verbs: isWhole ? verbs : verbs.map(verbInList),
    ...(include.has("performance") ? { performance } : {}),
    ...(include.has("payloads") ? { payloads } : {}),
  };
}

function withoutHealthy(health: AssetView["health"]): AssetView["health"] {
  if (!health.components.some(isHealthy)) return health;
  return { ...health, components: health.components.filter((component) => !isHealthy(component)) };
}

function isHealthy({ level }: AssetView["health"]["components"][number]): boolean {
  return level === "ok";
}

const AVAILABLE: ReadonlyMap<string, AssetInList["verbs"][number]> = new Map(
  VERB_ORDER.map((name) => [name, Object.freeze({ name, available: true })]),
);

function verbInList(verb: VerbView): AssetInList["verbs"][number] {
  const { name, available, unavailable_reason, reason_code, rule_id, value, limit, unit, text } = verb;
  if (available) return AVAILABLE.get(name)!;
  return { name, available, unavailable_reason, reason_code, rule_id, value, limit, unit, text };
}
