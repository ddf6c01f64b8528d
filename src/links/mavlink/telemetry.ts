/**
 * MAVLink messages -> reports of a platform. Pure except for the vehicle state, which it reads and updates, because some
 * messages need others to be understood. An unknown value is null, never MAVLink's magic number. Source: mavlink `common.xml`.
 *
 * Heights: GLOBAL_POSITION_INT has the height above mean sea level. With the undulation from GPS_RAW_INT, which has both
 * heights, it becomes the height above the ellipsoid; without it the height is marked `alt_is_msl`.
 */

import { common, type MavLinkData, type MavLinkDataConstructor, minimal } from "node-mavlink";
import type { NavReport, PlatformReport } from "../../domain/platformReport.ts";
import type { HealthLevel, LandedState, PowerState } from "../../domain/platformStates.ts";
import { DEG_PER_RAD } from "../../lib/angles.ts";
import { within } from "../../lib/numbers.ts";
import { type Frame, readMessage } from "./frames.ts";
import { ARMED, isAutopilot, modeName, modeNames, typeKeyOf } from "./modes.ts";
import { altitudeM, degreesOfCenti, percent, placeOf, relativeM, undulationM } from "./plausible.ts";
import type { VehicleState } from "./vehicleState.ts";

/** The content of one message as a report, without source and time. */
type PartialReport = Omit<PlatformReport, "source" | "atMs">;
type Reader = (frame: Frame, vehicle: VehicleState) => PartialReport | null;

const UINT16_UNKNOWN = 0xffff;
const known = (value: number, unknown: number, scale: number): number | null =>
  value === unknown ? null : value / scale;

/** MAV_STATE: uninit boot calibrating standby active critical emergency poweroff flight_termination. */
const HEALTH_OF_STATE: readonly HealthLevel[] = [
  "unknown",
  "not_ready",
  "not_ready",
  "ok",
  "ok",
  "fail",
  "fail",
  "unknown",
  "fail",
];
const LANDED: readonly LandedState[] = ["undefined", "on_ground", "in_air", "taking_off", "landing"];
const FIX = ["no_gps", "no_fix", "2d", "3d", "dgps", "rtk_float", "rtk_fixed", "static", "ppp"];
/** MAV_BATTERY_CHARGE_STATE: undefined ok low critical emergency failed unhealthy charging. */
const CHARGE: readonly (PowerState | null)[] = [
  null,
  "ok",
  "low",
  "critical",
  "emergency",
  "failed",
  "failed",
  "charging",
];
const LEVEL_OF_CHARGE: Readonly<Record<PowerState, HealthLevel>> = {
  ok: "ok",
  charging: "ok",
  low: "warn",
  critical: "fail",
  emergency: "fail",
  failed: "fail",
};
/** Bits of MAV_SYS_STATUS_SENSOR that operators need. */
const SENSORS: readonly [bit: number, id: string, name: string][] = [
  [0, "gyro", "Gyroscope"],
  [1, "accel", "Accelerometer"],
  [2, "mag", "Magnetometer"],
  [3, "baro", "Barometer"],
  [5, "gps", "Satellite receiver"],
  [16, "rc", "Radio control"],
  [20, "geofence", "Geofence"],
  [21, "ahrs", "Attitude and heading"],
  [25, "battery", "Battery"],
];
const PREARM_BIT = 28;

function reader<T extends MavLinkData>(
  type: MavLinkDataConstructor<T>,
  say: (message: T, vehicle: VehicleState, frame: Frame) => PartialReport | null,
): [number, Reader] {
  const id = (type as unknown as { MSG_ID: number }).MSG_ID;
  return [id, (frame, vehicle) => say(readMessage(frame, type), vehicle, frame)];
}

