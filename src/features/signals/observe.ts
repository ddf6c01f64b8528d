/**
 * Observations that do not come through HTTP (links, the room's own platforms) on the way of POST /api/signals: the same
 * rules, the same counts, the same inbox.
 */
import type { Workspace } from "../../workspace/workspace.ts";
import { SignalsIntake } from "./intake.ts";

export function observe(
  room: Workspace,
  observations: readonly object[],
  nowMs: number,
): { readonly accepted: number; readonly rejected: number } {
  if (!room.hasRoomFor(observations.length)) return { accepted: 0, rejected: observations.length };
  const intake = new SignalsIntake(room, nowMs);
  for (let index = 0; index < observations.length; index++)
    intake.add({ index, scan: false, value: observations[index] });
  if (intake.failed) return { accepted: 0, rejected: observations.length };
  const { accepted, rejected_count: rejected } = intake.finish();
  return { accepted, rejected };
}
