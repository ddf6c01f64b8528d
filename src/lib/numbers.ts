/** Numbers from untrusted input, where anything else becomes null; and rounding. */
export function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** null outside of the bounds, which are allowed themselves. */
export function within(value: unknown, min: number, max: number): number | null {
  return typeof value === "number" && value >= min && value <= max ? value : null;
}

/** `digits`: decimal places. */
export function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
