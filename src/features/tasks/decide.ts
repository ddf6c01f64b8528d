/**
 * May this asset do this now? Pure (docs/interface.md#commands): from the facts it decides `refused`, with the rule's
 * sentence, or `accepted`, with the verb. A person's approval is checked here and again before a task is sent
 * (`src/tasking/outgoing.ts`).
 */
import { advertisedVerbs, objectionTo, type VerbFacts } from "../../domain/availability.ts";
import type { PlatformPerformance } from "../../domain/catalogue.ts";
import { refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import { paramsOf, VERB_TABLE, type VerbRow, type WrongParams, whyNotParams } from "../../domain/verbs.ts";
import type { AssetCommand, DryRun } from "./schema.ts";

type Params = Readonly<Record<string, unknown>>;

export type Decision =
  | {
      readonly is: "refused";
      readonly code: "verb_not_advertised" | "verb_unavailable";
      readonly ruleId: string;
      readonly sentence: string;
    }
  | { readonly is: "accepted"; readonly verb: VerbRow };

/** The row of the command's verb; null: the asset does not advertise it. */
export function advertised(command: AssetCommand, facts: VerbFacts): VerbRow | null {
  return advertisedVerbs(facts).find(({ verb }) => verb === command.verb) ?? null;
}

/** Why it is no valid command (400; no task is written); null: it is one. */
export function whyNotCommand(
  command: AssetCommand,
  verb: VerbRow | null,
  assetName: string,
  nowMs: number,
): WrongParams | null {
  const free = command.params == null ? null : whyNotFree(command.params, "params");
  if (free !== null) return refusal("invalid_input", free);
  if (command.deadline_at != null && !(Date.parse(command.deadline_at) > nowMs))
    return refusal("invalid_input", "deadline_at must be in the future");
  if (verb === null) return null;
  const params = whyNotParams(verb, paramsOf(verb, command.params));
  if (params !== null) return params;
  if (verb.requiresConfirm && command.confirm?.normalize("NFC") !== assetName.normalize("NFC"))
    return refusal("invalid_input", `${verb.verb} needs confirm to be the asset's name, "${assetName}"`);
  return null;
}

/** The parameters that the task keeps, also for a verb that the asset does not have. */
export function paramsKept(command: AssetCommand): Params {
  const verb = VERB_TABLE.get(command.verb);
  return verb === undefined ? (command.params ?? {}) : paramsOf(verb, command.params);
}

interface TrackFacts {
  readonly lat: number | null;
  readonly lon: number | null;
  readonly status: string;
}

export function decideCommand(
  command: AssetCommand,
  verb: VerbRow | null,
  facts: VerbFacts,
  trackOf: (id: string) => TrackFacts | undefined,
): Decision {
  if (verb === null)
    return {
      is: "refused",
      code: "verb_not_advertised",
      ruleId: "not_advertised",
      sentence: `${facts.assetName} does not advertise the verb ${command.verb}`,
    };
  const objection = objectionTo(verb, facts, command.plan_id ?? null) ?? whyNotTrack(command, verb, trackOf);
  if (objection !== null) return { is: "refused", code: "verb_unavailable", ...objection };
  return { is: "accepted", verb };
}

/** Why its track is no target: it is gone, has no position, or is not seen any more. */
function whyNotTrack(
  { params }: AssetCommand,
  { verb }: VerbRow,
  trackOf: (id: string) => TrackFacts | undefined,
): { ruleId: string; sentence: string } | null {
  if (params?.kind !== "track") return null;
  const id = params.track_id as string;
  const track = trackOf(id);
  if (track === undefined)
    return { ruleId: "track_unknown", sentence: `${verb} is unavailable: there is no live track ${id}` };
  if (track.lat === null || track.lon === null)
    return { ruleId: "track_no_position", sentence: `${verb} is unavailable: ${id} is a bearing without a position` };
  if (track.status === "coasting")
    return { ruleId: "track_stale", sentence: `${verb} is unavailable: ${id} has not been seen for a while` };
  return null;
}

type Place = { readonly lat: number; readonly lon: number };

/** Distance and time of a dry run; null where the command or the asset has no position. */
export function estimateOf(
  from: Place | null,
  to: Place | null,
  performance: PlatformPerformance | null,
): DryRun["would"]["estimate"] {
  if (from === null || to === null) return null;
  const distanceM = geodesicDistanceM(from, to);
  const speedMps = performance?.cruise_mps ?? performance?.max_mps ?? null;
  const etaS = speedMps === null || speedMps === 0 ? null : Math.round(distanceM / speedMps);
  return { distance_m: Math.round(distanceM), eta_s: etaS };
}
