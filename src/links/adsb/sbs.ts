/**
 * SBS-1 (BaseStation) lines -> `adsb` observations. The lines of one aircraft say one thing each, so what was said last is
 * kept a while (its motion for seconds only) and told with each position. Pure but for that table, which is bounded. The dates in the lines are local
 * time of the feeder, without a zone: they are not read, the time of receipt is.
 * Source: Kinetic BaseStation socket output as documented at woodair.net/sbs/article/barebones42_socket_data.htm.
 */
import { isOnEarth } from "../../domain/members.ts";
import { readAddress, readSquawk } from "./address.ts";

const FEET_M = 0.3048;
const KNOT_MPS = 1852 / 3600;
const FEET_PER_MINUTE_MPS = FEET_M / 60;
const AIRCRAFT_MAX = 5000;
/** What stays as it is for long, and what is moving on. */
const FIELD_AGE_MAX_MS = 60_000;
const MOTION_AGE_MAX_MS = 3000;
const MOTION: ReadonlySet<string> = new Set(["gs_mps", "track_deg", "vrate_mps", "alt_baro_m", "alt_hae_m"]);

interface Aircraft {
  atMs: number;
  readonly fields: Map<string, { readonly value: unknown; readonly atMs: number }>;
}

const number = (text: string | undefined): number | null => {
  if (text === undefined || text.trim() === "") return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
};
const scaled = (text: string | undefined, scale: number, min: number, max: number): number | null => {
  const value = number(text);
  if (value === null) return null;
  const metric = Math.round(value * scale * 1000) / 1000;
  return metric >= min && metric <= max ? metric : null;
};

export class SbsDecoder {
  readonly #aircraft = new Map<string, Aircraft>();

  get aircraft(): number {
    return this.#aircraft.size;
  }

  /** An observation, null when the line tells no position, "bad" when it is no line of this protocol. */
  decode(line: string, nowMs: number): Record<string, unknown> | "bad" | null {
    const f = line.split(",");
    // Other kinds of lines (SEL, ID, AIR, STA, CLK) tell nothing of use here.
    if (/^(SEL|ID|AIR|STA|CLK)$/.test(f[0] ?? "")) return null;
    const address = readAddress(f[4] ?? "");
    // What multilateration found comes as MSG from most, as MLAT from some.
    if (!/^(MSG|MLAT)$/.test(f[0] ?? "") || !/^[1-8]$/.test(f[1] ?? "") || address === null) return "bad";
    const aircraft = this.#of(address.icao, nowMs);
    this.#note(aircraft, f, nowMs);
    const lat = number(f[14]);
    const lon = number(f[15]);
    // 0, 0 is where positions are that were never set.
    if (lat === null || lon === null || (lat === 0 && lon === 0)) return null;
    if (!isOnEarth(lat, lon)) return "bad";
    return {
      ...address,
      measured_at: Math.round(nowMs),
      lat,
      lon,
      source_kind: f[0] === "MLAT" ? "mlat" : address.address_kind === "icao" ? "adsb_icao" : "adsb_other",
      ...this.#recent(aircraft, nowMs),
    };
  }

  #of(hex: string, nowMs: number): Aircraft {
    let aircraft = this.#aircraft.get(hex);
    // At the end again: the first is the one that was silent longest.
    this.#aircraft.delete(hex);
    aircraft ??= { atMs: nowMs, fields: new Map() };
    if (this.#aircraft.size >= AIRCRAFT_MAX) this.#aircraft.delete(this.#aircraft.keys().next().value!);
    aircraft.atMs = nowMs;
    this.#aircraft.set(hex, aircraft);
    return aircraft;
  }

  #note(aircraft: Aircraft, f: readonly string[], nowMs: number): void {
    const set = (name: string, value: unknown) => {
      if (value !== null && value !== "") aircraft.fields.set(name, { value, atMs: nowMs });
    };
    set(
      "callsign",
      (f[10] ?? "")
        .replaceAll(/[^\x20-\x7e]/g, "")
        .trim()
        .slice(0, 16),
    );
    // dump1090 that was told to use GNSS heights writes an H behind them: those are above the ellipsoid.
    const isGeometric = /^\s*-?[\d.]+H\s*$/.test(f[11] ?? "");
    set(isGeometric ? "alt_hae_m" : "alt_baro_m", scaled(f[11]?.replace("H", ""), FEET_M, -500, 100_000));
    set("gs_mps", scaled(f[12], KNOT_MPS, 0, 1000));
    set("track_deg", scaled(f[13], 1, 0, 360));
    set("vrate_mps", scaled(f[16]?.replace("H", ""), FEET_PER_MINUTE_MPS, -1000, 1000));
    set("squawk", readSquawk(f[17]));
    // There readsb writes how exact the found place is.
    if (f[0] === "MLAT") return;
    const emergency = f[19]?.trim() ?? "";
    if (/^-?1$/.test(emergency)) set("emergency", "general");
    else if (emergency === "0") aircraft.fields.delete("emergency");
  }

  #recent(aircraft: Aircraft, nowMs: number): Record<string, unknown> {
    const recent: Record<string, unknown> = {};
    for (const [name, { value, atMs }] of aircraft.fields)
      if (nowMs - atMs <= (MOTION.has(name) ? MOTION_AGE_MAX_MS : FIELD_AGE_MAX_MS)) recent[name] = value;
      else aircraft.fields.delete(name);
    return recent;
  }
}

const LINE_BYTES_MAX = 512;
/** In Latin 1, as lines are read. Some feeders begin with it. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Lines out of a stream of pieces. A line that grows over its bound is thrown away up to its end, counted. */
export class LineSplitter {
  #rest = "";
  #skipping = false;
  bad = 0;

  push(piece: string): string[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop()!;
    if (this.#skipping && lines.length > 0) {
      lines.shift();
      this.#skipping = false;
    }
    if (this.#rest.length > LINE_BYTES_MAX) {
      if (!this.#skipping) this.bad++;
      this.#skipping = true;
      this.#rest = "";
    }
    const whole = lines.map((line) => line.replace(BYTE_ORDER_MARK, "").trimEnd()).filter((line) => line !== "");
    this.bad += whole.filter((line) => line.length > LINE_BYTES_MAX).length;
    return whole.filter((line) => line.length <= LINE_BYTES_MAX);
  }
}
