/** Rejects numbers that cannot be true, such as NaN or a latitude of 200: they become null, unknown. Pure. */
import { ALT_MAX_M, ALT_MIN_M, isOnEarth } from "../../domain/members.ts";
import { within } from "../../lib/numbers.ts";

/** The geoid is between 107 m below and 86 m above the ellipsoid. */
const UNDULATION_MAX_M = 120;

export function placeOf(latE7: number, lonE7: number): { readonly lat: number; readonly lon: number } | null {
  const [lat, lon] = [latE7 / 1e7, lonE7 / 1e7];
  // Vehicles without a position send 0, 0.
  return !isOnEarth(lat, lon) || (lat === 0 && lon === 0) ? null : { lat, lon };
}

export function altitudeM(metres: number): number | null {
  return within(metres, ALT_MIN_M, ALT_MAX_M);
}

/** Height above home, which may itself be high above the sea. */
export function relativeM(metres: number): number | null {
  return within(metres, -ALT_MAX_M, ALT_MAX_M);
}

export function percent(value: number): number | null {
  return within(value, 0, 100);
}

/** A course or heading in hundredths of a degree. */
export function degreesOfCenti(value: number): number | null {
  const centi = within(value, 0, 36_000);
  return centi === null ? null : (centi % 36_000) / 100;
}

export function undulationM(haeM: number, mslM: number): number | null {
  return within(haeM - mslM, -UNDULATION_MAX_M, UNDULATION_MAX_M);
}
