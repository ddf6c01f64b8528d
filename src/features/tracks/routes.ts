/** GET /api/tracks, one track, and its history. Reads the room's picture; changes nothing. */
import { Type } from "typebox";
import { isRefusal } from "../../domain/errors.ts";
import { Track } from "../../domain/track.ts";
import { pageOf } from "../../http/page.ts";
import { readQueryTime } from "../../http/queryTime.ts";
import { ById, type Route, route } from "../../http/route.ts";
import { type Clock, toRfc3339 } from "../../lib/clock.ts";
import { round } from "../../lib/numbers.ts";
import { trackEditRoutes } from "./editRoutes.ts";
import { explainRoute } from "./explainRoute.ts";
import { isWanted, readTrackFilter, toGeoJson } from "./query.ts";
import { HistoryPoint, HistoryQuery, TrackFeatures, TracksQuery } from "./schema.ts";

const JSON_TYPE = "application/json";

const isEmpty = (query: object) => Object.keys(query).length === 0;

export function trackRoutes({ clock }: { readonly clock: Clock }): Route[] {
  return [listTracks(), getTrack(), getTrackHistory(), explainRoute(), ...trackEditRoutes(clock)];
}

function listTracks(): Route {
  return route({
    method: "GET",
    path: "/api/tracks",
    access: "read",
    tag: "Tracks",
    summary: "Every live track",
    description:
      "All live tracks of the workspace, or those that pass every given filter. `bbox` leaves out tracks without a position " +
      "(bearing only); `since_gen` keeps those sent on the stream after that generation. With `format=geojson` the answer is a bare " +
      "FeatureCollection (RFC 7946), outside the envelope. Pages are in the order of the tracks' numbers.",
    query: TracksQuery,
    reply: { 200: Type.Array(Track) },
    otherForms: { "application/geo+json": TrackFeatures },
    errors: ["invalid_input"],
    handle({ query, room, request, refuse }) {
      const nowMs = request.receivedAtMs;
      const { since_gen, format, ...choice } = query;
      if (since_gen === undefined && format !== "geojson" && isEmpty(choice))
        return { status: 200, bytes: room.encoded.tracksBody(), contentType: JSON_TYPE };
      const filter = readTrackFilter(query);
      if (isRefusal(filter)) return refuse(filter);
      const tracks: Track[] = [];
      for (const track of room.tracks.all()) {
        if (since_gen !== undefined && track.sentGeneration <= since_gen) continue;
        const wire = room.viewOfTrack(track, nowMs);
        if (isWanted(filter, wire)) tracks.push(wire);
      }
      const page = pageOf("/api/tracks", query, tracks, ({ number }) => String(number).padStart(8, "0"));
      if (isRefusal(page)) return refuse(page);
      if (format !== "geojson") return { status: 200, ...page };
      const bytes = Buffer.from(JSON.stringify(toGeoJson(page.data)));
      return { status: 200, bytes, contentType: "application/geo+json", headers: page.headers };
    },
  });
}

function getTrack(): Route {
  return route({
    method: "GET",
    path: "/api/tracks/{id}",
    access: "read",
    tag: "Tracks",
    summary: "One live track",
    params: ById,
    reply: { 200: Track },
    errors: ["not_found"],
    handle({ params, room, request, refuse }) {
      const track = room.tracks.get(params.id);
      if (track === undefined) return refuse("not_found", `no live track ${params.id} in this workspace`);
      return { status: 200, data: room.viewOfTrack(track, request.receivedAtMs) };
    },
  });
}

function getTrackHistory(): Route {
  return route({
    method: "GET",
    path: "/api/tracks/{id}/history",
    access: "read",
    tag: "Tracks",
    summary: "A track's past positions",
    description:
      "One point a second, the last hour at most, oldest first; also for ended tracks, while the room keeps their history.",
    params: ById,
    query: HistoryQuery,
    reply: { 200: Type.Array(HistoryPoint) },
    errors: ["not_found", "invalid_input"],
    handle({ params, query, room, refuse }) {
      const since = readQueryTime("since", query.since);
      if (isRefusal(since)) return refuse(since);
      if (!room.histories.has(params.id) && room.tracks.get(params.id) === undefined)
        return refuse("not_found", `no track ${params.id} in this workspace`);
      const points = room.histories.points(params.id, since?.getTime() ?? 0).map((p) => ({
        at: toRfc3339(p.atMs),
        lat: round(p.lat, 7),
        lon: round(p.lon, 7),
        alt_hae_m: p.altHaeM === null ? null : round(p.altHaeM, 2),
        vel_enu_mps: p.velEnuMps.map((speed) => round(speed, 2)),
        ce90_m: round(p.ce90M, 2),
      }));
      const page = pageOf(`/api/tracks/${encodeURIComponent(params.id)}/history`, query, points, ({ at }) => at);
      return isRefusal(page) ? refuse(page) : { status: 200, ...page };
    },
  });
}
