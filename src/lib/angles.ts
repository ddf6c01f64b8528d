/** Degrees are for the wire, radians for arithmetic. One factor for each direction, so that they are not confused. */
export const RAD_PER_DEG = Math.PI / 180;
export const DEG_PER_RAD = 180 / Math.PI;
