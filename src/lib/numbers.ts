/** Numbers out of what somebody else sent: null for everything that is none. */

export function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** null also outside of the bounds, which belong to what is allowed. */
export function within(value: unknown, min: number, max: number): number | null {
  return typeof value === "number" && value >= min && value <= max ? value : null;
}
