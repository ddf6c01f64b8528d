/** Observations of links take the same way as POST /api/signals: the same rules, counts and inbox. */
import { type Observed, PUSHED } from "../../domain/platformReport.ts";
import type { RoomFace } from "../../room/face.ts";
import { type Rejected, SignalsIntake } from "./intake.ts";

/** Takes observations of a link; `protocol` is its protocol family. */
export function observe(
  room: RoomFace,
  observations: readonly object[],
  nowMs: number,
  protocol: string = PUSHED,
): Observed {
  const count = observations.length;
  if (!room.hasRoomFor(count)) {
    room.commit({ op: "call_refused" }, nowMs);
    return { accepted: 0, rejected: count, why: "the inbox is full: too many observations wait to be fused" };
  }
  const intake = new SignalsIntake(room, nowMs, 0, protocol);
  for (let index = 0; index < count; index++) intake.add({ index, scan: false, value: observations[index] });
  if (intake.failed) {
    intake.giveUp();
    return { accepted: 0, rejected: count, why: whyNot(intake.first, 0) };
  }
  const { accepted, rejected_count, late, quarantined } = intake.finish();
  return { accepted, rejected: rejected_count + late + quarantined, why: whyNot(intake.first, late, quarantined) };
}

function whyNot(rejected: Rejected | undefined, late: number, quarantined = 0): string | null {
  if (rejected !== undefined) return `${rejected.code}: ${rejected.error}`;
  if (late > 0) return "it was measured too long ago to be fused";
  return quarantined > 0 ? "it was measured in the future" : null;
}
