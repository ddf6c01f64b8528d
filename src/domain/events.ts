/**
 * The stream's frozen event names and their filter class (§6, contract §14). `stream/frames.ts` is the only encoder.
 *
 *   control  snapshot, resync: never filtered, not numbered by stream_gen
 *   slice    a part of the picture, sent whole when it changes, never filtered
 *   domain   numbered by stream_gen, filtered by `kinds`, all of them by default
 *   opt_in   only for a client whose `kinds` names it, not numbered
 */
export const CONTROL_EVENTS = ["snapshot", "resync"] as const;
export const SLICE_EVENTS = [
  "live_state",
  "engagement_slice",
  "fleet_slice",
  "sensor_slice",
  "integration_slice",
] as const;
export const DOMAIN_EVENTS = [
  "track_update",
  "track_removed",
  "obs",
  "alert",
  "coa",
  "engagement",
  "bda",
  "swarm_command",
  "tasking",
  "tasking_status",
  "threat",
  "plan",
  "posture",
  "influence",
] as const;
export const OPT_IN_EVENTS = ["fusion_explain"] as const;

export type SliceEvent = (typeof SLICE_EVENTS)[number];
export type DomainEvent = (typeof DOMAIN_EVENTS)[number];
export type OptInEvent = (typeof OPT_IN_EVENTS)[number];
export type Kind = DomainEvent | OptInEvent;

/** A selection of kinds as a bit mask: bit i is KINDS[i]. */
export const KINDS: readonly Kind[] = [...DOMAIN_EVENTS, ...OPT_IN_EVENTS];
export const ALL_DOMAIN_MASK = (1 << DOMAIN_EVENTS.length) - 1;

export function kindBit(kind: Kind): number {
  return 1 << KINDS.indexOf(kind);
}
