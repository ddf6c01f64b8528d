/** An edge node registers, reports, detects, obeys and leaves; another sends nonsense. Real sockets, real room. */
import { afterEach, expect, test } from "vitest";
import type { OutgoingCommand } from "../../src/domain/platformReport.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { sapientAdapter } from "../../src/links/sapient/adapter.ts";
import { ulidOf } from "../../src/links/sapient/tasks.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { openRoom } from "../support/room.ts";
import { startNode } from "../support/sapientNode.ts";
import { until } from "../support/until.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open() {
  const room = await openRoom(systemClock);
  const context = testContext(room);
  const settings = testSettings({ protocol: "sapient_flex335_v2", role: "listen", port: 0 });
  const link = await sapientAdapter.open(settings, context);
  ends.push(() => link.close());
  return { link, context, room, port: link.status(Date.now()).localPort! };
}

async function connect(port: number, id: string) {
  const node = await startNode(port, id);
  ends.push(() => node.socket.destroy());
  return node;
}

const NODE_ID = "7f3a2c1e-0000-4000-8000-000000000001";
const COMMAND: OutgoingCommand = {
  taskId: "tsk_01jd0000000000000000000001",
  source: { protocol: "sapient_flex335_v2", address: "", systemId: NODE_ID, linkId: "lnk_test" },
  verb: "look_at",
  params: { kind: "point", lat: 50.1, lon: 8.6 },
  deadlineAtMs: Date.now() + 60_000,
  resendSafe: true,
};

test("[SP-5] a node registers, its status becomes health and position, its detections are taken by the rules of POST /api/signals", async () => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(2);
  expect(await until("the acknowledgement", () => node.last("registrationAck"))).toMatchObject({ acceptance: true });
  node.status();
  node.say("detectionReport", {
    reportId: "01JD00000000000000000000AB",
    objectId: "01JD00000000000000000000AC",
    locationOneof: {
      case: "rangeBearing",
      value: { azimuth: 45, elevation: 3, range: 2000, coordinateSystem: 1, datum: 1 },
    },
    detectionConfidence: 0.9,
    classification: [{ type: "Air Vehicle", confidence: 0.8, subClass: [{ type: "UAV Rotary Wing", level: 1 }] }],
  });
  await until("the observation", () => context.observed.length === 1);
  expect(context.rejected).toBe(0);
  expect(context.observed[0]).toMatchObject({
    source_id: `sapient:${NODE_ID}`,
    modality: "radar",
    az_deg: 45,
    range_m: 2000,
  });
  expect(context.reports[0]).toMatchObject({
    source: { protocol: "sapient_flex335_v2", address: `sapient:${NODE_ID}`, systemId: NODE_ID },
    identity: { kindGuess: "sensor", typeGuess: "radar_2d_rotating", modelGuess: "NM-1", name: "North" },
    expectedPeriodS: 1,
  });
  expect(context.reports[1]).toMatchObject({
    healthLevel: "ok",
    motion: { lat: 50.03, lon: 8.56, alt_hae_m: 150 },
    power: { percent: 88, state: "ok" },
    components: [{ level: "warn", message: "rain" }],
  });
  node.status(5);
  await until("the good-bye", () => context.reports.at(-1)?.goodbye === true);
  expect(link.counters.bad).toBe(0);
});

