/**
 * What sensors and feeders push in a simulated run: the demo's sky, late, shuffled, repeated and lost; observations of every
 * modality; and what a broken or hostile sender puts into a body.
 */
import { Packr } from "msgpackr";
import { MODALITIES, type Modality } from "../../../src/domain/modality.ts";
import { SITE } from "../../../src/sim/contacts.ts";
import { scansBetween } from "../../../src/sim/sensors.ts";
import type { Draws } from "./draws.ts";

interface Body {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

type Wire = Record<string, unknown>;

const packr = new Packr({ useRecords: false });
/** In place of a good value, somewhere. */
const BAD: readonly unknown[] = [null, "x", -1e9, {}, [], true, "\ud800", 361, -0, "", "1800000000000", [null]];
/** One radio bearing sensor, one camera and so on: more sources than that a run does not need. */
const SOURCES = 2;
const REPEATED_IDS = 40;
/** More than one piece of a step. */
const BURST_SCANS = 1100;

export class SensorFeed {
  readonly #draws: Draws;
  readonly #startMs: number;
  /** The sky of a seed begins somewhere else on its curves. */
  readonly #skyStartMs: number;
  #skyUntilMs: number;
  #held: { readonly dueMs: number; readonly scan: object }[] = [];
  #burstLeft = 1;

  constructor(draws: Draws, startMs: number) {
    this.#draws = draws;
    this.#startMs = startMs;
    this.#skyStartMs = startMs - 1000 * draws.below(600);
    this.#skyUntilMs = startMs;
  }

