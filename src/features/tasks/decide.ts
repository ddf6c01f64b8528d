/**
 * May this asset do this now? Pure (docs/interface.md#commands): from the facts it decides `refused`, with the rule's
 * sentence, or `accepted`, with the verb. A person's approval is checked here and again before a task is sent
 * (`src/tasking/outgoing.ts`).
 */
import { advertisedVerbs, type Objection, objectionTo, sentenceOf, type VerbFacts } from "../../domain/availability.ts";
import type { PlatformPerformance } from "../../domain/catalogue.ts";
import { refusal } from "../../domain/errors.ts";
import { whyNotFree } from "../../domain/freeObject.ts";
import { geodesicDistanceM } from "../../domain/geodesic.ts";
import type { Params, WrongParams } from "../../domain/verbParams.ts";
import { normalParams, VERB_TABLE, type VerbRow, whyNotParams } from "../../domain/verbs.ts";
import type { AssetCommand, DryRun } from "./schema.ts";

/** A command with its parameters in their normal form: as they are checked, and as the task keeps them. */
export interface NormalCommand extends AssetCommand {
  readonly params: Params;
}

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

/** Parameters of a verb that this build does not know are kept as they came: the refused task shows them. */
export function normalCommand(command: AssetCommand, facts: VerbFacts): NormalCommand {
  return { ...command, params: paramsFor(command.verb, command.params, facts) };
}

export function paramsFor(verb: string, params: Params | null | undefined, facts: VerbFacts): Params {
  const row = VERB_TABLE.get(verb);
  return row === undefined ? (params ?? {}) : normalParams(row, params, facts);
}

/** Why it is no valid command (400; no task is written); null: it is one. */
export function whyNotCommand(
  command: NormalCommand,
  verb: VerbRow | null,
  facts: VerbFacts,
  nowMs: number,
): WrongParams | null {
  const free = whyNotFree(command.params, "params");
  if (free !== null) return refusal("invalid_input", free);
  if (command.deadline_at != null && !(Date.parse(command.deadline_at) > nowMs))
    return refusal("invalid_input", "deadline_at must be in the future");
  if (verb === null) return null;
  const params = whyNotParams(verb, command.params, facts);
  if (params !== null) return params;
  const { assetName } = facts;
  if (verb.requiresConfirm && command.confirm?.normalize("NFC") !== assetName.normalize("NFC"))
    return refusal("invalid_input", `${verb.verb} needs confirm to be the asset's name, "${assetName}"`);
  return null;
}

interface TrackFacts {
  readonly lat: number | null;
  readonly lon: number | null;
  readonly status: string;
}

export function decideCommand(
  command: NormalCommand,
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
  const objection: Pick<Objection, "ruleId" | "text"> | null =
    objectionTo(verb, facts, command.plan_id ?? null) ?? whyNotTrack(command, trackOf);
  if (objection === null) return { is: "accepted", verb };
  const sentence = sentenceOf(verb.verb, objection);
  return { is: "refused", code: "verb_unavailable", ruleId: objection.ruleId, sentence };
}

/** Why its track is no target: it is gone, has no position, or is not seen any more. */
function whyNotTrack(
  { params }: NormalCommand,
  trackOf: (id: string) => TrackFacts | undefined,
): Pick<Objection, "ruleId" | "text"> | null {
  if (params.kind !== "track") return null;
  const id = params.track_id as string;
  const track = trackOf(id);
  if (track === undefined) return { ruleId: "track_unknown", text: `there is no live track ${id}` };
  if (track.lat === null || track.lon === null)
    return { ruleId: "track_no_position", text: `${id} is a bearing without a position` };
  if (track.status === "coasting") return { ruleId: "track_stale", text: `${id} has not been seen for a while` };
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
