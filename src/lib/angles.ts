/** Degrees on the wire, radians in the arithmetic; a name for each way, so that none is taken for the other. */
export const RAD_PER_DEG = Math.PI / 180;
export const DEG_PER_RAD = 180 / Math.PI;
