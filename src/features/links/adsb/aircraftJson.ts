/**
 * `aircraft.json` of readsb, dump1090-fa and their kin -> `adsb` observations. Pure and total: an entry that makes no sense
 * is counted and left out. Facts: readsb `README-json.md`; older dump1090 spells altitude, speed and vert_rate differently.
 */

const FEET_M = 0.3048;
const KNOT_MPS = 1852 / 3600;
const FEET_PER_MINUTE_MPS = FEET_M / 60;
/** A position older than this is no news. */
const POSITION_AGE_MAX_S = 15;
/** A far clock that is off by more is not believed: our own time of receipt is taken instead. */
const CLOCK_OFFSET_MAX_MS = 1000;
const AIRCRAFT_MAX = 20_000;

type Entry = Readonly<Record<string, unknown>>;

export interface Decoded {
  readonly observations: readonly Record<string, unknown>[];
  /** Entries that could not be read. */
  readonly bad: number;
  /** Far clock minus ours, milliseconds; null when it tells no time. */
  readonly offsetMs: number | null;
}

const num = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);
const scaled = (value: unknown, scale: number): number | null => {
  const number = num(value);
  return number === null ? null : Math.round(number * scale * 1000) / 1000;
};
const within = (value: number | null, min: number, max: number): number | null =>
  value !== null && value >= min && value <= max ? value : null;
const whole = (value: unknown, max: number): number | null => {
  const number = num(value);
  return number !== null && Number.isInteger(number) && number >= 0 && number <= max ? number : null;
};
const word = (value: unknown, lengthMax: number): string | null => {
  if (typeof value !== "string") return null;
  const clean = value.replaceAll(/[^\x20-\x7e]/g, "").trim();
  return clean === "" || clean.length > lengthMax ? null : clean;
};

/** null: this is no aircraft.json. `seenPositions` remembers, by aircraft, the time of its last position; it is updated. */
export function decodeAircraft(json: unknown, receivedMs: number, seenPositions: Map<string, number>): Decoded | null {
  const file = json as { now?: unknown; aircraft?: unknown } | null;
  if (typeof file !== "object" || file === null || !Array.isArray(file.aircraft)) return null;
  const farNowMs = num(file.now) === null ? null : (file.now as number) * 1000;
  const offsetMs = farNowMs === null ? null : Math.round(farNowMs - receivedMs);
  const nowMs = farNowMs !== null && Math.abs(offsetMs!) <= CLOCK_OFFSET_MAX_MS ? farNowMs : receivedMs;
  const observations: Record<string, unknown>[] = [];
  let bad = Math.max(0, file.aircraft.length - AIRCRAFT_MAX);
  for (const entry of file.aircraft.slice(0, AIRCRAFT_MAX)) {
    const read = typeof entry === "object" && entry !== null ? decodeEntry(entry as Entry, nowMs) : "bad";
    if (read === "bad") bad++;
    else if (read !== null && isNews(read, seenPositions)) observations.push(read);
  }
  forget(seenPositions, nowMs);
  return { observations, bad, offsetMs };
}

/** null: it has no fresh position. */
function decodeEntry(entry: Entry, nowMs: number): Record<string, unknown> | "bad" | null {
  const hex = typeof entry.hex === "string" ? entry.hex.trim() : "";
  if (!/^~?[0-9a-f]{6}$/i.test(hex)) return "bad";
  const lat = num(entry.lat);
  const lon = num(entry.lon);
  if (lat === null || lon === null) return null;
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return "bad";
  const ageS = num(entry.seen_pos) ?? num(entry.seen) ?? 0;
  if (ageS < 0) return "bad";
  if (ageS > POSITION_AGE_MAX_S) return null;
  const baro = entry.alt_baro ?? entry.altitude;
  return {
    icao: hex.toLowerCase(),
    address_kind: hex.startsWith("~") ? "non_icao" : "icao",
    measured_at: Math.round(nowMs - ageS * 1000),
    lat,
    lon,
    // "ground" is no height.
    alt_baro_m: within(scaled(baro, FEET_M), -500, 100_000),
    alt_hae_m: within(scaled(entry.alt_geom, FEET_M), -500, 100_000),
    gs_mps: within(scaled(entry.gs ?? entry.speed, KNOT_MPS), 0, 1000),
    track_deg: within(num(entry.track), 0, 359.9999),
    vrate_mps: within(scaled(entry.geom_rate ?? entry.baro_rate ?? entry.vert_rate, FEET_PER_MINUTE_MPS), -1000, 1000),
    callsign: word(entry.flight, 16),
    category: word(entry.category, 8),
    squawk: word(entry.squawk, 4),
    emergency: word(entry.emergency, 32),
    nic: whole(entry.nic, 15),
    nac_p: whole(entry.nac_p, 15),
    nac_v: whole(entry.nac_v, 7),
    sil: whole(entry.sil, 3),
    gva: whole(entry.gva, 3),
    position_age_s: ageS,
    source_kind: word(entry.type, 32) ?? "adsb_other",
    rssi_dbfs: within(num(entry.rssi), -300, 100),
  };
}

function isNews(observation: Record<string, unknown>, seen: Map<string, number>): boolean {
  const icao = observation.icao as string;
  const atMs = observation.measured_at as number;
  const last = seen.get(icao);
  // A tenth of a second is how exact the age is.
  if (last !== undefined && atMs - last < 100) return false;
  seen.set(icao, atMs);
  return true;
}

function forget(seen: Map<string, number>, nowMs: number): void {
  for (const [icao, atMs] of seen) if (nowMs - atMs > 60_000) seen.delete(icao);
}