  /** Bodies that arrive now; `names` are those under which platforms may report themselves. */
  bodies(nowMs: number, names: readonly string[]): Body[] {
    const draws = this.#draws;
    const bodies: Body[] = [];
    const scans = this.#sky(nowMs);
    if (scans.length > 0) bodies.push(this.#packed({ scans }));
    if (draws.chance(0.04)) {
      const signals = Array.from({ length: 1 + draws.below(6) }, () => this.#observation(nowMs, names));
      bodies.push(this.#packed({ signals }));
    }
    if (draws.chance(0.004)) bodies.push(this.#broken());
    if (this.#burstLeft > 0 && nowMs > this.#startMs + 5000 && draws.chance(0.002)) {
      this.#burstLeft--;
      bodies.push(this.#packed({ signals: this.#burst(nowMs) }));
      // So late that nothing of it is fused; but it has to fit.
      bodies.push(this.#packed({ signals: this.#burst(nowMs - 60_000) }));
    }
    return bodies;
  }

  // ---- the sky

  #sky(nowMs: number): object[] {
    const draws = this.#draws;
    if (nowMs > this.#skyUntilMs) {
      const scans = scansBetween(this.#skyStartMs, this.#skyUntilMs, nowMs);
      this.#skyUntilMs = nowMs;
      for (const scan of scans) this.#hold(scan, nowMs);
    }
    const due = this.#held.filter(({ dueMs }) => dueMs <= nowMs).map(({ scan }) => scan);
    if (due.length === 0) return due;
    this.#held = this.#held.filter(({ dueMs }) => dueMs > nowMs);
    return draws.shuffled(due);
  }

  #hold(scan: object, nowMs: number): void {
    const draws = this.#draws;
    if (draws.chance(0.04)) return;
    const lateMs = draws.chance(0.02) ? 20_000 : draws.chance(0.2) ? draws.between(100, 2500) : draws.between(5, 60);
    this.#held.push({ dueMs: nowMs + lateMs, scan: draws.chance(0.03) ? this.#spoilt(scan) : scan });
    if (draws.chance(0.04)) this.#held.push({ dueMs: nowMs + draws.between(5, 1500), scan });
  }

  /** More scans than one step takes in one piece. */
  #burst(nowMs: number): object[] {
    const [north, east] = [this.#draws.between(-0.01, 0.01), this.#draws.between(-0.01, 0.01)];
    return Array.from({ length: BURST_SCANS }, (_, i) => ({
      source_id: "burst",
      modality: "remote_id",
      measured_at: nowMs - BURST_SCANS + i,
      uas_id: `BURST${i % 3}`,
      lat: SITE.lat + north + 1e-4 * (i % 3),
      lon: SITE.lon + east,
      alt_hae_m: 200,
    }));
  }

  // ---- single observations

  #observation(nowMs: number, names: readonly string[]): unknown {
    const draws = this.#draws;
    if (draws.chance(0.02)) return draws.pick(BAD);
    const modality = draws.pick(MODALITIES);
    const ageMs = draws.chance(0.03) ? draws.pick([-60_000, -1500, 30_000]) : draws.between(0, 800);
    const wire: Wire = {
      source_id: `${modality}-${draws.below(SOURCES)}`,
      modality,
      measured_at: Math.round(nowMs - ageMs),
      ...this.#geometry(modality, names),
    };
    if (draws.chance(0.5)) wire.sensor_pose = { ...this.#place(0.02), yaw_deg: draws.below(360) };
    if (draws.chance(0.4)) wire.source_obs_id = `obs-${draws.below(REPEATED_IDS)}`;
    if (draws.chance(0.03)) wire.env = draws.pick(["live", "sim"]);
    if (draws.chance(0.05)) wire.unheard_of = { deep: [1, { __proto__: null }] };
    if (draws.chance(0.02)) Object.defineProperty(wire, "__proto__", { value: "own", enumerable: true });
    return draws.chance(0.08) ? this.#spoilt(wire) : wire;
  }

  #geometry(modality: Modality, names: readonly string[]): Wire {
    const draws = this.#draws;
    const bearing = { az_deg: draws.between(0, 360), el_deg: draws.between(0, 30) };
    const ranged = { ...bearing, range_m: draws.between(100, 4000) };
    switch (modality) {
      case "radar":
      case "lidar":
        return ranged;
      case "eo":
      case "ir":
        return draws.chance(0.3) ? ranged : bearing;
      case "rf":
        return { az_deg: bearing.az_deg, center_hz: 2.44e9 };
      case "acoustic":
        return { az_deg: bearing.az_deg, propagation_delay_s: draws.pick([0, 1.5]) };
      case "rf_fix":
        return this.#place(0.02);
      case "human":
        return draws.chance(0.5) ? { ...this.#place(0.02), text: "seen \u2028 there" } : bearing;
      case "remote_id":
        return { ...this.#place(0.02), uas_id: draws.pick([...names, "SERIAL0001", "SERIAL0002"]), speed_mps: 5 };
      case "adsb":
        return { ...this.#place(0.2), icao: draws.pick(["4CA123", "a1b2c3"]), gs_mps: 100, track_deg: 90 };
      case "blue_force": {
        const motion = { vel_enu_mps: [draws.between(-10, 10), -0, 0], armed: draws.chance(0.5), battery_pct: 60 };
        return { ...this.#place(0.01), asset_key: draws.pick([...names, "pushed-1", "pushed-2"]), ...motion };
      }
    }
  }

  #place(spreadDeg: number): { lat: number; lon: number; alt_hae_m: number } {
    const draws = this.#draws;
    const [north, east] = [draws.between(-spreadDeg, spreadDeg), draws.between(-spreadDeg, spreadDeg)];
    return { lat: SITE.lat + north, lon: SITE.lon + east, alt_hae_m: draws.between(100, 400) };
  }

  /** One member of it has a value that it must not have, or is gone. */
  #spoilt(wire: object): object {
    const name = this.#draws.pick(Object.keys(wire));
    const spoilt: Wire = { ...wire, [name]: this.#draws.pick(BAD) };
    if (this.#draws.chance(0.2)) delete spoilt[name];
    return spoilt;
  }

  // ---- bodies

  #packed(body: { readonly scans: readonly unknown[] } | { readonly signals: readonly unknown[] }): Body {
    const form = this.#draws.weighted({ json: 8, lines: 1, pack: 1 });
    if (form === "pack") return { bytes: packr.pack(asJson(body)), contentType: "application/msgpack" };
    const items = "scans" in body ? body.scans : body.signals;
    if (form === "lines") {
      const lines = items.map((item) => JSON.stringify(item)).join("\n");
      return { bytes: Buffer.from(lines), contentType: "application/x-ndjson" };
    }
    // A single observation needs nothing around it.
    const whole = "signals" in body && items.length === 1 ? items[0] : body;
    return { bytes: Buffer.from(JSON.stringify(whole)), contentType: "application/json" };
  }

  #broken(): Body {
    const texts = ["", "{", "null", "[]", '{"signals":5}', '{"scans":[]}', '{"signals":[null]}', "\u0000"];
    return { bytes: Buffer.from(this.#draws.pick(texts)), contentType: "application/json" };
  }
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
