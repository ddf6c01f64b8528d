/**
 * Tracks and assets -> Cursor on Target events (MITRE MP090284; CoT event schema 2.0). Pure. Affiliation and dimension are
 * in `type` (a-h-A-M-H-Q: hostile, air, military, rotary, drone), the origin of the position is in `how` (ADR 0079).
 */
import type { AssetView } from "../../domain/asset.ts";
import { CE90_PER_SIGMA } from "../../domain/geodesy.ts";
import type { Track } from "../../domain/track.ts";
import { toRfc3339 } from "../../lib/clock.ts";

/** CoT's value for an unknown error bound. */
const UNKNOWN = "9999999.0";
const ASSET_STALE_MS = 30_000;
/** Life of an event of a platform that reports rarely but is connected; it is extended with each repeat. */
const HELD_MS = 15_000;
/** A connected platform that has sent no position for this long may be elsewhere: its position is not repeated any more. */
const HEARD_WITHOUT_PLACE_MS = 60_000;

const AFFILIATION: Readonly<Record<Track["identity"], string>> = {
  pending: "p",
  unknown: "u",
  assumed_friend: "a",
  friend: "f",
  neutral: "n",
  suspect: "s",
  hostile: "h",
};

export function uidOf(workspaceId: string, id: string): string {
  return `${workspaceId}.${id}`;
}

/** Leaves out characters that XML 1.0 does not allow and escapes the five special ones. */
export function escapeXml(text: string): string {
  let out = "";
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const isAllowed =
      code === 9 ||
      code === 10 ||
      code === 13 ||
      (code >= 0x20 && code <= 0xd7ff) ||
      (code >= 0xe000 && code <= 0xfffd) ||
      code >= 0x10000;
    if (isAllowed) out += ESCAPES[character] ?? character;
  }
  return out;
}
const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

interface CotEvent {
  readonly uid: string;
  readonly type: string;
  readonly how: string;
  readonly atMs: number;
  readonly staleMs: number;
  readonly lat: number;
  readonly lon: number;
  readonly haeM: number | null;
  readonly ceM: number | null;
  readonly leM: number | null;
  readonly detail: string;
}

function headOf(uid: string): string {
  return `<event version="2.0" uid="${escapeXml(uid)}`;
}

/** Whether an event is ours, unchanged, because a group receives itself. One that a server rewrote is recognised by its uid. */
export function isOwnXml(workspaceId: string, xml: string): boolean {
  return xml.startsWith(headOf(uidOf(workspaceId, "")));
}

function eventXml(event: CotEvent): string {
  const at = toRfc3339(event.atMs);
  const bound = (metres: number | null) => (metres === null ? UNKNOWN : metres.toFixed(1));
  return (
    `<?xml version="1.0" encoding="UTF-8"?>${headOf(event.uid)}" type="${event.type}" ` +
    `how="${event.how}" time="${at}" start="${at}" stale="${toRfc3339(event.staleMs)}">` +
    `<point lat="${event.lat.toFixed(7)}" lon="${event.lon.toFixed(7)}" hae="${bound(event.haeM)}" ` +
    `ce="${bound(event.ceM)}" le="${bound(event.leM)}"/><detail>${event.detail}</detail></event>`
  );
}

/** Third part of the CoT type where nothing better is known. */
const DIMENSION: Readonly<Record<string, string>> = {
  ground: "G",
  surface: "S",
  maritime: "S",
  subsurface: "U",
  effector: "G",
  infrastructure: "G",
};

function dimension({ classification, domain }: Track): string {
  const type = classification[0]?.type ?? "";
  if (type.startsWith("air_vehicle.uas.fixed")) return "A-M-F-Q";
  if (type.startsWith("air_vehicle.uas.rotary")) return "A-M-H-Q";
  if (type.startsWith("air_vehicle.crewed")) return "A-C";
  return DIMENSION[domain] ?? "A";
}

function motionDetail(speedMps: number | null, courseDeg: number | null): string {
  return speedMps === null || courseDeg === null
    ? ""
    : `<track speed="${speedMps.toFixed(2)}" course="${courseDeg.toFixed(1)}"/>`;
}

/** When the track's event expires. After its `stale` an event is not valid and is not repeated. */
export function trackStaleMs(track: Track): number {
  return Date.parse(track.stale_at);
}

