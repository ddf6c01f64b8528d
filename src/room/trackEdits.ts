/** An operator's changes of tracks, applied to the picture and the tracker. Each shows in the picture at once. */
import type { ChangeOf } from "./changes.ts";
import type { Fusion } from "./fusion.ts";
import { NO_EVENTS, type RoomEvent } from "./part.ts";
import type { LiveTrack } from "./tracks/liveTrack.ts";
import { inheritMarks, mark } from "./tracks/marks.ts";
import type { Tracks } from "./tracks/tracks.ts";

interface EditedRoom {
  wings(): { readonly tracks: Tracks; readonly fusion: Fusion };
  /** The tracker's table changed outside of a step: updates tracks, claims, histories and streams. */
  follow(nowMs: number): void;
  /** A member of these tracks besides the estimate changed. */
  noteChanged(tracks: readonly LiveTrack[], nowMs: number): void;
}

/** Each method returns null when a track is gone or the tracker refuses the change. */
export class TrackEdits {
  readonly #room: EditedRoom;

  constructor(room: EditedRoom) {
    this.#room = room;
  }

  mark(change: ChangeOf<"track_marked">, nowMs: number): readonly RoomEvent[] | null {
    const track = this.#room.wings().tracks.get(change.trackId);
    if (track === undefined) return null;
    mark(track, change);
    this.#room.noteChanged([track], nowMs);
    return NO_EVENTS;
  }

  merge({ keptId, otherIds }: ChangeOf<"tracks_merged">, nowMs: number): readonly RoomEvent[] | null {
    const { tracks, fusion } = this.#room.wings();
    const kept = tracks.get(keptId);
    const others = otherIds.flatMap((id) => tracks.get(id) ?? []);
    if (kept === undefined || others.length < otherIds.length) return null;
    if (!fusion.merge(kept, others, nowMs)) return null;
    for (const other of others) inheritMarks(kept, other);
    this.#room.follow(nowMs);
    this.#room.noteChanged([kept], nowMs);
    return NO_EVENTS;
  }

  split({ trackId }: ChangeOf<"track_split">, nowMs: number): readonly RoomEvent[] | null {
    const { tracks, fusion } = this.#room.wings();
    const track = tracks.get(trackId);
    const newIds = track === undefined ? null : fusion.split(track, nowMs);
    if (newIds === null) return null;
    this.#room.follow(nowMs);
    for (const id of newIds) {
      const one = tracks.get(id);
      if (one === undefined) continue;
      one.splitFrom = trackId;
      one.changedMembers.add("split_from");
    }
    return NO_EVENTS;
  }
}
