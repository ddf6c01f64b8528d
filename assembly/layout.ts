/**
 * The kernel's memory map and capacities: constants only, one `export const` a line, read by asc and by tsc.
 * Whatever host and kernel must agree on stands here and nowhere else.
 */

// ---------------------------------------------------------------- one measurement: MEAS_STRIDE f64 values
// Absent components are NaN. Angles in radians: azimuth clockwise from true north and elevation above the horizon,
// both in the sensor's own east-north-up frame. Positions and velocities in the workspace's east-north-up frame.
export const MEAS_STRIDE: i32 = 16;
/** MEAS_KIND_SPHERICAL | MEAS_KIND_BEARING | MEAS_KIND_POSITION */
export const MEAS_KIND: i32 = 0;
/** spherical, bearing: azimuth, rad; position: east, m */
export const MEAS_Z0: i32 = 1;
/** spherical, bearing: elevation, rad, or NaN; position: north, m */
export const MEAS_Z1: i32 = 2;
/** spherical: range, m; position: up, m, or NaN */
export const MEAS_Z2: i32 = 3;
/** spherical: range rate, m/s, positive away, or NaN; position: velocity east, m/s, or NaN */
export const MEAS_Z3: i32 = 4;
/** position: velocity north, m/s, or NaN */
export const MEAS_Z4: i32 = 5;
/** position: velocity up, m/s, or NaN */
export const MEAS_Z5: i32 = 6;
/** sigma of azimuth, rad; position: of the major horizontal axis, m */
export const MEAS_S0: i32 = 7;
/** sigma of elevation, rad; position: of the minor horizontal axis, m */
export const MEAS_S1: i32 = 8;
/** sigma of range, m; position: of up, m */
export const MEAS_S2: i32 = 9;
/** sigma of range rate, m/s; position: of each velocity component, m/s */
export const MEAS_S3: i32 = 10;
/** position: clockwise angle from north of the major axis, rad; 0 for a circle */
export const MEAS_ORIENTATION: i32 = 11;
/** claimed identity (serial, ICAO address) as the room's intern number, 0 for none */
export const MEAS_CLAIM: i32 = 12;
/** coarse class as the room's intern number, 0 for none */
export const MEAS_CLASS: i32 = 13;
/** detection confidence 0..1, NaN when not said */
export const MEAS_CONFIDENCE: i32 = 14;
/** radar cross-section, dBsm, NaN when not said */
export const MEAS_RCS_DBSM: i32 = 15;

export const MEAS_KIND_SPHERICAL: i32 = 1;
export const MEAS_KIND_BEARING: i32 = 2;
export const MEAS_KIND_POSITION: i32 = 3;
