/** A task as its link gets it: the asset's address now, and the position of a track that the parameters name. */
import type { OutgoingCommand, PlatformSource } from "../domain/platformReport.ts";
import type { Task } from "../domain/task.ts";
import { VERB_TABLE } from "../domain/verbs.ts";
import { assert } from "../lib/assert.ts";
import type { RoomFace } from "../room/face.ts";

/** The address that the asset is heard at; null: none. */
export function sourceOf({ forces }: RoomFace, { asset_id: assetId }: Task): PlatformSource | null {
  const entry = forces.fleet.find(assetId);
  return entry === null ? null : forces.sourceOf(entry);
}

/** null while the asset is not heard or the track has no position. Asserts that a task on a contact has an approved plan. */
export function outgoing(room: RoomFace, task: Task): OutgoingCommand | null {
  const { forces } = room;
  const entry = forces.fleet.find(task.asset_id);
  const verb = VERB_TABLE.get(task.verb);
  const source = entry === null ? null : forces.sourceOf(entry);
  if (entry === null || verb === undefined || source === null) return null;
  const { linkState, conflict } = forces.factsOf(entry);
  // When two vehicles share a system id, only an abort is sent, to the address that this asset was adopted at.
  if ((linkState !== "up" && linkState !== "degraded") || (conflict && task.verb !== "abort")) return null;
  // Every task passes here on its way to a link, so this check cannot be bypassed.
  assert(
    !verb.actsOnContact || (task.plan_id !== null && forces.approvedPlanIds.has(task.plan_id)),
    "a task that acts on a contact has an approved plan",
  );
  const params = placed(room, task.params);
  if (params === null) return null;
  const deadlineAtMs = Date.parse(task.deadline_at ?? task.created_at);
  const { resendSafe } = verb;
  return {
    taskId: task.id,
    source,
    verb: task.verb,
    params,
    deadlineAtMs,
    resendSafe,
    isInProgress: isInProgress(task),
  };
}

/** True when the asset answered `executing` and never `accepted`: its final answer is still due. */
function isInProgress({ acked_at, history }: Task): boolean {
  return acked_at !== null && !history.some(({ status }) => status === "accepted");
}

/** Adds the current position of a track that the parameters name. */
function placed(room: RoomFace, params: Task["params"]): Task["params"] | null {
  if (params.kind !== "track") return params;
  const track = room.tracks.get(params.track_id as string);
  if (track === undefined || track.bearingOnly) return null;
  return { ...params, lat: track.lat, lon: track.lon, alt_hae_m: room.heightOfTrack(track) };
}