const READERS: ReadonlyMap<number, Reader> = new Map([
  reader(minimal.Heartbeat, (m, vehicle, frame) => {
    const autopilot: number = m.autopilot;
    if (!isAutopilot(autopilot, m.type)) return null;
    vehicle.autopilot = autopilot;
    vehicle.mavType = m.type;
    vehicle.armed = ((m.baseMode as number) & ARMED) !== 0;
    return {
      identity: { kindGuess: "vehicle", typeGuess: typeKeyOf(m.type), name: `MAVLink ${frame.sysid}` },
      nav: { armed: vehicle.armed, mode: modeName(autopilot, m.type, m.baseMode, m.customMode) },
      modes: modeNames(autopilot, m.type),
      healthLevel: HEALTH_OF_STATE[m.systemStatus as number] ?? "unknown",
      expectedPeriodS: 1,
      // 7 is MAV_STATE_POWEROFF.
      ...((m.systemStatus as number) === 7 ? { goodbye: true } : {}),
    };
  }),
  reader(common.GlobalPositionInt, (m, vehicle) => sayPosition(m, vehicle)),
  reader(common.GpsRawInt, (m, vehicle) => {
    const hasBothHeights = m.altEllipsoid !== 0 && (m.fixType as number) >= 3;
    if (hasBothHeights) vehicle.undulationM = undulationM(m.altEllipsoid / 1000, m.alt / 1000) ?? vehicle.undulationM;
    const fix: NavReport = {
      gps_fix: FIX[m.fixType as number] ?? null,
      sats: m.satellitesVisible === 255 ? null : m.satellitesVisible,
      hdop: known(m.eph, UINT16_UNKNOWN, 100),
    };
    return { nav: fix };
  }),
  reader(common.SysStatus, (m) => sayStatus(m)),
  reader(common.BatteryStatus, (m, vehicle) => sayBattery(m, vehicle)),
  reader(common.HomePosition, (m, vehicle) => {
    const [place, altMslM] = [placeOf(m.latitude, m.longitude), altitudeM(m.altitude / 1000)];
    if (place === null || altMslM === null) return null;
    vehicle.home = { ...place, altMslM };
    const altHaeM = vehicle.undulationM === null ? null : altMslM + vehicle.undulationM;
    return { nav: { home: { ...place, alt_hae_m: altHaeM } } };
  }),
  reader(common.ExtendedSysState, (m, vehicle) => {
    vehicle.landed = LANDED[m.landedState as number] ?? "undefined";
    return { nav: { landed: vehicle.landed } };
  }),
  reader(common.Attitude, (m, vehicle) => {
    // ATTITUDE has no position and must not make one newer: its heading is used with the next position that has none.
    const yaw = within(m.yaw, -2 * Math.PI, 2 * Math.PI);
    vehicle.attitude = yaw === null ? null : { headingDeg: degreesOf(yaw), bootMs: m.timeBootMs };
    return null;
  }),
  reader(common.RadioStatus, (m) => {
    if (m.rssi === 255) return null;
    // SiK radios: dBm = rssi / 1.9 - 127.
    return { radio: { rssi_dbm: Math.round((m.rssi / 1.9 - 127) * 10) / 10 } };
  }),
  reader(common.StatusText, (m, vehicle, frame) => {
    const text = m.text.replaceAll(/[^\x20-\x7e]/g, "").trim();
    const who = frame.compid === vehicle.compid ? "" : `component ${frame.compid}: `;
    return text === "" ? null : { message: who + text };
  }),
  reader(common.OpenDroneIdLocation, (m, vehicle) => (isOfAnother(m) ? null : sayRemoteIdLocation(m, vehicle))),
  reader(common.OpenDroneIdSelfId, (m) => {
    if (isOfAnother(m)) return null;
    const text = m.description.replaceAll(/[^\x20-\x7e]/g, "").trim();
    return text === "" ? null : { message: `Remote ID: ${text}` };
  }),
  reader(common.OpenDroneIdBasicId, (m) => {
    if (isOfAnother(m)) return null;
    const serial = Buffer.from(m.uasId).toString("latin1").replace(/\0.*$/s, "").trim();
    // Only a serial number (CTA-2063-A) identifies the airframe; a session id changes with each flight.
    return (m.idType as number) === 1 && serial !== "" ? { identity: { remoteIdSerial: serial } } : null;
  }),
]);

const HEADING_AGE_MAX_MS = 1000;
const SPEED_UNKNOWN = 25_500;
const CLIMB_UNKNOWN = 6300;
const ALTITUDE_UNKNOWN = -1000;

/** `id_or_mac` is set when the message is about another aircraft that the vehicle's receiver heard (common.xml). */
function isOfAnother({ idOrMac }: { readonly idOrMac: readonly number[] }): boolean {
  return idOrMac.some((byte) => byte !== 0);
}

/**
 * The vehicle's own Remote ID broadcast. Its geodetic height is above the ellipsoid and gives the undulation. Its position is
 * used only if the vehicle sends no other.
 */
function sayRemoteIdLocation(m: common.OpenDroneIdLocation, vehicle: VehicleState): PartialReport | null {
  const altHaeM = m.altitudeGeodetic <= ALTITUDE_UNKNOWN ? null : altitudeM(m.altitudeGeodetic);
  if (vehicle.lat !== null) {
    if (altHaeM !== null && vehicle.altMslM !== null) vehicle.undulationM ??= undulationM(altHaeM, vehicle.altMslM);
    return null;
  }
  const place = placeOf(m.latitude, m.longitude);
  if (place === null) return null;
  const direction = degreesOfCenti(m.direction);
  const speed = m.speedHorizontal === SPEED_UNKNOWN ? null : m.speedHorizontal / 100;
  const climb = m.speedVertical === CLIMB_UNKNOWN ? 0 : m.speedVertical / 100;
  return {
    motion: {
      ...place,
      alt_hae_m: altHaeM,
      alt_is_msl: false,
      vel_enu_mps: direction === null || speed === null ? null : [...eastNorth(direction / DEG_PER_RAD, speed), climb],
    },
  };
}

function eastNorth(direction: number, speed: number): [number, number] {
  return [speed * Math.sin(direction), speed * Math.cos(direction)];
}

