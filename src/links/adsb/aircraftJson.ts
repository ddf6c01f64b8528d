/**
 * `aircraft.json` of readsb, dump1090-fa and similar -> `adsb` observations. Total: an invalid entry is counted and left out. A
 * position that was reported before, and a file that is not updated any more, make no observation. Source: readsb
 * `README-json.md`; older dump1090 has other names for altitude, speed and vert_rate.
 */
import { isOnEarth } from "../../domain/members.ts";
import { finite, within } from "../../lib/numbers.ts";
import { FarClock } from "../net/farClock.ts";
import { readAddress, readSquawk, type TransponderAddress } from "./address.ts";

const FEET_M = 0.3048;
const KNOT_MPS = 1852 / 3600;
const FEET_PER_MINUTE_MPS = FEET_M / 60;
/** Greatest age of a position that makes an observation. */
const POSITION_AGE_MAX_S = 15;
const AIRCRAFT_MAX = 20_000;
/** Least time for which an aircraft's last position is remembered, unless as many others came as a file may have. */
const SEEN_MS = 60_000;

type Entry = Readonly<Record<string, unknown>>;

interface Decoded {
  readonly observations: readonly Record<string, unknown>[];
  /** Entries that could not be read. */
  readonly bad: number;
}

const scaled = (value: unknown, scale: number): number | null => {
  const number = finite(value);
  return number === null ? null : Math.round(number * scale * 1000) / 1000;
};
const whole = (value: unknown, max: number): number | null => {
  const number = finite(value);
  return number !== null && Number.isInteger(number) && number >= 0 && number <= max ? number : null;
};
const word = (value: unknown, lengthMax: number): string | null => {
  if (typeof value !== "string") return null;
  const clean = value.replaceAll(/[^\x20-\x7e]/g, "").trim();
  return clean === "" || clean.length > lengthMax ? null : clean;
};

/** The file of one receiver, poll by poll. */
export class AircraftFile {
  #clock = new FarClock();
  /** By aircraft: far time of its last position, in two generations, of which the older is dropped as a whole. */
  #seen = new Map<string, number>();
  #seenBefore = new Map<string, number>();
  #seenFromMs = Number.NEGATIVE_INFINITY;
  #farNowMs = Number.NaN;
  #movedAtMs = Number.NaN;

  get remembered(): number {
    return this.#seen.size + this.#seenBefore.size;
  }

  /** Far clock minus ours; null: the file has no time. */
  get offsetMs(): number | null {
    return this.#clock.offsetMs;
  }

  /** How long the file has not changed; 0: it has no time. */
  standsStillMs(receivedMs: number): number {
    return Number.isNaN(this.#movedAtMs) ? 0 : receivedMs - this.#movedAtMs;
  }

  /** null: this is not an aircraft.json. */
  read(json: unknown, receivedMs: number): Decoded | null {
    const file = json as { now?: unknown; aircraft?: unknown } | null;
    if (typeof file !== "object" || file === null || !Array.isArray(file.aircraft)) return null;
    const now = finite(file.now);
    const farNowMs = now === null ? receivedMs : now * 1000;
    if (now !== null) this.#noteNow(farNowMs, receivedMs);
    const nowMs = now === null ? receivedMs : this.#clock.toOurs(farNowMs);
    if (receivedMs - this.#seenFromMs > SEEN_MS) this.#turnOver(receivedMs);
    const observations: Record<string, unknown>[] = [];
    let bad = Math.max(0, file.aircraft.length - AIRCRAFT_MAX);
    for (const entry of file.aircraft.slice(0, AIRCRAFT_MAX)) {
      const read = typeof entry === "object" && entry !== null ? decodeEntry(entry as Entry, nowMs ?? 0) : "bad";
      if (read === "bad") bad++;
      else if (read !== null && nowMs !== null && this.#isNews(read, farNowMs, receivedMs)) observations.push(read);
    }
    return { observations, bad };
  }

  #noteNow(farNowMs: number, receivedMs: number): void {
    if (farNowMs === this.#farNowMs) return;
    if (farNowMs < this.#farNowMs) {
      // Its clock was set back, so earlier times cannot be compared with new ones.
      this.#clock = new FarClock();
      this.#seen.clear();
      this.#seenBefore.clear();
    }
    this.#clock.note(farNowMs, receivedMs);
    this.#farNowMs = farNowMs;
    this.#movedAtMs = receivedMs;
  }

  #isNews(observation: Record<string, unknown>, farNowMs: number, receivedMs: number): boolean {
    const icao = observation.icao as string;
    const atMs = farNowMs - (observation.position_age_s as number) * 1000;
    const last = this.#seen.get(icao) ?? this.#seenBefore.get(icao);
    // The age has a resolution of a tenth of a second.
    if (last !== undefined && atMs - last < 100) return false;
    this.#seen.set(icao, atMs);
    if (this.#seen.size >= AIRCRAFT_MAX) this.#turnOver(receivedMs);
    return true;
  }

  #turnOver(receivedMs: number): void {
    this.#seenBefore = this.#seen;
    this.#seen = new Map();
    this.#seenFromMs = receivedMs;
  }
}

/** dump1090 writes no `type`; it lists the members that are not from the aircraft itself. */
function kindWithoutType(entry: Entry, address: TransponderAddress): string {
  const isOf = (list: unknown) => Array.isArray(list) && list.includes("lat");
  const isAddressed = address.address_kind === "icao";
  if (isOf(entry.mlat)) return "mlat";
  if (isOf(entry.tisb)) return isAddressed ? "tisb_icao" : "tisb_other";
  return isAddressed ? "adsb_icao" : "adsb_other";
}

/** null: it has no recent position. */
function decodeEntry(entry: Entry, nowMs: number): Record<string, unknown> | "bad" | null {
  const address = readAddress(typeof entry.hex === "string" ? entry.hex : "");
  if (address === null) return "bad";
  const lat = finite(entry.lat);
  const lon = finite(entry.lon);
  // 0, 0 means that the position was never set.
  if (lat === null || lon === null || (lat === 0 && lon === 0)) return null;
  if (!isOnEarth(lat, lon)) return "bad";
  const ageS = finite(entry.seen_pos) ?? finite(entry.seen) ?? 0;
  if (ageS < 0) return "bad";
  if (ageS > POSITION_AGE_MAX_S) return null;
  const baro = entry.alt_baro ?? entry.altitude;
  return {
    ...address,
    measured_at: Math.round(nowMs - ageS * 1000),
    lat,
    lon,
    // The value "ground" is not a height.
    alt_baro_m: within(scaled(baro, FEET_M), -500, 100_000),
    alt_hae_m: within(scaled(entry.alt_geom, FEET_M), -500, 100_000),
    gs_mps: within(scaled(entry.gs ?? entry.speed, KNOT_MPS), 0, 1000),
    track_deg: within(finite(entry.track), 0, 360),
    vrate_mps: within(scaled(entry.geom_rate ?? entry.baro_rate ?? entry.vert_rate, FEET_PER_MINUTE_MPS), -1000, 1000),
    callsign: word(entry.flight, 16),
    category: word(entry.category, 8),
    squawk: readSquawk(entry.squawk),
    emergency: word(entry.emergency, 32),
    nic: whole(entry.nic, 15),
    nac_p: whole(entry.nac_p, 15),
    nac_v: whole(entry.nac_v, 7),
    sil: whole(entry.sil, 3),
    gva: whole(entry.gva, 3),
    position_age_s: ageS,
    source_kind: word(entry.type, 32) ?? kindWithoutType(entry, address),
    rssi_dbfs: within(finite(entry.rssi), -300, 100),
  };
}
