/** An edge node at our door: registers, tells, detects, obeys, leaves; and one that talks nonsense. Real sockets, real room. */
import { afterEach, expect, test } from "vitest";
import type { OutgoingCommand } from "../../src/domain/platformReport.ts";
import { sapientAdapter } from "../../src/features/links/sapient/adapter.ts";
import { ulidOf } from "../../src/features/links/sapient/tasks.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { openRoom } from "../support/room.ts";
import { startNode } from "../support/sapientNode.ts";
import { until } from "../support/until.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open() {
  const context = testContext(await openRoom(systemClock));
  const settings = testSettings({ protocol: "sapient_flex335_v2", role: "listen", port: 0 });
  const link = await sapientAdapter.open(settings, context);
  ends.push(() => link.close());
  return { link, context, port: link.status(Date.now()).localPort! };
}

async function connect(port: number, id: string) {
  const node = await startNode(port, id);
  ends.push(() => node.socket.destroy());
  return node;
}

const NODE_ID = "7f3a2c1e-0000-4000-8000-000000000001";

test("[SP-5] a node registers, its status is health and place, its detections are taken by the signals' rules", async () => {
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
  expect(context.heard[0]).toMatchObject({
    source: { protocol: "sapient_flex335_v2", address: `sapient:${NODE_ID}`, systemId: NODE_ID },
    identity: { kindGuess: "sensor", typeGuess: "radar_2d_rotating", modelGuess: "NM-1", name: "North" },
    expectedPeriodS: 1,
  });
  expect(context.heard[1]).toMatchObject({
    healthLevel: "ok",
    motion: { lat: 50.03, lon: 8.56, alt_hae_m: 150 },
    power: { percent: 88, state: "ok" },
    components: [{ level: "warn", message: "rain" }],
  });
  node.status(5);
  await until("the good-bye", () => context.heard.at(-1)?.goodbye === true);
  expect(link.counters.bad).toBe(0);
});

test("[SP-6] a task goes to the node, and its answers come back; a silent node times out", async () => {
  const { link, context, port } = await open();
  const node = await connect(port, NODE_ID);
  node.register(19);
  await until("registered", () => node.last("registrationAck"));
  const command: OutgoingCommand = {
    taskId: "tsk_01jd0000000000000000000001",
    source: { protocol: "sapient_flex335_v2", address: "", systemId: NODE_ID, linkId: "lnk_test" },
    verb: "look_at",
    params: { kind: "point", lat: 50.1, lon: 8.6 },
    deadlineAtMs: Date.now() + 60_000,
    resendSafe: true,
  };
  link.send!(command);
  const task = await until("the task", () => node.last("task"));
  expect(task).toMatchObject({ taskId: ulidOf(command.taskId), control: 1 });
  node.say("taskAck", { taskId: task.taskId, taskStatus: 1 });
  node.say("taskAck", { taskId: task.taskId, taskStatus: 3, reason: ["there"] });
  await until("the answers", () => context.progressed.length === 3);
  expect(context.progressed.map(({ progress }) => progress.is)).toEqual(["sent", "accepted", "succeeded"]);
  link.send!({ ...command, source: { ...command.source, systemId: "nobody" } });
  expect(context.progressed.at(-1)!.progress).toMatchObject({ is: "busy" });
});

test("[SP-7] nonsense is answered with an error and counted, in the end cut off; others go on", async () => {
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
  expect(context.heard.at(-1)?.conflicts).toHaveLength(1);
  good.status();
  await until("the first goes on", () => context.heard.at(-1)?.healthLevel === "ok");
});
