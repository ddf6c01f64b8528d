/** The limits themselves, that each relation between them can fail, and how they stand to what other parts can hold. */
import { expect, test } from "vitest";
import * as layout from "../../assembly/layout.ts";
import { BUILTIN_DECISION_CONFIG, END_AFTER_COOPERATIVE_S } from "../../src/domain/decisionConfig.ts";
import * as limits from "../../src/limits.ts";
import { readDocument } from "../support/documents.ts";

test("[CF-5] every limit is a positive whole number", () => {
  for (const [name, value] of Object.entries(limits)) {
    expect(Number.isInteger(value), name).toBe(true);
    expect(value, name).toBeGreaterThan(0);
  }
});

test("[CF-5] a limit's name ends in its unit or kind", () => {
  const units = /_(MAX|MIN|DEFAULT|MS|S|HZ|BYTES|PERIODS|PCT|PER_BLOCK)$/;
  expect(Object.keys(limits).filter((name) => !units.test(name))).toEqual([]);
});

const source = readDocument("src/limits.ts");
const relations = [...source.matchAll(/^assert\(([\s\S]*?),\s*"([^"]+)",?\s*\);/gm)].map(
  ([, condition, sentence]) => [sentence!, condition!] as const,
);

/** The sentences of the relations that do not hold where `name` has another value. */
async function brokenWith(name: string, value: number): Promise<readonly string[]> {
  const text = source
    .replace(
      /^import .*$/m,
      "export const broken = [];\nconst assert = (holds, sentence) => holds || broken.push(sentence);",
    )
    .replace(new RegExp(`^export const ${name} = .*;$`, "m"), `export const ${name} = ${value};`);
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)).broken;
}

test("[CF-5] there are relations, each with its own sentence, and all of them hold", async () => {
  expect(relations.length).toBe(source.match(/^assert\(/gm)?.length);
  expect(new Set(relations.map(([sentence]) => sentence)).size).toBe(relations.length);
  expect(await brokenWith("NONE", 0)).toEqual([]);
});

test.each(relations)("[CF-5] it is told when it does not hold that %s", async (sentence, condition) => {
  const names = condition.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [];
  const broken = await Promise.all(names.flatMap((name) => [1, 7_777_777_777_777].map((to) => brokenWith(name, to))));
  expect(broken.flat()).toContain(sentence);
});

test("[CF-5] the kernel can hold what the limits let in", () => {
  expect(limits.TRACKS_PER_WORKSPACE_MAX).toBeLessThanOrEqual(layout.TRACK_CAPACITY);
  expect(limits.SIGNALS_OBSERVATIONS_MAX).toBeLessThanOrEqual(layout.SCAN_MEASUREMENTS_MAX);
  expect(limits.SOURCES_PER_WORKSPACE_MAX).toBeLessThanOrEqual(layout.SENSOR_CAPACITY);
});

test("[CF-5] ids are remembered longer than a scan may be late, and who is on a track is not forgotten before it ends", () => {
  expect(BUILTIN_DECISION_CONFIG.max_lag_s * 1000).toBeLessThan(limits.SEEN_IDS_WINDOW_MS);
  expect(END_AFTER_COOPERATIVE_S * 1000).toBeLessThan(limits.FORGOTTEN_AFTER_MS);
});
test("[CF-60] limits that clients know have the values of docs/interface.md", () => {
  expect(limits).toMatchObject({
    SESSION_TOKEN_TTL_S: 1800,
    STREAM_TICKET_TTL_S: 60,
    STREAM_PING_PERIOD_MS: 15_000,
    BODY_BYTES_MAX: 1_048_576,
    SIGNALS_BODY_BYTES_MAX: 8_388_608,
    SIGNALS_OBSERVATIONS_MAX: 10_000,
    LOGIN_CODE_ATTEMPTS_MAX: 5,
    LOGIN_CODE_TTL_S: 600,
    REFRESH_TOKEN_TTL_S: 2_592_000,
    LIST_LIMIT_DEFAULT: 200,
    LIST_LIMIT_MAX: 1000,
    FUTURE_TOLERANCE_MS: 1000,
  });
});
