/**
 * How the tests run: six folders, six projects, each with the time its kind of test may take. Forks, because an
 * addon (uWebSockets.js) and WebAssembly memories should die with their test file; two at a time, for two cores.
 */
import { defineConfig } from "vitest/config";

function project(name: string, timeoutMs: number) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      environment: "node" as const,
      pool: "forks" as const,
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    allowOnly: false,
    projects: [
      project("unit", 10_000),
      project("property", 60_000),
      project("simulation", 120_000),
      project("contract", 60_000),
      project("integration", 120_000),
      project("browser", 60_000),
    ],
  },
});
