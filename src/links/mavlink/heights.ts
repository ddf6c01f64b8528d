/**
 * Heights of an order in the datum in which this vehicle flies them (ADR 0076). ArduPilot and others obey the frame of a
 * COMMAND_INT. PX4 ignores the frame and flies z as height above the sea (mavlink_receiver.cpp, handle_message_command_int;
 * navigator_main.cpp), so PX4 is sent no other height. Pure.
 */
import { AUTOPILOT_ARDUPILOT, AUTOPILOT_PX4, isFixedWing, staysOnSurface } from "./modes.ts";
import type { VehicleState } from "./vehicleState.ts";

export type Params = Readonly<Record<string, unknown>>;

export interface CannotSay {
  readonly cannot: string;
}

/** MAV_FRAME and param7. */
export interface Height {
  readonly frame: number;
  readonly z: number;
}

const FRAME_GLOBAL = 0;
const FRAME_RELATIVE = 3;
const FRAME_TERRAIN = 10;
const UNCHANGED = Number.NaN;
const REACHED_M = 3;
const REACHED_FIXED_WING_M = 20;
const TAKEOFF_DEFAULT_M = 10;
/** The two heights of home differ by less than this while a vehicle flies: drift of its barometer, rounding. */
const HOME_TOLERANCE_M = 10;

const NO_HAE = "it reports no height above the ellipsoid, so alt_ref hae cannot be turned into its own heights";
const NO_TRACK_HEIGHT =
  "it reports no height above the ellipsoid, so the height of the track cannot be turned into its own heights";
const NO_MSL = "it reports no height above the sea, the only height that its autopilot takes";
const NO_AGL = "its autopilot takes no height above the ground";

/**
 * Height of home above the sea, from which relative heights count: computed from telemetry, refused if HOME_POSITION
 * contradicts it. With a wrong one the vehicle would be ordered that much too low.
 */
function homeMslM({ altMslM, altRelM, home }: VehicleState): number | CannotSay {
  if (altMslM === null || altRelM === null) return { cannot: NO_MSL };
  const homeM = altMslM - altRelM;
  if (home === null || Math.abs(home.altMslM - homeM) <= HOME_TOLERANCE_M) return homeM;
  return {
    cannot:
      `its messages contradict each other about the height of home above the sea: ${Math.round(homeM)} m by its ` +
      `telemetry, ${Math.round(home.altMslM)} m by HOME_POSITION`,
  };
}

/** Without a height in the order the vehicle keeps its own, or that plus the offset. */
export function heightOf(params: Params, vehicle: VehicleState): Height | CannotSay {
  const altM = typeof params.alt_m === "number" ? params.alt_m : null;
  if (altM === null) return presentHeight(typeof params.alt_offset_m === "number" ? params.alt_offset_m : 0, vehicle);
  const isPx4 = vehicle.autopilot === AUTOPILOT_PX4;
  if (params.alt_ref === "rel_home") {
    if (!isPx4) return { frame: FRAME_RELATIVE, z: altM };
    const homeM = homeMslM(vehicle);
    return typeof homeM === "number" ? { frame: FRAME_GLOBAL, z: homeM + altM } : homeM;
  }
  if (params.alt_ref === "agl") return isPx4 ? { cannot: NO_AGL } : { frame: FRAME_TERRAIN, z: altM };
  if (vehicle.undulationM === null) return { cannot: NO_HAE };
  return { frame: FRAME_GLOBAL, z: altM - vehicle.undulationM };
}

/** Of the track that the camera is to look at. null: unknown; the camera aims at the vehicle's own height. */
export function trackHeightOf(params: Params, { undulationM }: VehicleState): Height | CannotSay | null {
  const { alt_hae_m: altHaeM, alt_offset_m: offsetM } = params;
  if (typeof altHaeM !== "number") return null;
  // Aimed at the vehicle's own height instead, the camera would look past the track and nothing would show it.
  if (undulationM === null) return { cannot: NO_TRACK_HEIGHT };
  return { frame: FRAME_GLOBAL, z: altHaeM + (typeof offsetM === "number" ? offsetM : 0) - undulationM };
}

function presentHeight(offsetM: number, { autopilot, altMslM, altRelM }: VehicleState): Height | CannotSay {
  if (autopilot === AUTOPILOT_PX4) {
    // PX4 takes NaN for the height that it has.
    if (altMslM === null && offsetM !== 0) return { cannot: NO_MSL };
    return { frame: FRAME_GLOBAL, z: altMslM === null ? UNCHANGED : altMslM + offsetM };
  }
  if (altRelM !== null) return { frame: FRAME_RELATIVE, z: altRelM + offsetM };
  if (autopilot === AUTOPILOT_ARDUPILOT || offsetM !== 0)
    return { cannot: "it reports no height of its own, so there is none that it could keep" };
  return { frame: FRAME_GLOBAL, z: UNCHANGED };
}

/** Whether it is as high or as low as it was ordered; true where telemetry cannot show it. */
export function isAtHeight({ frame, z }: Height, { altMslM, altRelM, mavType }: VehicleState): boolean {
  const isM = frame === FRAME_RELATIVE ? altRelM : frame === FRAME_GLOBAL ? altMslM : null;
  if (isM === null || Number.isNaN(z) || staysOnSurface(mavType)) return true;
  return Math.abs(isM - z) <= (isFixedWing(mavType) ? REACHED_FIXED_WING_M : REACHED_M);
}

/** How far above home a takeoff climbs, and the height to send: above the sea to PX4, above home to all others. */
export function takeoffHeight(params: Params, vehicle: VehicleState): { aboveHomeM: number; z: number } | CannotSay {
  const aboveHomeM = aboveHome(params, vehicle);
  if (typeof aboveHomeM !== "number") return aboveHomeM;
  if (vehicle.autopilot !== AUTOPILOT_PX4) return { aboveHomeM, z: aboveHomeM };
  const homeM = homeMslM(vehicle);
  return typeof homeM === "number" ? { aboveHomeM, z: homeM + aboveHomeM } : homeM;
}

function aboveHome(params: Params, vehicle: VehicleState): number | CannotSay {
  const altM = typeof params.alt_m === "number" ? params.alt_m : TAKEOFF_DEFAULT_M;
  if (params.alt_ref === "agl") {
    // The ground under a vehicle that stands on it is the only ground whose height is known.
    if (vehicle.landed === "on_ground" && vehicle.altRelM !== null) return vehicle.altRelM + altM;
    return {
      cannot: "a height above the ground is known only to a vehicle that stands on it and reports its own height",
    };
  }
  if (params.alt_ref !== "hae") return altM;
  if (vehicle.undulationM === null || vehicle.altMslM === null) return { cannot: NO_HAE };
  const homeM = homeMslM(vehicle);
  if (typeof homeM !== "number") return homeM;
  const aboveHomeM = altM - vehicle.undulationM - homeM;
  const isFlying = vehicle.landed === "in_air" || vehicle.landed === "taking_off";
  if (isFlying || aboveHomeM > (vehicle.altRelM ?? 0)) return aboveHomeM;
  return { cannot: `${altM} m above the ellipsoid is not above where it stands` };
}