/** An invalid position is not reported: the last one stays and grows old. */
function sayPosition(m: common.GlobalPositionInt, vehicle: VehicleState): PartialReport | null {
  vehicle.noteBootClock(m.timeBootMs);
  const [place, altMslM, altRelM] = [placeOf(m.lat, m.lon), altitudeM(m.alt / 1000), relativeM(m.relativeAlt / 1000)];
  if (altRelM !== null) vehicle.altRelM = altRelM;
  if (place === null) return null;
  vehicle.place(place.lat, place.lon, altMslM, altRelM);
  vehicle.speedMps = Math.hypot(m.vx, m.vy) / 100;
  const { undulationM: undulation } = vehicle;
  return {
    motion: {
      ...place,
      alt_hae_m: altMslM === null ? null : altMslM + (undulation ?? 0),
      alt_is_msl: altMslM !== null && undulation === null,
      alt_rel_m: altRelM,
      // vx, vy, vz are north, east and down in cm/s.
      vel_enu_mps: [m.vy / 100, m.vx / 100, -m.vz / 100],
      heading_deg: degreesOfCenti(m.hdg) ?? headingAt(m.timeBootMs, vehicle),
    },
    ...(undulation === null ? datumNote(vehicle) : {}),
  };
}

function degreesOf(radians: number): number {
  return (Math.round((radians * DEG_PER_RAD + 720) * 100) % 36_000) / 100;
}

function headingAt(bootMs: number, { attitude }: VehicleState): number | null {
  return attitude === null || Math.abs(bootMs - attitude.bootMs) > HEADING_AGE_MAX_MS ? null : attitude.headingDeg;
}

/** Each battery is a health component. `power` is that of the first battery, because a platform has only one. */
function sayBattery(m: common.BatteryStatus, vehicle: VehicleState): PartialReport {
  vehicle.batteryId = Math.min(vehicle.batteryId ?? m.id, m.id);
  // In the extension 0 means no cell. A voltage too large for one member continues in the next.
  const cells = [...m.voltages.filter((mv) => mv !== UINT16_UNKNOWN), ...m.voltagesExt];
  const state = CHARGE[m.chargeState as number] ?? null;
  const power = {
    percent: percent(m.batteryRemaining),
    voltage_v: cells.every((mv) => mv === 0) ? null : cells.reduce((sum, mv) => sum + mv, 0) / 1000,
    current_a: known(m.currentBattery, -1, 100),
    remaining_s: m.timeRemaining > 0 ? m.timeRemaining : null,
    state,
  };
  const component = {
    id: `battery_${m.id}`,
    name: `Battery ${m.id + 1}`,
    level: state === null ? ("unknown" as const) : LEVEL_OF_CHARGE[state],
    message: state === null ? "it does not report its charge state" : `charge state ${state}`,
    code: null,
  };
  return { ...(m.id === vehicle.batteryId ? { power } : {}), components: [component] };
}

/** A message for operators, once for each vehicle. */
function datumNote(vehicle: VehicleState): PartialReport {
  if (vehicle.isDatumReported) return {};
  vehicle.isDatumReported = true;
  return { message: "heights are above mean sea level: the vehicle reports none above the ellipsoid" };
}

function sayStatus(m: common.SysStatus): PartialReport {
  const [present, enabled, healthy] = [
    m.onboardControlSensorsPresent as number,
    m.onboardControlSensorsEnabled as number,
    m.onboardControlSensorsHealth as number,
  ];
  const has = (mask: number, bit: number) => ((mask >>> bit) & 1) === 1;
  const components = SENSORS.filter(([bit]) => has(present, bit) && has(enabled, bit)).map(([bit, id, name]) => {
    const ok = has(healthy, bit);
    return {
      id,
      name,
      level: ok ? ("ok" as const) : ("warn" as const),
      message: ok ? "healthy" : "unhealthy",
      code: null,
    };
  });
  const remaining = percent(m.batteryRemaining);
  return {
    power: {
      ...(remaining === null ? {} : { percent: remaining }),
      ...(m.voltageBattery === UINT16_UNKNOWN ? {} : { voltage_v: m.voltageBattery / 1000 }),
      ...(m.currentBattery === -1 ? {} : { current_a: m.currentBattery / 100 }),
    },
    components,
    ...(has(present, PREARM_BIT) ? { armable: has(healthy, PREARM_BIT) } : {}),
  };
}

/** Messages taken from components besides the autopilot: smart batteries, radios, Remote ID modules, texts. */
const OF_PARTS: ReadonlySet<number> = new Set(
  [
    common.BatteryStatus,
    common.RadioStatus,
    common.StatusText,
    common.OpenDroneIdBasicId,
    common.OpenDroneIdLocation,
    common.OpenDroneIdSelfId,
  ].map(({ MSG_ID }) => MSG_ID),
);

export function isReadOfParts(msgid: number): boolean {
  return OF_PARTS.has(msgid);
}

/** Whether messages of this id are read; all others are skipped. */
export function isRead(msgid: number): boolean {
  return READERS.has(msgid);
}

/** Whether a late message is still read. A state in it is older than the state we have; an event is not. */
export function isReadLate(msgid: number): boolean {
  return msgid === common.StatusText.MSG_ID;
}

/** null: nothing in the message belongs in a report. */
export function toReport(frame: Frame, vehicle: VehicleState): PartialReport | null {
  return READERS.get(frame.msgid)?.(frame, vehicle) ?? null;
}
