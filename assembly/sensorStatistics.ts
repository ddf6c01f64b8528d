/**
 * What the kernel knows and learns of a sensor's scans as a whole: how many measurements are false, how many are of new
 * targets, and whether its errors are as large as it says. Knows no states.
 */
import * as L from "./layout";
import * as PHYSICS from "./physics";
import { at, put, putSensor, sensorAt } from "./arena";
import { measurementVolume } from "./detection";
import { componentsIn } from "./measure";

/** False alarms to expect in a scan. Targets that report themselves make none but for broken or hostile senders. */
export function falseAlarmsOf(slot: i32): f64 {
  const cooperative = sensorAt(slot, L.SENSOR_COOPERATIVE) != 0;
  return cooperative ? PHYSICS.FALSE_ALARMS_MIN : Math.max(sensorAt(slot, L.SENSOR_FALSE_ALARMS), PHYSICS.FALSE_ALARMS_MIN);
}

/** New targets to expect in a scan. */
export function birthsOf(slot: i32): f64 {
  return Math.max(sensorAt(slot, L.SENSOR_SURPLUS), PHYSICS.BIRTHS_PER_SCAN);
}

/** kappa = (false alarms + births) / V: density of everything that is no known track, at each measurement. */
export function fillKappa(slot: i32, count: i32): void {
  const expected = falseAlarmsOf(slot) + birthsOf(slot);
  for (let m = 0; m < count; m++) {
    const kappa = expected / measurementVolume(m);
    assert(kappa > 0, "clutter and births have a density");
    put(L.MEAS_KAPPA, m, kappa);
  }
}

/**
 * The surplus s of unexplained measurements over the declared false alarms is taken for new targets:
 *   s <- s + g (max(unexplained - false alarms, 0) - s),  g = 1 in the first scan, SURPLUS_GAIN after it
 * so a first scan full of targets is believed at once (docs/adr/0010).
 */
export function learnSurplus(slot: i32, count: i32): void {
  let unexplained = 0.0;
  for (let m = 0; m < count; m++) unexplained += 1.0 - at(L.MEAS_EXPLAINED, m);
  const scans = sensorAt(slot, L.SENSOR_SCANS);
  const surplus = Math.max(unexplained - sensorAt(slot, L.SENSOR_FALSE_ALARMS), 0.0);
  const gain = scans == 0 ? 1.0 : PHYSICS.SURPLUS_GAIN;
  putSensor(slot, L.SENSOR_SCANS, scans + 1);
  putSensor(slot, L.SENSOR_SURPLUS, sensorAt(slot, L.SENSOR_SURPLUS) + gain * (surplus - sensorAt(slot, L.SENSOR_SURPLUS)));
}

/**
 * Running mean of the normalised innovation squared over its degrees of freedom, 1 where the sensor's sigmas are right:
 *   m <- m + g (d^2 / n - m),  g = 1 / updates, at least NIS_GAIN_MIN
 */
export function learnNis(slot: i32, pair: i32, meas: i32): void {
  const dof = componentsIn(meas);
  const count = sensorAt(slot, L.SENSOR_NIS_COUNT) + 1;
  const gain = Math.max(1.0 / count, PHYSICS.NIS_GAIN_MIN);
  const mean = sensorAt(slot, L.SENSOR_NIS_MEAN);
  putSensor(slot, L.SENSOR_NIS_COUNT, count);
  putSensor(slot, L.SENSOR_NIS_MEAN, mean + gain * (at(L.PAIR_D2, pair) / <f64>dof - mean));
}
