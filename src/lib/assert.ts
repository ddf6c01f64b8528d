/** Invariants. A broken one is a bug: it throws, and nothing catches it to continue. Active in production too. */
class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
