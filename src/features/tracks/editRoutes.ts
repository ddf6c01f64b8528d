/** An operator's changes of tracks: marks (identity, label, note), merge and split (docs/interface.md#tracks). */
import { type Actor, actorOf } from "../../domain/access.ts";
import { type Refusal, refusal } from "../../domain/errors.ts";
import { Track } from "../../domain/track.ts";
import { ById, type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Change } from "../../room/changes.ts";
import type { RoomFace } from "../../room/face.ts";
import { MarkTrack, MergeTracks, SplitReply, SplitTrack } from "./schema.ts";

const TAG = "Tracks";

/** null: all of these tracks are live. */
function whyGone(room: RoomFace, ids: readonly string[]): Refusal<"not_found"> | null {
  const gone = ids.find((id) => room.tracks.get(id) === undefined);
  return gone === undefined ? null : refusal("not_found", `no live track ${gone} in this workspace`);
}

const NOT_NOW = refusal(
  "invalid_state",
  "the tracker cannot do that now: a track has just ended, or the track table is full",
);

function commit(room: RoomFace, change: Change, clock: Clock): Refusal<"invalid_state"> | null {
  return room.commit(change, clock.nowMs()) ? null : NOT_NOW;
}

function markRoute(clock: Clock): Route {
  return route({
    method: "POST",
    path: "/api/tracks/{id}/identity",
    access: "command",
    tag: TAG,
    summary: "Set a track's identity, label or note",
    description:
      "An absent member stays as it is. null removes a label or note, and returns the identity to the automatic rules.",
    params: ById,
    body: MarkTrack,
    reply: { 200: Track },
    errors: ["invalid_input", "not_found", "invalid_state"],
    handle({ params, body, room, principal, refuse }) {
      const { identity, label, note, reason = null } = body;
      if (identity === undefined && label === undefined && note === undefined)
        return refuse("invalid_input", "give at least one of identity, label and note");
      const marks = {
        ...(identity === undefined ? {} : { identity }),
        ...(label === undefined ? {} : { label }),
        ...(note === undefined ? {} : { note }),
      };
      const change = { op: "track_marked", trackId: params.id, actor: actorOf(principal), reason, ...marks } as const;
      const refused = whyGone(room, [params.id]) ?? commit(room, change, clock);
      if (refused !== null) return refuse(refused);
      return { status: 200, data: room.viewOfTrack(room.tracks.get(params.id)!, clock.nowMs()) };
    },
  });
}

function mergeRoute(clock: Clock): Route {
  return route({
    method: "POST",
    path: "/api/tracks/merge",
    access: "command",
    tag: TAG,
    summary: "Merge tracks that are one object",
    description:
      "The first track is kept and combines the estimates of all; the others end with reason `merged`. Late data does not undo it.",
    body: MergeTracks,
    reply: { 200: Track },
    errors: ["invalid_input", "not_found", "invalid_state"],
    handle({ body, room, principal, refuse }) {
      const { track_ids: ids, reason = null } = body;
      if (new Set(ids).size < ids.length) return refuse("invalid_input", "track_ids names a track twice");
      const [keptId, ...otherIds] = ids as [string, ...string[]];
      const change = { op: "tracks_merged", keptId, otherIds, actor: actorOf(principal), reason } as const;
      const refused = whyGone(room, ids) ?? commit(room, change, clock);
      if (refused !== null) return refuse(refused);
      return { status: 200, data: room.viewOfTrack(room.tracks.get(keptId)!, clock.nowMs()) };
    },
  });
}

function splitRoute(clock: Clock): Route {
  return route({
    method: "POST",
    path: "/api/tracks/{id}/split",
    access: "command",
    tag: TAG,
    summary: "Split a track that is two objects",
    description:
      "The track keeps its id and its claimed identity; the other object becomes a new track with `split_from`.",
    params: ById,
    body: SplitTrack,
    reply: { 200: SplitReply },
    errors: ["invalid_input", "not_found", "invalid_state"],
    handle({ params, body, room, principal, refuse }) {
      const before = new Set(partsOf(room, params.id));
      const actor: Actor = actorOf(principal);
      const change = { op: "track_split", trackId: params.id, actor, reason: body.reason ?? null } as const;
      const refused = whyGone(room, [params.id]) ?? commit(room, change, clock);
      if (refused !== null) return refuse(refused);
      const added = partsOf(room, params.id).filter((id) => !before.has(id));
      const tracks = [params.id, ...added].map((id) => room.viewOfTrack(room.tracks.get(id)!, clock.nowMs()));
      return { status: 200, data: { tracks } };
    },
  });
}

/** The live tracks that were split from this one. */
function partsOf(room: RoomFace, id: string): string[] {
  return Array.from(room.tracks.all()).flatMap((track) => (track.splitFrom === id ? [track.id] : []));
}

export function trackEditRoutes(clock: Clock): Route[] {
  return [markRoute(clock), mergeRoute(clock), splitRoute(clock)];
}
