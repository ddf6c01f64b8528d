/** Explains the last scans of one track after the fact (docs/interface.md#explain). */
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { Type } from "typebox";
import { isRefusal } from "../../domain/errors.ts";
import { FusionExplain } from "../../domain/fusionExplain.ts";
import { pageOf } from "../../http/page.ts";
import { readQueryTime } from "../../http/queryTime.ts";
import { ById, type Route, route } from "../../http/route.ts";
import { EXPLAINS_OF_TRACK_MAX } from "../../limits.ts";
import type { RoomFace } from "../../room/face.ts";
import { ExplainQuery } from "./schema.ts";

const AGAIN = { "Retry-After": "1" };

/** Yields to the rest of the service between two slices of the work. */
async function inSlices<T>(work: Generator<undefined, T, undefined>): Promise<T> {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
    await yieldToOthers();
  }
}

/** Rooms that are computing an answer. One at a time, because a large answer takes seconds. */
const busy = new WeakSet<RoomFace>();

export function explainRoute(): Route {
  return route({
    method: "GET",
    path: "/api/tracks/{id}/explain",
    access: "read",
    tag: "Tracks",
    summary: "How the last scans of a track were fused",
    description:
      `The last ${EXPLAINS_OF_TRACK_MAX} at most of those that are kept (a minute of scans, less in a room with very many), newest first. ` +
      "They are computed again from kept states of the tracker, so they equal the stream's `fusion_explain` events of these scans.",
    params: ById,
    query: ExplainQuery,
    reply: { 200: Type.Array(FusionExplain) },
    errors: ["not_found", "invalid_input", "overloaded"],
    async handle({ params, query, room, refuse }) {
      const since = readQueryTime("since", query.since);
      if (isRefusal(since)) return refuse(since);
      const track = room.tracks.get(params.id);
      const work = track && room.explainsOf(track, (since?.getTime() ?? 0) * 1000, EXPLAINS_OF_TRACK_MAX);
      if (work == null) return refuse("not_found", `no live track ${params.id} in this workspace`);
      if (busy.has(room)) return refuse("overloaded", "another explanation is being worked out; ask again", AGAIN);
      busy.add(room);
      const { explains } = await inSlices(work).finally(() => busy.delete(room));
      const newestFirst = [...explains].reverse();
      const path = `/api/tracks/${encodeURIComponent(params.id)}/explain`;
      // The keys of a page must grow, and the newest scan comes first: so the key is the scan's age.
      const ageOf = ({ scan_at: at, sensor_id: sensor, scan_id: scan }: FusionExplain) =>
        `${String(8.64e15 - Date.parse(at)).padStart(16, "0")} ${sensor} ${scan}`;
      const page = pageOf(path, query, newestFirst, ageOf);
      return isRefusal(page) ? refuse(page) : { status: 200, ...page };
    },
  });
}
