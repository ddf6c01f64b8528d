/**
 * A verb and its parameters -> the MAVLink command for a vehicle of this kind (mavlink `common.xml`, MAV_CMD). Pure. Positions
 * go as COMMAND_INT, whose integers hold a centimetre; everything else as COMMAND_LONG.
 */

import { geodesicDistanceM } from "../../domain/geodesic.ts";
import { RAD_PER_DEG } from "../../lib/angles.ts";
import { VIDEO } from "./camera.ts";
import {
  type CannotSay,
  type Height,
  heightOf,
  isAtHeight,
  type Params,
  takeoffHeight,
  trackHeightOf,
} from "./heights.ts";
import { holdMode, isFixedWing, modeParams, staysOnSurface } from "./modes.ts";
import type { VehicleState } from "./vehicleState.ts";

export interface CommandMessage {
  readonly command: number;
  /** param1 to param7. In a COMMAND_INT 5 and 6 are degrees times 1e7. */
  readonly params: readonly [number, number, number, number, number, number, number];
  /** MAV_FRAME; null: COMMAND_LONG. */
  readonly frame: number | null;
  /** Whether telemetry shows that it is done; null: it ends with its ack. */
  readonly isDone: ((vehicle: VehicleState) => boolean) | null;
  /** All legs of a patrol in order; `isLoop`: after the last comes the first again. */
  readonly legs?: readonly CommandMessage[];
  readonly isLoop?: boolean;
  /** It runs for this time, then `end` stops it. */
  readonly timed?: { readonly seconds: number; readonly end: CommandMessage };
  /** Parameters of a follow, which is sent again with the track's newest position, at the height of the first order. */
  readonly followed?: Params;
}

export const MAVLINK_VERBS = [
  "hold",
  "goto",
  "patrol",
  "orbit",
  "follow",
  "investigate",
  "return_home",
  "land",
  "takeoff",
  "arm",
  "disarm",
  "set_speed",
  "look_at",
  "set_mode",
  "record",
  "abort",
] as const;

/** Added by us; no verb's parameters have a member of this name. */
const FIXED_HEIGHT = "fixedHeight";
const UNCHANGED = Number.NaN;
const ARRIVED_M = 5;
const ARRIVED_FIXED_WING_M = 80;
const TAKEN_OFF_SHARE = 0.9;

const CMD = {
  RETURN_TO_LAUNCH: 20,
  LAND: 21,
  TAKEOFF: 22,
  ORBIT: 34,
  SET_MODE: 176,
  CHANGE_SPEED: 178,
  REPOSITION: 192,
  PAUSE_CONTINUE: 193,
  ROI_LOCATION: 195,
  ARM_DISARM: 400,
  GIMBAL_PITCHYAW: 1000,
} as const;

function long(command: number, params: readonly number[], isDone: CommandMessage["isDone"] = null): CommandMessage {
  const seven = Array.from({ length: 7 }, (_, i) => params[i] ?? 0) as unknown as CommandMessage["params"];
  return { command, params: seven, frame: null, isDone };
}

function at(
  command: number,
  params: Params,
  vehicle: VehicleState,
  first: readonly [number, number, number, number],
  doneAt: (height: Height) => CommandMessage["isDone"] = () => null,
): CommandMessage | CannotSay {
  const { lat, lon } = params;
  if (typeof lat !== "number" || typeof lon !== "number") return { cannot: "there is no position to go to" };
  const height = (params[FIXED_HEIGHT] as Height | undefined) ?? heightOf(params, vehicle);
  if ("cannot" in height) return height;
  return {
    command,
    params: [...first, Math.round(lat * 1e7), Math.round(lon * 1e7), height.z],
    frame: height.frame,
    isDone: doneAt(height),
  };
}

/** With a stand-off the vehicle approaches a track to so many metres, on the line from its present position. */
function standOff(params: Params, vehicle: VehicleState): Params {
  const metres = params.standoff_m;
  const { lat, lon } = params;
  if (typeof metres !== "number" || typeof lat !== "number" || typeof lon !== "number") return params;
  if (vehicle.lat === null || vehicle.lon === null) return params;
  const distanceM = geodesicDistanceM({ lat, lon }, { lat: vehicle.lat, lon: vehicle.lon });
  const share = distanceM <= metres ? 1 : metres / distanceM;
  return {
    ...params,
    lat: lat + (vehicle.lat - lat) * share,
    lon: halfTurn(lon + halfTurn(vehicle.lon - lon) * share),
  };
}

