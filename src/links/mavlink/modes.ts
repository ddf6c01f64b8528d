/**
 * Names of flight modes and types. ArduPilot has a numbering for each vehicle type, PX4 packs a main and a sub mode into
 * one word; for other autopilots we name the base-mode bits that all of them send. Pure.
 * Sources: ArduPilot `mode.h` of copter, plane, rover, sub and blimp; PX4 `px4_custom_mode.h`; MAV_TYPE of mavlink `minimal.xml`.
 */

export const AUTOPILOT_ARDUPILOT = 3;
export const AUTOPILOT_PX4 = 12;
/** MAV_AUTOPILOT_INVALID: not an autopilot (gimbals, ground stations, ADS-B receivers). */
export const AUTOPILOT_INVALID = 8;
const CUSTOM_MODE_ENABLED = 1;
export const ARMED = 128;

type Modes = Readonly<Record<number, string>>;

const COPTER: Modes = {
  0: "STABILIZE",
  1: "ACRO",
  2: "ALT_HOLD",
  3: "AUTO",
  4: "GUIDED",
  5: "LOITER",
  6: "RTL",
  7: "CIRCLE",
  9: "LAND",
  16: "POSHOLD",
  17: "BRAKE",
  20: "GUIDED_NOGPS",
  21: "SMART_RTL",
  27: "AUTO_RTL",
};
const PLANE: Modes = {
  0: "MANUAL",
  1: "CIRCLE",
  2: "STABILIZE",
  5: "FBWA",
  6: "FBWB",
  7: "CRUISE",
  10: "AUTO",
  11: "RTL",
  12: "LOITER",
  13: "TAKEOFF",
  15: "GUIDED",
  17: "QSTABILIZE",
  18: "QHOVER",
  19: "QLOITER",
  20: "QLAND",
  21: "QRTL",
};
const ROVER: Modes = {
  0: "MANUAL",
  3: "STEERING",
  4: "HOLD",
  5: "LOITER",
  10: "AUTO",
  11: "RTL",
  12: "SMART_RTL",
  15: "GUIDED",
};
const SUB: Modes = {
  0: "STABILIZE",
  1: "ACRO",
  2: "ALT_HOLD",
  3: "AUTO",
  4: "GUIDED",
  7: "CIRCLE",
  9: "SURFACE",
  16: "POSHOLD",
  19: "MANUAL",
  20: "MOTOR_DETECT",
  21: "SURFTRAK",
};
const BLIMP: Modes = { 0: "LAND", 1: "MANUAL", 2: "VELOCITY", 3: "LOITER", 4: "RTL", 5: "AUTO" };
const PX4_MAIN: Modes = { 1: "MANUAL", 2: "ALTCTL", 3: "POSCTL", 4: "AUTO", 5: "ACRO", 6: "OFFBOARD", 7: "STABILIZED" };
const PX4_AUTO: Modes = {
  1: "AUTO.READY",
  2: "AUTO.TAKEOFF",
  3: "AUTO.LOITER",
  4: "AUTO.MISSION",
  5: "AUTO.RTL",
  6: "AUTO.LAND",
  8: "AUTO.FOLLOW_TARGET",
  9: "AUTO.PRECLAND",
};

const COPTER_TYPES = new Set([2, 3, 4, 13, 14, 15, 29, 35, 43]);
const ROVER_TYPES = new Set([10, 11]);
const SUB_TYPE = 12;
const BLIMP_TYPE = 7;

function ardupilotModes(mavType: number): Modes {
  if (COPTER_TYPES.has(mavType)) return COPTER;
  if (mavType === SUB_TYPE) return SUB;
  if (mavType === BLIMP_TYPE) return BLIMP;
  return ROVER_TYPES.has(mavType) ? ROVER : PLANE;
}

export function modeName(autopilot: number, mavType: number, baseMode: number, customMode: number): string {
  if (autopilot === AUTOPILOT_ARDUPILOT) return ardupilotModes(mavType)[customMode] ?? `MODE_${customMode}`;
  if (autopilot === AUTOPILOT_PX4) {
    const main = (customMode >>> 16) & 255;
    const sub = (customMode >>> 24) & 255;
    return (main === 4 ? PX4_AUTO[sub] : undefined) ?? PX4_MAIN[main] ?? `MODE_${main}_${sub}`;
  }
  if ((baseMode & 4) !== 0) return "AUTO";
  if ((baseMode & 8) !== 0) return "GUIDED";
  if ((baseMode & 16) !== 0) return "STABILIZE";
  return (baseMode & 64) !== 0 ? "MANUAL" : "PREFLIGHT";
}