/** Valid at the time of its position. null: a bearing without a position has no CoT point. */
export function trackEvent(workspaceId: string, track: Track): string | null {
  if (track.lat === null || track.lon === null) return null;
  const sensors = [...new Set(track.sensors.map(({ modality }) => modality))].join(" ");
  const serial = track.remote_id === null ? "" : ` remote id ${track.remote_id.uas_id}`;
  const remarks = `${track.identity} ${track.classification[0]?.type ?? "unclassified"} by ${sensors}${serial}`;
  return eventXml({
    uid: uidOf(workspaceId, track.id),
    type: `a-${AFFILIATION[track.identity]}-${dimension(track)}`,
    how: "m-f",
    atMs: Date.parse(track.valid_at),
    staleMs: trackStaleMs(track),
    lat: track.lat,
    lon: track.lon,
    haeM: track.alt_hae_m,
    ceM: track.ce90_m,
    leM: track.le90_m,
    detail:
      `<contact callsign="T${track.number}"/>${motionDetail(track.speed_mps, track.course_deg)}` +
      `<precisionlocation altsrc="${track.alt_hae_m === null ? "???" : "GPS"}" geopointsrc="Calc"/>` +
      `<remarks>${escapeXml(remarks)}</remarks>`,
  });
}

const ASSET_TYPES: readonly [RegExp, string][] = [
  [/^(quadrotor|hexa|octo|deca|dodeca|tri|multirotor|helicopter)/, "A-M-H-Q"],
  [/^(fixed_wing|flying_wing|glider|quadplane|tailsitter|tilt)/, "A-M-F-Q"],
  [/^(rover|legged|road)/, "G-E-V"],
  [/^dismounted/, "G-U"],
  [/underwater/, "U"],
];

/**
 * Time and expiry of an asset's position. A position set by hand is always current. A platform's own position is valid for a
 * while after it was sent; longer while the platform stays connected and has sent no newer one.
 */
function lifeOf(
  { motion, link }: AssetView,
  nowMs: number,
): { readonly atMs: number; readonly staleMs: number } | null {
  if (motion === null) return null;
  if (motion.source === "placement") return { atMs: nowMs, staleMs: nowMs + ASSET_STALE_MS };
  const atMs = Date.parse(motion.at);
  const heardMs = link.last_heard_at === null ? atMs : Date.parse(link.last_heard_at);
  const isHeld = isSpeaking(link) && heardMs - atMs <= HEARD_WITHOUT_PLACE_MS;
  return { atMs, staleMs: Math.max(atMs + ASSET_STALE_MS, isHeld ? nowMs + HELD_MS : 0) };
}

function isSpeaking({ state }: AssetView["link"]): boolean {
  return state === "up" || state === "degraded";
}

/** Whether the asset reports a current position of its own, so that its track need not be published. */
export function speaksForItself(asset: AssetView, nowMs: number): boolean {
  return isSpeaking(asset.link) && assetStaleMs(asset, nowMs) > nowMs;
}

/** When the asset's position expires; 0: its position is unknown. */
export function assetStaleMs(asset: AssetView, nowMs: number): number {
  return lifeOf(asset, nowMs)?.staleMs ?? 0;
}

/** Valid at the time of its position. null: its position is unknown. */
export function assetEvent(workspaceId: string, asset: AssetView, nowMs: number): string | null {
  const life = lifeOf(asset, nowMs);
  if (asset.motion === null || life === null) return null;
  const { motion } = asset;
  const type = ASSET_TYPES.find(([pattern]) => pattern.test(asset.class_type ?? ""))?.[1];
  const battery = asset.power?.percent == null ? "" : `<status battery="${Math.round(asset.power.percent)}"/>`;
  const sigmaM = asset.performance?.position_sigma_m ?? null;
  return eventXml({
    uid: uidOf(workspaceId, asset.id),
    type: `a-f-${type ?? (asset.kind === "sensor" ? "G-E-S" : (DIMENSION[asset.domain] ?? "A"))}`,
    how: asset.kind === "sensor" ? "h-e" : "m-g",
    ...life,
    lat: motion.lat,
    lon: motion.lon,
    haeM: motion.alt_hae_m,
    ceM: sigmaM === null ? null : sigmaM * CE90_PER_SIGMA,
    leM: null,
    detail:
      `<contact callsign="${escapeXml(asset.name)}"/>${motionDetail(motion.speed_mps, motion.course_deg)}` +
      `${battery}<remarks>${escapeXml(`${asset.class_type ?? asset.kind} link ${asset.link.state}`)}</remarks>`,
  });
}

/** Tells TAK to take the item off the map at once. */
export function removalEvent(uid: string, nowMs: number): string {
  return eventXml({
    uid: `${uid}.gone`,
    type: "t-x-d-d",
    how: "m-g",
    atMs: nowMs,
    staleMs: nowMs,
    lat: 0,
    lon: 0,
    haeM: null,
    ceM: null,
    leM: null,
    detail: `<link uid="${escapeXml(uid)}" relation="p-p" type="none"/><__forcedelete/>`,
  });
}

/** The answer to a client's ping (t-x-c-t). */
export function pongEvent(nowMs: number): string {
  return eventXml({
    uid: "takPong",
    type: "t-x-c-t-r",
    how: "h-g-i-g-o",
    atMs: nowMs,
    staleMs: nowMs + 20_000,
    lat: 0,
    lon: 0,
    haeM: 0,
    ceM: null,
    leM: null,
    detail: "",
  });
}
