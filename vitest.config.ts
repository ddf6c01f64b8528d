/**
 * How the tests run: six folders, six projects, each with the time its kind of test may take. Forks, because an
 * addon (uWebSockets.js) and WebAssembly memories should die with their test file; two at a time, for two cores.
 */
import { defineConfig } from "vitest/config";

/** `expect.poll` gives up after this; as in test/support/until.ts. */
const POLL_TIMEOUT_MS = 60_000;

/** The times are there to end a test that hangs; a machine ten times slower than ours, or as busy, must not reach them. */
function project(name: string, timeoutMs: number) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      environment: "node" as const,
      pool: "forks" as const,
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
      expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    allowOnly: false,
    projects: [
      project("unit", 100_000),
      project("property", 300_000),
      project("simulation", 400_000),
      project("contract", 120_000),
      project("integration", 240_000),
      project("browser", 120_000),
    ],
  },
});
