/** A registered node sends any message that the wire can carry: nothing throws, and nothing impossible is passed on. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { sapientAdapter } from "../../src/links/sapient/adapter.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { openRoom } from "../support/room.ts";
import { startNode } from "../support/sapientNode.ts";
import { until } from "../support/until.ts";

const number = fc.oneof(fc.double({ min: -400, max: 400, noNaN: true }), fc.double());
const single = fc.oneof(fc.float({ min: -400, max: 400, noNaN: true }), fc.float());
const small = fc.oneof(fc.integer({ min: -2, max: 21 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
const text = fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: "binary", maxLength: 300 }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 });
const record = (shape: Record<string, fc.Arbitrary<unknown>>) => fc.record(shape, { requiredKeys: [] });

const location = record({ x: number, y: number, z: number, xError: number, coordinateSystem: small, datum: small });
/** Mostly valid values, so that the valid members around one wild member are read too. */
const mostly = <T>(value: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
const bearing = fc.record({
  azimuth: mostly(30, number),
  elevation: mostly(2, number),
  range: mostly(1500, number),
  azimuthError: mostly(0.5, number),
  rangeError: mostly(5, number),
  coordinateSystem: mostly(1, fc.integer({ min: 0, max: 5 })),
  datum: mostly(1, fc.integer({ min: 0, max: 3 })),
});
const detectionReport = record({
  reportId: text,
  objectId: text,
  detectionConfidence: single,
  locationOneof: fc.oneof(
    bearing.map((value) => ({ case: "rangeBearing", value })),
    location.map((value) => ({ case: "location", value })),
  ),
  classification: fc.array(record({ type: text, confidence: single, subClass: fc.array(record({ type: text })) })),
  behaviour: fc.array(record({ type: text, confidence: single })),
  signal: fc.array(record({ amplitude: single, centreFrequency: single }), { maxLength: 2 }),
});
const statusReport = record({
  system: small.filter((system) => system !== 5),
  mode: text,
  power: record({ level: small, source: small, status: small }),
  nodeLocation: location,
  status: fc.array(record({ statusLevel: small, statusType: small, statusValue: text }), { maxLength: 20 }),
});
const registration = record({
  nodeDefinition: fc.array(record({ nodeType: small })),
  shortName: text,
  statusDefinition: record({ statusInterval: record({ units: small, value: maybe(single) }) }),
  configData: fc.array(record({ model: text }), { maxLength: 2 }),
});
const said = fc.oneof(
  { weight: 4, arbitrary: detectionReport.map((value) => ({ name: "detectionReport", value })) },
  { weight: 3, arbitrary: statusReport.map((value) => ({ name: "statusReport", value })) },
  registration.map((value) => ({ name: "registration", value })),
  record({ alertId: text, alertType: small, description: text }).map((value) => ({ name: "alert", value })),
  record({ taskId: text, taskStatus: small, reason: fc.array(text) }).map((value) => ({ name: "taskAck", value })),
  record({ errorMessage: fc.array(text) }).map((value) => ({ name: "error", value })),
);

function numbersOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}

test("[LK-17] given any message of a registered SAPIENT node, nothing throws and no impossible value is passed on", async () => {
  const context = testContext(await openRoom(systemClock));
  const link = await sapientAdapter.open(
    testSettings({ protocol: "sapient_flex335_v2", role: "listen", port: 0 }),
    context,
  );
  const node = await startNode(link.status(Date.now()).localPort!, "node");
  node.register(2);
  await until("registered", () => node.last("registrationAck"));
  node.status();
  const messages = fc.sample(said, 400);
  for (const { name, value } of messages) node.say(name, value as never);
  // One connection may send 500 messages a second; later ones are taken when the second is over.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const before = context.reports.length;
  node.status();
  await until(
    "it is heard still",
    () => context.reports.length > before && context.reports.at(-1)?.healthLevel === "ok",
  );
  node.socket.destroy();
  await link.close();
  expect(link.counters.bad).toBe(0);
  expect(context.observed.length - context.rejected).toBeGreaterThan(0);
  for (const report of context.reports) {
    expect(numbersOf(report).every(Number.isFinite)).toBe(true);
    const { motion, power, expectedPeriodS } = report;
    if (motion !== undefined) expect([Math.abs(motion.lat) <= 90, Math.abs(motion.lon) <= 180]).toEqual([true, true]);
    if (power?.percent != null) expect(power.percent >= 0 && power.percent <= 100).toBe(true);
    if (expectedPeriodS !== undefined) expect(expectedPeriodS >= 0.1 && expectedPeriodS <= 3600).toBe(true);
  }
});
