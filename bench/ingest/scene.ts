/**
 * The request bodies of the load: 100 targets on circles, seen by radars ten times a second. Bodies are made beforehand
 * on a grid of times, and the time is written into a body before it is sent, so that targets move in real time and the
 * tracker has to fuse. Every workspace gets the same sky.
 */
import { pack } from "msgpackr";
import { EnuFrame, type Geodetic } from "../../src/domain/geodesy.ts";

export const TARGETS = 100;
export const GRID_MS = 100;
/** The sky repeats after this time, in which every target flies one circle. */
const PERIOD_MS = 60_000;
const SITE = { lat: 51.1846, lon: -1.7311, alt_hae_m: 120 };
/** On the ellipsoid, because on a flat earth radars 10 km apart would disagree by several sigma. */
const FRAME = new EnuFrame(SITE);
/** Any time with 13 digits; its bytes are searched and replaced. */
const PLACEHOLDER_MS = 1_777_777_777_777;
const SIGMA = { rangeM: 3, azDeg: 0.3, elDeg: 0.4, rateMps: 0.4 };

export interface Body {
  readonly bytes: Buffer;
  /** Offset of the time: 13 digits in JSON, eight bytes of a double in MessagePack. */
  readonly timeAt: number;
}

export type Encoding = "json" | "msgpack";

/** Uniform pseudo-random numbers (mulberry32) from a seed, so that every run sends the same noise. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(7);
const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

/** Ten by ten targets, 700 m apart, each on a circle of its own at 10 to 20 m/s. */
const CIRCLES = Array.from({ length: TARGETS }, (_, i) => ({
  east: ((i % 10) - 4.5) * 700,
  north: (Math.floor(i / 10) - 4.5) * 700,
  up: 80 + ((i * 37) % 200),
  radius: ((10 + 10 * random()) * PERIOD_MS) / 1000 / (2 * Math.PI),
  phase: 2 * Math.PI * random(),
  turn: i % 2 === 0 ? 1 : -1,
}));

function detectionsAt(atMs: number, radar: EnuFrame) {
  return CIRCLES.map(({ east, north, up, radius, phase, turn }) => {
    const rate = (turn * 2 * Math.PI) / PERIOD_MS;
    const angle = phase + rate * atMs;
    const [e, n, u] = radar.toEnu(
      ...FRAME.toGeodetic(east + radius * Math.cos(angle), north + radius * Math.sin(angle), up),
    );
    const range = Math.hypot(e, n, u);
    const closing = (radius * rate * 1000 * (-Math.sin(angle) * e + Math.cos(angle) * n)) / range;
    return {
      az_deg: rounded(((Math.atan2(e, n) * 180) / Math.PI + 360 + gauss() * SIGMA.azDeg) % 360, 4),
      el_deg: rounded((Math.atan2(u, Math.hypot(e, n)) * 180) / Math.PI + gauss() * SIGMA.elDeg, 4),
      range_m: rounded(range + gauss() * SIGMA.rangeM, 2),
      range_rate_mps: rounded(closing + gauss() * SIGMA.rateMps, 2),
    };
  });
}

/** The first `moments` bodies of one radar, one for each step of the grid. */
export function bodiesOf(radar: number, radars: number, encoding: Encoding, moments = PERIOD_MS / GRID_MS): Body[] {
  const angle = (2 * Math.PI * radar) / radars;
  const east = 5000 * Math.sin(angle);
  const north = 5000 * Math.cos(angle);
  const [lat, lon, alt_hae_m] = FRAME.toGeodetic(east, north, 0);
  const place: Geodetic = { lat, lon, alt_hae_m };
  const pose = { ...place, yaw_deg: 0, pitch_deg: 0, roll_deg: 0 };
  const frame = new EnuFrame(place);
  return Array.from({ length: moments }, (_, moment) => {
    const detections = detectionsAt(moment * GRID_MS, frame);
    const scan = {
      source_id: `radar-${radar}`,
      modality: "radar",
      measured_at: PLACEHOLDER_MS,
      sensor_pose: pose,
      detections,
    };
    return encoding === "json" ? jsonBody({ scans: [scan] }) : packedBody({ scans: [scan] });
  });
}

function jsonBody(body: object): Body {
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, timeAt: bytes.indexOf(String(PLACEHOLDER_MS)) };
}

function packedBody(body: object): Body {
  const bytes = Buffer.from(pack(body));
  const time = Buffer.alloc(8);
  time.writeDoubleBE(PLACEHOLDER_MS);
  const timeAt = bytes.indexOf(time);
  if (timeAt < 0 || bytes[timeAt - 1] !== 0xcb) throw new Error("the time of a packed body is not a double");
  return { bytes, timeAt };
}

/** The body for a grid time, with that time written into it. */
export function bodyAt(bodies: readonly Body[], encoding: Encoding, gridMs: number): Buffer {
  const { bytes, timeAt } = bodies[Math.floor(gridMs / GRID_MS) % bodies.length]!;
  if (encoding === "json") bytes.write(String(gridMs), timeAt, "latin1");
  else bytes.writeDoubleBE(gridMs, timeAt);
  return bytes;
}
