/** Waits for something to become true, looking often; says what it waited for when it gives up. */

/** Reached by a test that fails only, so it is long: the condition decides how long a test takes, not the machine. */
const DEADLINE_MS = 60_000;

export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const endMs = performance.now() + DEADLINE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (performance.now() > endMs) throw new Error(`waited ${DEADLINE_MS} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