test.each([
  [
    "a detection",
    "detectionReport",
    { reportId: "01JD00000000000000000000AB", objectId: "01JD00000000000000000000AC" },
  ],
  ["an acknowledgement", "taskAck", { taskId: "01JD00000000000000000000AD", taskStatus: 1 }],
] as const)("[SP-13] %s counts as heard", async (_what, name, content) => {
  const { context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(2);
  await until("the registration", () => context.reports.length === 1);
  node.say(name, content);
  await until("the node", () => context.reports.length === 2);
  const { source, atMs } = context.reports[0]!;
  expect(context.reports[1]).toEqual({ source, atMs: expect.any(Number) });
  expect(context.reports[1]!.atMs).toBeGreaterThanOrEqual(atMs);
});

test("[SP-9] a node belongs to one connection; no other reports for it, and when the connection ends the node may connect again", async () => {
  const { link, context, port } = await open();
  const [one, two] = [await connect(port, NODE_ID), await connect(port, "node-2")];
  one.register(19);
  two.register(19);
  await until("both", () => one.last("registrationAck") !== undefined && two.last("registrationAck") !== undefined);
  one.sayAs("node-3", "registration", { nodeDefinition: [{ nodeType: 2 }] });
  expect(
    await until("the refusal", () => one.received.findLast(({ content }) => content.value.acceptance === false)),
  ).toMatchObject({ content: { value: { ackResponseReason: [expect.stringContaining(NODE_ID)] } } });
  one.sayAs("node-2", "statusReport", { system: 3 });
  expect(await until("the error", () => one.last("error"))).toMatchObject({
    errorMessage: ["register first"],
    packet: expect.any(Uint8Array),
  });
  link.send!(COMMAND);
  const task = await until("the task", () => one.last("task"));
  two.say("taskAck", { taskId: task.taskId, taskStatus: 4 });
  one.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  await until("accepted", () => context.progressed.length === 1);
  link.cancel!(COMMAND.taskId);
  await until("the stop", () => one.last("task")?.control === 2);
  one.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  await until("cancelled", () => context.progressed.length === 2);
  expect(context.progressed.map(({ progress }) => progress.is)).toEqual(["accepted", "cancelled"]);
  expect(two.last("task")).toBeUndefined();
  expect(context.reports.some(({ healthLevel }) => healthLevel === "fail")).toBe(false);
  one.socket.destroy();
  // The same id over another connection, at once.
  await until("its place", async () => {
    const again = await connect(port, NODE_ID);
    again.register(19);
    return (await until("an answer", () => again.last("registrationAck"))).acceptance === true;
  });
});

test("[SP-10] an alert is acknowledged; a detection that cannot be placed is answered with the reason and ends no connection", async () => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(2);
  await until("registered", () => node.last("registrationAck"));
  node.say("alert", { alertId: "01JD00000000000000000000AF", alertType: 3, description: "mast\u0007is open" });
  expect(await until("the acknowledgement", () => node.last("alertAck"))).toMatchObject({
    alertId: "01JD00000000000000000000AF",
    alertAckStatus: 1,
  });
  expect(context.reports.at(-1)).toMatchObject({ message: "critical: mast is open" });
  const bearing = { azimuth: 45, range: 2000, coordinateSystem: 1, datum: 1 };
  const detection = { reportId: "01JD00000000000000000000AB", locationOneof: { case: "rangeBearing", value: bearing } };
  for (let i = 0; i < 30; i++) node.say("detectionReport", detection);
  await until("thirty answers", () => node.received.filter(({ content }) => content.case === "error").length === 30);
  expect(node.last("error")).toMatchObject({ errorMessage: [expect.stringContaining("status report")] });
  node.status();
  node.say("detectionReport", detection);
  await until("one that can be placed", () => context.observed.length === 1);
  expect([link.counters.bad, link.counters.dropped]).toEqual([0, 30]);
});

const RANGE_BEARING = { azimuth: 45, elevation: 3, range: 2000, coordinateSystem: 1, datum: 1 };
const detected = (more: object = {}) => ({
  locationOneof: { case: "rangeBearing", value: { ...RANGE_BEARING, ...more } },
});

test.each([3_600_000, -10_000, 2000])(
  "[SP-65] detections of a node whose clock is %d ms ahead are taken once its clock has been seen to advance",
  async (aheadMs) => {
    const { link, context, port } = await open();
    const node = await connect(port, NODE_ID);
    node.aheadMs = aheadMs;
    node.register(2);
    node.status();
    node.say("detectionReport", detected());
    expect(await until("the reason", () => node.last("error"))).toMatchObject({
      errorMessage: [expect.stringMatching(/^the clock of the node is -?\d+ s off/)],
    });
    await new Promise((resolve) => setTimeout(resolve, 950));
    node.say("detectionReport", detected());
    const { measured_at: atMs } = await until("the observation", () => context.observed[0]);
    // Half of the smallest clock error: on a busy machine a message takes long.
    expect(Math.abs(atMs - Date.now())).toBeLessThan(1000);
    expect(Math.abs(link.status(Date.now()).offsetMs! - aheadMs)).toBeLessThan(1000);
    expect([link.counters.dropped, context.rejected]).toEqual([1, 0]);
  },
);

