/** The answer to a push of signals (docs/interface.md#answer-of-a-push), and what a track query may say. */
import { Type } from "typebox";
import { Shape } from "../../domain/shape.ts";
import { IDENTITIES, TRACK_STATUSES } from "../../domain/track.ts";
import { WHOLE_QUERY } from "../../http/page.ts";
import { QueryTime } from "../../http/queryTime.ts";
import { SIGNALS_REJECTED_SHOWN_MAX } from "../../limits.ts";

const Count = Type.Integer({ minimum: 0 });

export const SignalsReply = Shape("SignalsReply", {
  accepted: Type.Integer({ minimum: 0, description: "observations that wait for the next step of the tracker" }),
  duplicates: Type.Integer({
    minimum: 0,
    description:
      "observations whose id, or whose scan's id, was taken before, and all but the last of one aircraft in one scan",
  }),
  late: Type.Integer({ minimum: 0, description: "older than max_lag_s: counted, not fused" }),
  quarantined: Type.Integer({ minimum: 0, description: "more than a second in the future" }),
  rejected: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0, description: "the observation, the NDJSON line or the scan, from 0" }),
      detection: Type.Optional(Type.Integer({ minimum: 0, description: "inside the scan, from 0" })),
      code: Type.Enum([
        "unknown_source",
        "bad_geometry",
        "modality_mismatch",
        "environment_mismatch",
        "invalid_input",
      ] as const),
      error: Type.String(),
    }),
    { maxItems: SIGNALS_REJECTED_SHOWN_MAX, description: `the first ${SIGNALS_REJECTED_SHOWN_MAX}` },
  ),
  rejected_count: Count,
  unknown_members: Type.Integer({ minimum: 0, description: "members that are not known here; they were ignored" }),
  tick: Type.Integer({ minimum: 0, description: "the step of the tracker that fuses what was accepted" }),
});

/** Comma lists; each is read by trackQuery.ts. */
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
    Type.Integer({ minimum: 0, description: "only tracks that were told of after this stream generation" }),
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
  at: Type.String({ format: "date-time" }),
  lat: Type.Number(),
  lon: Type.Number(),
  alt_hae_m: Type.Union([Type.Number(), Type.Null()], { description: "null where nobody measured or told it" }),
  vel_enu_mps: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
  ce90_m: Type.Number(),
});
