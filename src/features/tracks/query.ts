/**
 * The filters of a track query, and tracks as GeoJSON (RFC 7946, docs/interface.md#tracks). Pure; works on the wire form of
 * tracks.
 */

import { type Refusal, refusal } from "../../domain/errors.ts";
import { isOnEarth } from "../../domain/members.ts";
import { IDENTITIES, TRACK_STATUSES, type Track } from "../../domain/track.ts";

interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

interface TrackFilter {
  readonly refused?: never;
  readonly box: Box | null;
  readonly identities: ReadonlySet<string> | null;
  readonly statuses: ReadonlySet<string> | null;
  readonly qualityMin: number;
}

export interface TracksQueryValues {
  readonly bbox?: string;
  readonly identity?: string;
  readonly status?: string;
  readonly min_quality?: number;
}

export function readTrackFilter(query: TracksQueryValues): TrackFilter | Refusal<"invalid_input"> {
  const box = readBox(query.bbox);
  if (box !== null && "refused" in box) return box;
  const identities = readNames("identity", query.identity, IDENTITIES);
  if (identities !== null && "refused" in identities) return identities;
  const statuses = readNames("status", query.status, TRACK_STATUSES);
  if (statuses !== null && "refused" in statuses) return statuses;
  return { box, identities, statuses, qualityMin: query.min_quality ?? 0 };
}

function readNames(
  name: string,
  list: string | undefined,
  allowed: readonly string[],
): ReadonlySet<string> | null | Refusal<"invalid_input"> {
  if (list === undefined) return null;
  const names = list.split(",").map((part) => part.trim());
  const unknown = names.find((part) => !allowed.includes(part));
  if (unknown !== undefined)
    return refusal("invalid_input", `${name} must be a comma list of ${allowed.join(", ")}, not "${unknown}"`);
  return new Set(names);
}

const NUMBER = /^-?\d+(\.\d+)?$/;

function readBox(text: string | undefined): Box | null | Refusal<"invalid_input"> {
  if (text === undefined) return null;
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length !== 4 || !parts.every((part) => NUMBER.test(part)))
    return refusal("invalid_input", "bbox must be four numbers: minlon,minlat,maxlon,maxlat");
  const [west, south, east, north] = parts.map(Number) as [number, number, number, number];
  if (!isOnEarth(south, west) || !isOnEarth(north, east))
    return refusal("invalid_input", "bbox must be on the earth: longitudes from -180 to 180, latitudes from -90 to 90");
  if (south > north) return refusal("invalid_input", "bbox must have minlat at or below maxlat");
  return { west, south, east, north };
}

/** A box whose west is larger than its east crosses the antimeridian (RFC 7946 §5.2). */
function isInBox(box: Box, lat: number, lon: number): boolean {
  if (lat < box.south || lat > box.north) return false;
  return box.west <= box.east ? lon >= box.west && lon <= box.east : lon >= box.west || lon <= box.east;
}

/** A ray has no position, so it is in no box. */
export function isWanted(filter: TrackFilter, track: Track): boolean {
  if (filter.identities !== null && !filter.identities.has(track.identity)) return false;
  if (filter.statuses !== null && !filter.statuses.has(track.status)) return false;
  if (track.quality < filter.qualityMin) return false;
  if (filter.box === null) return true;
  return track.lat !== null && track.lon !== null && isInBox(filter.box, track.lat, track.lon);
}

/** One feature per track: a point, or no geometry for a ray. */
export function toGeoJson(tracks: readonly Track[]): object {
  return {
    type: "FeatureCollection",
    features: tracks.map((track) => {
      const { lat, lon, alt_hae_m, ...properties } = track;
      const place = lat === null || lon === null ? null : alt_hae_m === null ? [lon, lat] : [lon, lat, alt_hae_m];
      return {
        type: "Feature",
        id: track.id,
        geometry: place === null ? null : { type: "Point", coordinates: place },
        properties: { ...properties, alt_hae_m },
      };
    }),
  };
}
