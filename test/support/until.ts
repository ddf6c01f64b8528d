/** Waits for something to become true, looking often; says what it waited for when it gives up. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = 5000,
): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (performance.now() > endMs) throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
