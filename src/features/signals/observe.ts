/**
 * Observations that do not come through HTTP (links, the room's own platforms) on the way of POST /api/signals: the same
 * rules, the same counts, the same inbox.
 */

import type { Observed } from "../../domain/observed.ts";
import { PUSHED } from "../../room/forces/fleet.ts";
import type { Room } from "../../room/room.ts";
import { type Rejected, SignalsIntake } from "./intake.ts";

/** What a link heard, by its protocol family. */
export function observe(
  room: Room,
  observations: readonly object[],
  nowMs: number,
  protocol: string = PUSHED,
): Observed {
  return take(room, observations, nowMs, false, protocol);
}

/** What the room itself knows, under the names that are reserved for it. */
export function observeOwn(room: Room, observations: readonly object[], nowMs: number): Observed {
  return take(room, observations, nowMs, true, PUSHED);
}

function take(room: Room, observations: readonly object[], nowMs: number, isOwn: boolean, protocol: string): Observed {
  const count = observations.length;
  if (!room.hasRoomFor(count)) return { accepted: 0, rejected: count, why: "more waits to be fused than fits" };
  const intake = new SignalsIntake(room, nowMs, 0, isOwn, protocol);
  for (let index = 0; index < count; index++) intake.add({ index, scan: false, value: observations[index] });
  if (intake.failed) return { accepted: 0, rejected: count, why: whyNot(intake.first, 0) };
  const { accepted, rejected_count, late, quarantined } = intake.finish();
  return { accepted, rejected: rejected_count + late + quarantined, why: whyNot(intake.first, late, quarantined) };
}

function whyNot(rejected: Rejected | undefined, late: number, quarantined = 0): string | null {
  if (rejected !== undefined) return `${rejected.code}: ${rejected.error}`;
  if (late > 0) return "it was measured too long ago to be fused";
  return quarantined > 0 ? "it was measured in the future" : null;
}
