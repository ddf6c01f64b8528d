/**
 * Cameras that are components of their own (usual with PX4): they send, take commands and acknowledge besides the autopilot.
 */

const MAV_TYPE_CAMERA = 30;
/** MAV_COMP_ID_CAMERA to MAV_COMP_ID_CAMERA6. */
const COMPIDS = { first: 100, last: 105 } as const;

export const VIDEO = { START: 2500, STOP: 2501 } as const;

export function isOfCamera(command: number): boolean {
  return command === VIDEO.START || command === VIDEO.STOP;
}

/** Whether a heartbeat is a camera's. */
export function isCamera(compid: number, mavType: number): boolean {
  return mavType === MAV_TYPE_CAMERA || (compid >= COMPIDS.first && compid <= COMPIDS.last);
}
