/** A task as its link gets it: where the asset is heard now, and parameters that name a track with its place filled in. */
import type { OutgoingCommand, PlatformSource } from "../domain/platformReport.ts";
import type { Task } from "../domain/task.ts";
import { VERB_TABLE } from "../domain/verbs.ts";
import { assert } from "../lib/assert.ts";
import type { RoomFace } from "../room/face.ts";

/** Where the asset is heard; null: nowhere. */
export function sourceOf({ forces }: RoomFace, { asset_id: assetId }: Task): PlatformSource | null {
  const entry = forces.fleet.find(assetId);
  return entry === null ? null : forces.sourceOf(entry);
}

/** null while the asset is not heard, or its track has no place. Asserts that a person approved what acts on a contact. */
export function outgoing(room: RoomFace, task: Task): OutgoingCommand | null {
  const { forces } = room;
  const entry = forces.fleet.find(task.asset_id);
  const verb = VERB_TABLE.get(task.verb);
  const source = entry === null ? null : forces.sourceOf(entry);
  if (entry === null || verb === undefined || source === null) return null;
  const { linkState, conflict } = forces.factsOf(entry);
  // Of two vehicles with one system id the abort goes to the address that this asset was adopted at.
  if ((linkState !== "up" && linkState !== "degraded") || (conflict && task.verb !== "abort")) return null;
  // Checked where it cannot be bypassed: without an approved plan nothing that acts on a contact is sent.
  assert(
    !verb.actsOnContact || (task.plan_id !== null && forces.approvedPlanIds.has(task.plan_id)),
    "a task that acts on a contact has an approved plan",
  );
  const params = placed(room, task.params);
  if (params === null) return null;
  const deadlineAtMs = Date.parse(task.deadline_at ?? task.created_at);
  const { resendSafe } = verb;
  return { taskId: task.id, source, verb: task.verb, params, deadlineAtMs, resendSafe, isAtIt: isAtIt(task) };
}

/** Executing without having been accepted: progress is all that it answered. */
function isAtIt({ acked_at, history }: Task): boolean {
  return acked_at !== null && !history.some(({ status }) => status === "accepted");
}

/** Parameters that name a track say where it is now. */
function placed(room: RoomFace, params: Task["params"]): Task["params"] | null {
  if (params.kind !== "track") return params;
  const track = room.tracks.get(params.track_id as string);
  if (track === undefined || track.bearingOnly) return null;
  return { ...params, lat: track.lat, lon: track.lon, alt_hae_m: room.heightOfTrack(track) };
}
