/** Polls a condition until it is true; fails with its name after a long time. */

/** Only a failing test waits this long, so it can be generous to slow machines. */
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
