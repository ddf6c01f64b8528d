/** An operator's changes of tracks as entries of the event log. Pure. */
import { auditDraft, type EventDraft, type LoggedRoom } from "../../domain/eventLog.ts";
import type { Change } from "../../room/changes.ts";

const track = (id: string) => ({ kind: "track", id });

/** null: the change is not an operator's change of a track. */
export function trackEditDraft(room: LoggedRoom, change: Change, nowMs: number): EventDraft | null {
  switch (change.op) {
    case "track_marked": {
      const { op: _op, actor, trackId, ...marks } = change;
      return auditDraft(room, actor, nowMs, "track_marked", track(trackId), marks);
    }
    case "tracks_merged": {
      const { actor, keptId, otherIds, reason } = change;
      return auditDraft(room, actor, nowMs, "tracks_merged", track(keptId), { merged: otherIds, reason });
    }
    case "track_split":
      return auditDraft(room, change.actor, nowMs, "track_split", track(change.trackId), { reason: change.reason });
    default:
      return null;
  }
}