test.each([
  ["an elevation of 95", () => detected({ elevation: 95 }), 0, /bad_geometry: .*el_deg/],
  ["a range below zero", () => detected({ range: -10 }), 0, /bad_geometry: .*range_m/],
  ["a time long ago", () => detected(), -60_000, /too long ago/],
] as const)("[SP-66] %s is answered with the reason", async (_, detection, lateMs, reason) => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(2);
  node.status();
  node.say("detectionReport", detection(), Date.now() + lateMs);
  expect(await until("the reason", () => node.last("error"))).toMatchObject({
    errorMessage: [expect.stringMatching(reason)],
  });
  expect([link.counters.dropped, link.counters.bad, context.rejected]).toEqual([1, 0, 1]);
});

test("[SP-67] the position of a lost object is counted, not fused, and no error", async () => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(2);
  node.status();
  for (const state of ["lost", "Object Lost", "LOST"]) node.say("detectionReport", { ...detected(), state });
  for (const state of ["", "new", "closted"]) node.say("detectionReport", { ...detected(), state });
  await until("those that it sees", () => context.observed.length === 3);
  expect([link.counters.dropped, context.rejected, node.last("error")]).toEqual([3, 0, undefined]);
});

test("[SP-68] a registration before an endless message is answered, then the error, then the connection ends", async () => {
  const { port } = await open();
  const node = await connect(port, NODE_ID);
  node.socket.cork();
  node.register(2);
  node.socket.write(Buffer.from([255, 255, 255, 255]));
  node.socket.uncork();
  await until("the end", () => node.socket.readableEnded);
  expect(node.received.map(({ content }) => content.case)).toEqual(["registrationAck", "error"]);
});

test("[SG-60] bearings and positions of a radio node are both taken, in any order, as one sensor", async () => {
  const { context, room, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(8);
  node.status();
  const value = { x: 8.57, y: 50.04, z: 200, xError: 20, coordinateSystem: 1, datum: 1 };
  const place = { locationOneof: { case: "location", value } };
  for (const report of [detected(), place, detected(), place]) node.say("detectionReport", report);
  await until("all of them", () => context.observed.length === 4);
  expect([context.rejected, node.last("error")]).toEqual([0, undefined]);
  expect(Array.from(room.sensors.all(), ({ id, observations }) => [id, observations])).toEqual([
    [`sapient:${NODE_ID}`, 4],
  ]);
});

test("[SP-11] a node that floods is limited and its excess counted; other nodes are not affected", async () => {
  const { link, context, port } = await open();
  const [loud, calm] = [await connect(port, "loud"), await connect(port, NODE_ID)];
  loud.register(2);
  calm.register(2);
  await until("both", () => loud.last("registrationAck") !== undefined && calm.last("registrationAck") !== undefined);
  for (let i = 0; i < 5000; i++) loud.status();
  await until("over", () => link.counters.dropped > 3000);
  calm.status();
  await until("the calm one", () => context.reports.at(-1)?.source.systemId === NODE_ID);
  const ofLoud = context.reports.filter(({ source }) => source.systemId === "loud").length;
  expect(ofLoud + link.counters.dropped).toBe(5001);
  loud.socket.resetAndDestroy();
  calm.status();
  await until(
    "it again",
    () =>
      context.reports.filter(({ healthLevel, source }) => healthLevel === "ok" && source.systemId === NODE_ID)
        .length === 2,
  );
});

test("[SP-6] a task is sent to its node, and the answers come back; given a silent node it times out", async () => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(19);
  await until("registered", () => node.last("registrationAck"));
  link.send!(COMMAND);
  const task = await until("the task", () => node.last("task"));
  expect(task).toMatchObject({ taskId: ulidOf(COMMAND.taskId), control: 1 });
  node.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  node.say("taskAck", { taskId: task.taskId, taskStatus: 3, reason: ["there"] });
  await until("the answers", () => context.progressed.length === 2);
  expect(context.progressed.map(({ progress }) => progress.is)).toEqual(["accepted", "succeeded"]);
  link.send!({ ...COMMAND, source: { ...COMMAND.source, systemId: "nobody" } });
  expect(context.progressed.at(-1)!.progress).toMatchObject({ is: "busy" });
});

