/** Invariants. A broken one is a programmer's fault: it throws and is never caught to go on. Stays on in production. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Marks the branch of a switch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable value ${String(value)}`);
}
