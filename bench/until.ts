/** Waits for what a bench must have before it measures, and for what it must find after; says what was missing. */

/** Reached by a bench that fails only: the condition decides how long it takes, not the machine. */
const DEADLINE_MS = 120_000;

/** Looks every `pauseMs` until something is found. */
export async function until<T>(what: string, pauseMs: number, look: () => Promise<T | null>): Promise<T> {
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (performance.now() > endMs) throw new Error(`waited ${DEADLINE_MS / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
