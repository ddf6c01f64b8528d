/** Numbers read from untrusted input, where everything that is no number is null; and rounding. */
export function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** null also outside of the bounds, which belong to what is allowed. */
export function within(value: unknown, min: number, max: number): number | null {
  return typeof value === "number" && value >= min && value <= max ? value : null;
}

/** To so many decimal digits. */
export function round(value: number, digits: number): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}
