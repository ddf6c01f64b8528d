/**
 * SBS-1 (BaseStation) lines -> `adsb` observations. Each line has one kind of value, so the last values of an aircraft are kept
 * for a while (motion for seconds only) and go with each position. Pure except for that table, which is bounded. Dates in the
 * lines are the feeder's local time without a zone: the time of receipt is used instead.
 * Source: Kinetic BaseStation socket output as documented at woodair.net/sbs/article/barebones42_socket_data.htm.
 */
import { isOnEarth } from "../../domain/members.ts";
import { readAddress, readSquawk } from "./address.ts";

const FEET_M = 0.3048;
const KNOT_MPS = 1852 / 3600;
const FEET_PER_MINUTE_MPS = FEET_M / 60;
const AIRCRAFT_MAX = 5000;
/** How long slowly changing values and motion are kept. */
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

  /** An observation; null: the line has no position; "bad": it is not a line of this protocol. */
  decode(line: string, nowMs: number): Record<string, unknown> | "bad" | null {
    const f = line.split(",");
    // Lines of other kinds (SEL, ID, AIR, STA, CLK) have nothing that we use.
    if (/^(SEL|ID|AIR|STA|CLK)$/.test(f[0] ?? "")) return null;
    const address = readAddress(f[4] ?? "");
    // Most feeders write multilateration results as MSG, some as MLAT.
    if (!/^(MSG|MLAT)$/.test(f[0] ?? "") || !/^[1-8]$/.test(f[1] ?? "") || address === null) return "bad";
    const aircraft = this.#of(address.icao, nowMs);
    this.#note(aircraft, f, nowMs);
    const lat = number(f[14]);
    const lon = number(f[15]);
    // 0, 0 means that the position was never set.
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
    // Moves to the end, so that the first entry is the one silent longest.
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
    // dump1090 in GNSS mode writes an H after heights above the ellipsoid.
    const isGeometric = /^\s*-?[\d.]+H\s*$/.test(f[11] ?? "");
    set(isGeometric ? "alt_hae_m" : "alt_baro_m", scaled(f[11]?.replace("H", ""), FEET_M, -500, 100_000));
    set("gs_mps", scaled(f[12], KNOT_MPS, 0, 1000));
    set("track_deg", scaled(f[13], 1, 0, 360));
    set("vrate_mps", scaled(f[16]?.replace("H", ""), FEET_PER_MINUTE_MPS, -1000, 1000));
    set("squawk", readSquawk(f[17]));
    // readsb writes the accuracy of a multilateration here.
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
/** Byte order mark, read as Latin 1. Some feeders send one first. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;

/** Splits a stream into lines. A line longer than the bound is skipped and counted. */
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
