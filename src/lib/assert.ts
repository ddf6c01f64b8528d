/** Invariants. A broken one is a programmer's fault: it throws and is never caught to go on. Stays on in production. */
class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
