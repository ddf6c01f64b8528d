/** Shapes of the requests about tracks, and of the answers that are no Track (docs/interface.md#tracks). */
import { type Static, Type } from "typebox";
import { nullable, Shape, UtcTime } from "../../domain/shape.ts";
import { Line } from "../../domain/text.ts";
import { IDENTITIES, TRACK_STATUSES, Track } from "../../domain/track.ts";
import { WHOLE_QUERY } from "../../http/page.ts";
import { QueryTime } from "../../http/queryTime.ts";
import { MERGED_TRACKS_MAX, TRACK_LABEL_LENGTH_MAX, TRACK_NOTE_LENGTH_MAX } from "../../limits.ts";

/** Comma lists; each is read by query.ts. */
export const TracksQuery = Type.Object({
  bbox: Type.Optional(
    Type.String({
      maxLength: 200,
      description: "minlon,minlat,maxlon,maxlat; minlon larger than maxlon crosses the antimeridian",
    }),
  ),
  identity: Type.Optional(Type.String({ maxLength: 200, description: `comma list of ${IDENTITIES.join(", ")}` })),
  status: Type.Optional(Type.String({ maxLength: 200, description: `comma list of ${TRACK_STATUSES.join(", ")}` })),
  min_quality: Type.Optional(Type.Integer({ minimum: 0, maximum: 15 })),
  since_gen: Type.Optional(
    Type.Integer({ minimum: 0, description: "only tracks that were sent on the stream after this generation" }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "geojson"] as const, { description: "geojson: a bare RFC 7946 FeatureCollection" }),
  ),
  ...WHOLE_QUERY,
});

/** RFC 7946; a track without a position has no geometry. */
export const TrackFeatures = Shape("TrackFeatures", {
  type: Type.Literal("FeatureCollection"),
  features: Type.Array(
    Type.Object({
      type: Type.Literal("Feature"),
      id: Type.String(),
      geometry: Type.Union([
        Type.Object({
          type: Type.Literal("Point"),
          coordinates: Type.Array(Type.Number(), { minItems: 2, maxItems: 3, description: "lon, lat, alt_hae_m" }),
        }),
        Type.Null(),
      ]),
      properties: Type.Record(Type.String(), Type.Unknown(), { description: "the track without its position" }),
    }),
  ),
});

export const HistoryQuery = Type.Object({ since: QueryTime, ...WHOLE_QUERY });

export const HistoryPoint = Shape("HistoryPoint", {
  at: UtcTime,
  lat: Type.Number(),
  lon: Type.Number(),
  alt_hae_m: Type.Union([Type.Number(), Type.Null()], { description: "null where it is unknown" }),
  vel_enu_mps: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
  ce90_m: Type.Number(),
});

export const ExplainQuery = Type.Object({ since: QueryTime, ...WHOLE_QUERY });

const Reason = Type.Optional(Line(TRACK_NOTE_LENGTH_MAX));

/** An absent member stays as it is; null removes it, and returns `identity` to the automatic rules. */
export const MarkTrack = Shape("MarkTrack", {
  identity: Type.Optional(nullable(Type.Enum(IDENTITIES))),
  label: Type.Optional(nullable(Line(TRACK_LABEL_LENGTH_MAX))),
  note: Type.Optional(nullable(Line(TRACK_NOTE_LENGTH_MAX))),
  reason: Reason,
});
export type MarkTrack = Static<typeof MarkTrack>;

export const MergeTracks = Shape("MergeTracks", {
  track_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 2,
    maxItems: MERGED_TRACKS_MAX,
    description: "the track to keep, then those that are the same object",
  }),
  reason: Reason,
});

export const SplitTrack = Shape("SplitTrack", { reason: Reason });
export const SplitReply = Shape("SplitReply", {
  tracks: Type.Array(Track, { description: "the track, then the new one" }),
});
