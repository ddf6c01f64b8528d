/**
 * Spatial index over the measurements of one scan: a grid in the plane of the room, or around the circle for bearings.
 * Knows measurements, not tracks.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { measAt, putInt } from "./arena";
import { cellBucket, clearBuckets, pushToBucket } from "./buckets";
import { EL, isPresent, roomE, roomN, scanKind, sensorEast, sensorNorth, toRoom, wrapAngle } from "./measure";

/** Edge of a cell: m, or rad for bearings. */
export let cellSize: f64 = 1;
/** Largest sigma of the scan, for the reach of a search: of range or position (m), or of a bearing (rad). */
export let noiseX: f64 = 0;
/** The same of a plot's azimuth, rad. */
export let noiseAngle: f64 = 0;

/** Place of the last indexed measurement in the grid. */
let x: f64 = 0;
let y: f64 = 0;

function placeBearing(meas: i32): void {
  x = wrapAngle(measAt(meas, L.MEAS_Z0));
  y = 0;
  noiseX = Math.max(noiseX, measAt(meas, L.MEAS_S0));
}

function placePosition(meas: i32): void {
  x = measAt(meas, L.MEAS_Z0);
  y = measAt(meas, L.MEAS_Z1);
  noiseX = Math.max(noiseX, Math.max(measAt(meas, L.MEAS_S0), measAt(meas, L.MEAS_S1)));
}

function placePlot(meas: i32): void {
  const az = measAt(meas, L.MEAS_Z0);
  const el = isPresent(meas, EL) ? measAt(meas, L.MEAS_Z1) : 0.0;
  const range = measAt(meas, L.MEAS_Z2);
  const ground = range * Math.cos(el);
  toRoom(ground * Math.sin(az), ground * Math.cos(az), range * Math.sin(el));
  x = sensorEast() + roomE;
  y = sensorNorth() + roomN;
  noiseX = Math.max(noiseX, measAt(meas, L.MEAS_S2));
  noiseAngle = Math.max(noiseAngle, measAt(meas, L.MEAS_S0));
}

/** Puts every measurement into its cell; a cell lists them in ascending order. */
export function indexMeasurements(count: i32): void {
  cellSize = scanKind == L.MEAS_KIND_BEARING ? PHYSICS.INDEX_CELL_RAD : PHYSICS.INDEX_CELL_M;
  noiseX = 0;
  noiseAngle = 0;
  clearBuckets(L.INDEX_HEAD);
  for (let meas = count - 1; meas >= 0; meas--) {
    if (scanKind == L.MEAS_KIND_BEARING) placeBearing(meas);
    else if (scanKind == L.MEAS_KIND_POSITION) placePosition(meas);
    else placePlot(meas);
    const cx = <i32>Math.floor(x / cellSize);
    const cy = <i32>Math.floor(y / cellSize);
    putInt(L.MEAS_CELL_X, meas, cx);
    putInt(L.MEAS_CELL_Y, meas, cy);
    pushToBucket(L.INDEX_HEAD, L.MEAS_NEXT, cellBucket(cx, cy), meas);
  }
}