test("[SP-63] stop names the task in the node's status, or ours, or is refused; its answer ends both", async () => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(19);
  await until("registered", () => node.last("registrationAck"));
  const order = (taskId: string, verb: string) => link.send!({ ...COMMAND, taskId, verb, params: { kind: "none" } });
  order("tsk_01jd0000000000000000000002", "stop");
  order("tsk_01jd0000000000000000000002", "start");
  const words = () => context.progressed.map(({ taskId, progress }) => [taskId.slice(-1), progress.is]);
  expect(context.progressed[0]!.progress).toMatchObject({ is: "refused", text: "the node has no task to stop" });
  link.send!(COMMAND);
  const task = await until("the task", () => node.last("task"));
  node.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  await until("accepted", () => context.progressed.length === 3);
  order("tsk_01jd0000000000000000000003", "pause");
  expect(
    await until("the pause", () => node.received.find(({ content }) => content.value.control === 3)),
  ).toMatchObject({ content: { value: { taskId: task.taskId } } });
  node.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  await until("paused", () => context.progressed.length === 4);
  const theirs = "01JD0000000000000000000009";
  node.say("statusReport", { system: 1, info: 1, activeTaskId: theirs });
  await until("its task", () => context.reports.at(-1)?.healthLevel === "ok");
  order("tsk_01jd0000000000000000000004", "stop");
  await until("the stop", () => node.last("task")?.taskId === theirs);
  node.say("taskAck", { taskId: theirs, taskStatus: 1 });
  node.say("statusReport", { system: 2, info: 1 });
  await until("no task of its own", () => context.reports.at(-1)?.healthLevel === "warn");
  order("tsk_01jd0000000000000000000005", "stop");
  node.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  await until("all", () => context.progressed.length === 7);
  expect(words().slice(2)).toEqual([
    ["1", "accepted"],
    ["3", "succeeded"],
    ["4", "succeeded"],
    ["5", "succeeded"],
    ["1", "cancelled"],
  ]);
});

test("[SP-7] an unreadable message is answered with an error and counted; after too many the connection ends, others go on", async () => {
  const { link, context, port } = await open();
  const good = await connect(port, NODE_ID);
  good.register(8);
  await until("registered", () => good.last("registrationAck"));
  const bad = await connect(port, "bad");
  bad.say("statusReport", { system: 1 });
  expect(await until("the error", () => bad.last("error"))).toMatchObject({ errorMessage: ["register first"] });
  bad.socket.write(Buffer.concat(Array.from({ length: 30 }, () => Buffer.from([4, 0, 0, 0, 255, 255, 255, 255]))));
  await until("the cut", () => bad.socket.destroyed || bad.socket.readableEnded);
  const endless = await connect(port, "endless");
  endless.socket.write(Buffer.from([255, 255, 255, 255]));
  await until("the other cut", () => endless.socket.destroyed || endless.socket.readableEnded);
  expect(link.counters.bad).toBeGreaterThanOrEqual(20);
  const nobody = await connect(port, "typeless");
  nobody.register(0);
  expect(await until("the refusal", () => nobody.last("registrationAck"))).toMatchObject({ acceptance: false });
  const twin = await connect(port, NODE_ID);
  twin.register(8);
  expect(await until("the second's refusal", () => twin.last("registrationAck"))).toMatchObject({ acceptance: false });
  expect(context.reports.at(-1)?.conflicts).toHaveLength(1);
  good.status();
  await until("the first goes on", () => context.reports.at(-1)?.healthLevel === "ok");
});