/** Degrees from -180 to 180, so that a line across the antimeridian is the short one. */
function halfTurn(degrees: number): number {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

function arrival(params: Params, height: Height): CommandMessage["isDone"] {
  const to = { lat: params.lat as number, lon: params.lon as number };
  return (vehicle) => {
    const { lat, lon, mavType } = vehicle;
    if (lat === null || lon === null || !isAtHeight(height, vehicle)) return false;
    return geodesicDistanceM(to, { lat, lon }) <= (isFixedWing(mavType) ? ARRIVED_FIXED_WING_M : ARRIVED_M);
  };
}

function reposition(given: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  const params = standOff(given, vehicle);
  const speed = typeof params.speed_mps === "number" ? params.speed_mps : -1;
  const yaw = typeof params.yaw_deg === "number" ? params.yaw_deg * RAD_PER_DEG : UNCHANGED;
  // 1 is MAV_DO_REPOSITION_FLAGS_CHANGE_MODE: the vehicle may leave its present mode.
  return at(CMD.REPOSITION, params, vehicle, [speed, 1, 0, yaw], (height) => arrival(params, height));
}

/** We send leg by leg, so that the vehicle's own mission is not overwritten; without the link it stays at the end of a leg. */
function patrol(params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  const points = params.points as readonly Params[];
  const legs: CommandMessage[] = [];
  for (const point of points) {
    const leg = reposition({ ...point, speed_mps: params.speed_mps }, vehicle);
    if ("cannot" in leg) return leg;
    legs.push(leg);
  }
  const [first] = legs;
  return first === undefined
    ? { cannot: "there is no point to go to" }
    : { ...first, legs, isLoop: params.loop === true };
}

function follow(params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  const order = reposition(params, vehicle);
  if ("cannot" in order) return order;
  // Computed anew at each repeat an offset would add up, and the height would drift with the wind.
  const height: Height = { frame: order.frame!, z: order.params[6] };
  return { ...order, isDone: () => false, followed: { ...params, [FIXED_HEIGHT]: height } };
}

function orbit(params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  const radius = (params.radius_m as number) * (params.direction === "counter_clockwise" ? -1 : 1);
  const speed = typeof params.speed_mps === "number" ? params.speed_mps : UNCHANGED;
  // An orbit never ends by itself.
  return at(CMD.ORBIT, params, vehicle, [radius, speed, 0, 0], () => () => false);
}

function hold(vehicle: VehicleState): CommandMessage {
  const mode = holdMode(vehicle.autopilot, vehicle.mavType);
  const params = mode === null ? null : modeParams(vehicle.autopilot, vehicle.mavType, mode);
  return params === null ? long(CMD.PAUSE_CONTINUE, [0]) : long(CMD.SET_MODE, params);
}

function setMode(params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  const name = String(params.mode);
  const mode = modeParams(vehicle.autopilot, vehicle.mavType, name);
  return mode === null ? { cannot: `this vehicle has no mode called ${name}` } : long(CMD.SET_MODE, mode);
}

function takeoff(params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  const height = takeoffHeight(params, vehicle);
  if ("cannot" in height) return height;
  const fromM = vehicle.altRelM ?? 0;
  const upM = fromM + (height.aboveHomeM - fromM) * TAKEN_OFF_SHARE;
  const isUp = ({ altRelM }: VehicleState) => altRelM !== null && altRelM >= upM;
  return long(CMD.TAKEOFF, [0, 0, 0, UNCHANGED, UNCHANGED, UNCHANGED, height.z], isUp);
}

function lookAt(params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  if (params.kind !== "angle") {
    const height = trackHeightOf(params, vehicle);
    if (height !== null && "cannot" in height) return height;
    const aim = height === null ? params : { ...params, [FIXED_HEIGHT]: height };
    return at(CMD.ROI_LOCATION, aim, vehicle, [0, 0, 0, 0]);
  }
  // 16 is GIMBAL_MANAGER_FLAGS_YAW_LOCK: azimuth from north, not from the nose.
  const rate = UNCHANGED;
  return long(CMD.GIMBAL_PITCHYAW, [params.el_deg as number, params.az_deg as number, rate, rate, 16, 0, 0]);
}

const isDown = ({ landed, armed }: VehicleState): boolean =>
  landed === "on_ground" || (landed === "undefined" && !armed);

/** For vehicles that never leave the ground: `isDown` is true before they move. */
function isHome({ lat, lon, home }: VehicleState): boolean {
  if (lat === null || lon === null || home === null) return false;
  return geodesicDistanceM(home, { lat, lon }) <= ARRIVED_M;
}

/** `hold`, `abort` and the stop of a cancel are the same command to the vehicle. */
export function commandOf(verb: string, params: Params, vehicle: VehicleState): CommandMessage | CannotSay {
  switch (verb) {
    case "hold":
    case "abort":
      return hold(vehicle);
    case "goto":
    case "investigate":
      return reposition(params, vehicle);
    case "patrol":
      return patrol(params, vehicle);
    case "follow":
      return follow(params, vehicle);
    case "orbit":
      return orbit(params, vehicle);
    case "return_home":
      return long(CMD.RETURN_TO_LAUNCH, [], staysOnSurface(vehicle.mavType) ? isHome : isDown);
    case "land":
      return long(CMD.LAND, [0, 0, 0, UNCHANGED], isDown);
    case "takeoff":
      return takeoff(params, vehicle);
    case "arm":
      return long(CMD.ARM_DISARM, [1]);
    case "disarm":
      return long(CMD.ARM_DISARM, [0]);
    case "set_speed":
      return long(CMD.CHANGE_SPEED, [1, params.speed_mps as number, -1]);
    case "look_at":
      return lookAt(params, vehicle);
    case "set_mode":
      return setMode(params, vehicle);
    case "record":
      return {
        ...long(VIDEO.START, [0, 0], () => false),
        timed: { seconds: params.s as number, end: long(VIDEO.STOP, [0]) },
      };
    default:
      return { cannot: `MAVLink carries no ${verb}` };
  }
}
