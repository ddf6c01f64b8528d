/**
 * Heights of an order in the datum that this vehicle flies them in. ArduPilot obeys the frame of a COMMAND_INT; PX4 copies
 * its z to param7 whatever the frame is and flies it as height above the sea (mavlink_receiver.cpp,
 * handle_message_command_int; navigator_main.cpp), so PX4 is told no other height. Pure.
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

const NO_HAE = "it tells no height above the ellipsoid, so alt_ref hae cannot be turned into its own heights";
const NO_TRACK_HEIGHT =
  "it tells no height above the ellipsoid, so the height of the track cannot be turned into its own heights";
const NO_MSL = "it tells no height above the sea, the only one that its autopilot is ordered in";
const NO_AGL = "its autopilot takes no height above the ground";

/** Height above the sea of what its relative heights count from. */
function homeMslM({ altMslM, altRelM }: VehicleState): number | null {
  return altMslM === null || altRelM === null ? null : altMslM - altRelM;
}

/** Without a height in the order the vehicle stays where it is, or so far above or below. */
export function heightOf(params: Params, vehicle: VehicleState): Height | CannotSay {
  const altM = typeof params.alt_m === "number" ? params.alt_m : null;
  if (altM === null) return presentHeight(typeof params.alt_offset_m === "number" ? params.alt_offset_m : 0, vehicle);
  const isPx4 = vehicle.autopilot === AUTOPILOT_PX4;
  if (params.alt_ref === "rel_home") {
    if (!isPx4) return { frame: FRAME_RELATIVE, z: altM };
    const homeM = homeMslM(vehicle);
    return homeM === null ? { cannot: NO_MSL } : { frame: FRAME_GLOBAL, z: homeM + altM };
  }
  if (params.alt_ref === "agl") return isPx4 ? { cannot: NO_AGL } : { frame: FRAME_TERRAIN, z: altM };
  if (vehicle.undulationM === null) return { cannot: NO_HAE };
  return { frame: FRAME_GLOBAL, z: altM - vehicle.undulationM };
}

/** Of the track that is looked at. null: nobody knows it, and it is looked at as if it were as high as the vehicle. */
export function trackHeightOf(params: Params, { undulationM }: VehicleState): Height | CannotSay | null {
  const { alt_hae_m: altHaeM, alt_offset_m: offsetM } = params;
  if (typeof altHaeM !== "number") return null;
  // Its own height for the track's would aim past it, and nobody would know.
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
    return { cannot: "it tells no height of its own, so there is none that it could keep" };
  return { frame: FRAME_GLOBAL, z: UNCHANGED };
}

/** Whether it got as high or as low as it was sent, where that can be told. */
export function isAtHeight({ frame, z }: Height, { altMslM, altRelM, mavType }: VehicleState): boolean {
  const isM = frame === FRAME_RELATIVE ? altRelM : frame === FRAME_GLOBAL ? altMslM : null;
  if (isM === null || Number.isNaN(z) || staysOnSurface(mavType)) return true;
  return Math.abs(isM - z) <= (isFixedWing(mavType) ? REACHED_FIXED_WING_M : REACHED_M);
}

/** How far above home it climbs, and as what its autopilot is told: above the sea to PX4, above home to all others. */
export function takeoffHeight(params: Params, vehicle: VehicleState): { aboveHomeM: number; z: number } | CannotSay {
  const homeM = homeMslM(vehicle);
  const aboveHomeM = aboveHome(params, homeM, vehicle);
  if (typeof aboveHomeM !== "number") return aboveHomeM;
  if (vehicle.autopilot !== AUTOPILOT_PX4) return { aboveHomeM, z: aboveHomeM };
  return homeM === null ? { cannot: NO_MSL } : { aboveHomeM, z: homeM + aboveHomeM };
}

function aboveHome(params: Params, homeM: number | null, vehicle: VehicleState): number | CannotSay {
  const altM = typeof params.alt_m === "number" ? params.alt_m : TAKEOFF_DEFAULT_M;
  if (params.alt_ref === "agl") {
    // Where it stands is the only ground whose height is known.
    if (vehicle.landed === "on_ground" && vehicle.altRelM !== null) return vehicle.altRelM + altM;
    return {
      cannot: "a height above the ground is known only to a vehicle that stands on it and tells its own height",
    };
  }
  if (params.alt_ref !== "hae") return altM;
  if (vehicle.undulationM === null || homeM === null) return { cannot: NO_HAE };
  const aboveHomeM = altM - vehicle.undulationM - homeM;
  const isFlying = vehicle.landed === "in_air" || vehicle.landed === "taking_off";
  if (isFlying || aboveHomeM > (vehicle.altRelM ?? 0)) return aboveHomeM;
  return { cannot: `${altM} m above the ellipsoid is not above where it stands` };
}
