/**
 * Observations that do not come through HTTP (links, the room's own platforms) on the way of POST /api/signals: the same
 * rules, the same counts, the same inbox.
 */
import { PUSHED } from "../../workspace/fleet.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { SignalsIntake } from "./intake.ts";

export interface Observed {
  readonly accepted: number;
  /** Not taken: against a rule, too late, in the future, or more than fits. A far clock that is wrong shows here. */
  readonly rejected: number;
}

/** What a link heard, by its protocol family. */
export function observe(
  room: Workspace,
  observations: readonly object[],
  nowMs: number,
  protocol: string = PUSHED,
): Observed {
  return take(room, observations, nowMs, false, protocol);
}

/** What the room itself knows, under the names that are reserved for it. */
export function observeOwn(room: Workspace, observations: readonly object[], nowMs: number): Observed {
  return take(room, observations, nowMs, true, PUSHED);
}

function take(
  room: Workspace,
  observations: readonly object[],
  nowMs: number,
  isOwn: boolean,
  protocol: string,
): Observed {
  if (!room.hasRoomFor(observations.length)) return { accepted: 0, rejected: observations.length };
  const intake = new SignalsIntake(room, nowMs, 0, isOwn, protocol);
  for (let index = 0; index < observations.length; index++)
    intake.add({ index, scan: false, value: observations[index] });
  if (intake.failed) return { accepted: 0, rejected: observations.length };
  const { accepted, rejected_count, late, quarantined } = intake.finish();
  return { accepted, rejected: rejected_count + late + quarantined };
}