const settable = new Map<Modes, readonly string[]>(
  [COPTER, PLANE, ROVER, SUB, BLIMP].map((modes) => [modes, Object.values(modes)]),
);
const PX4_SETTABLE = [...Object.values(PX4_MAIN), ...Object.values(PX4_AUTO)];

/** Every name that `modeParams` takes for this vehicle; null: this autopilot takes none. The same array each time. */
export function modeNames(autopilot: number, mavType: number): readonly string[] | null {
  if (autopilot === AUTOPILOT_PX4) return PX4_SETTABLE;
  return autopilot === AUTOPILOT_ARDUPILOT ? settable.get(ardupilotModes(mavType))! : null;
}

/** Parameters of MAV_CMD_DO_SET_MODE (176); null: the vehicle has no mode of that name. */
export function modeParams(autopilot: number, mavType: number, name: string): readonly [number, number, number] | null {
  const wanted = name.toUpperCase();
  const numberOf = (modes: Modes) => Object.entries(modes).find(([, one]) => one === wanted)?.[0];
  if (autopilot === AUTOPILOT_ARDUPILOT) {
    const mode = numberOf(ardupilotModes(mavType));
    return mode === undefined ? null : [CUSTOM_MODE_ENABLED, Number(mode), 0];
  }
  if (autopilot !== AUTOPILOT_PX4) return null;
  const sub = numberOf(PX4_AUTO);
  if (sub !== undefined) return [CUSTOM_MODE_ENABLED, 4, Number(sub)];
  const main = numberOf(PX4_MAIN);
  return main === undefined ? null : [CUSTOM_MODE_ENABLED, Number(main), 0];
}

/** The mode in which the vehicle stays where it is; null: it has none, and is asked to pause (MAV_CMD_DO_PAUSE_CONTINUE). */
export function holdMode(autopilot: number, mavType: number): string | null {
  if (autopilot === AUTOPILOT_PX4) return "AUTO.LOITER";
  if (autopilot !== AUTOPILOT_ARDUPILOT) return null;
  if (mavType === SUB_TYPE) return "POSHOLD";
  return ROVER_TYPES.has(mavType) ? "HOLD" : "LOITER";
}

/** MAV_TYPE to the key of the catalogue type that names it as its anchor (docs/interface.md#catalogue-types). */
const TYPE_KEYS: Readonly<Record<number, string>> = {
  1: "fixed_wing_propeller",
  2: "quadrotor",
  3: "helicopter_coaxial",
  4: "helicopter",
  7: "airship",
  8: "free_balloon",
  9: "rocket",
  10: "rover_wheeled",
  11: "surface_vessel_uncrewed",
  12: "underwater_vehicle",
  13: "hexarotor",
  14: "octorotor",
  15: "tricopter",
  16: "ornithopter",
  17: "kite",
  19: "tailsitter_duo",
  20: "tailsitter_quad",
  21: "tiltrotor",
  22: "quadplane",
  23: "tailsitter",
  24: "tiltwing",
  28: "parafoil",
  29: "dodecarotor",
  35: "decarotor",
  43: "multirotor_generic",
  46: "legged_robot",
  47: "gyrodyne",
};

export function typeKeyOf(mavType: number): string | null {
  return TYPE_KEYS[mavType] ?? null;
}

/**
 * MAV_TYPEs that are not vehicles: antenna trackers, ground stations, companion computers, gimbals, receivers,
 * cameras, chargers, servos, batteries, parachutes, loggers, displays, sensors, winches, lights, grippers, radios.
 */
const PART_TYPES = new Set([5, 6, 18, 26, 27, 30, 31, 32, 33, 34, 36, 37, 38, 39, 40, 41, 42, 44, 48, 49]);

/** Whether a heartbeat is of a vehicle's autopilot. Other components of a system send heartbeats too. */
export function isAutopilot(autopilot: number, mavType: number): boolean {
  return autopilot !== AUTOPILOT_INVALID && !PART_TYPES.has(mavType);
}

/** Rovers, boats and walkers accept a height and ignore it. */
export function staysOnSurface(mavType: number): boolean {
  return ROVER_TYPES.has(mavType) || mavType === 46;
}

export function isFixedWing(mavType: number): boolean {
  return mavType === 1;
}
