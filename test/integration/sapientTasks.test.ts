/** A SAPIENT camera through the front door: discovered, adopted, ordered to look, executing, cancelled, twice. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestPicket, type TestPicket } from "../support/picket.ts";
import { type SapientNode, startNode } from "../support/sapientNode.ts";
import { until } from "../support/until.ts";

let service: TestPicket;
let key: string;
let node: SapientNode;

beforeAll(async () => {
  service = await startTestPicket();
  key = await service.key("owner");
  const link = await service.request("POST", "/api/links", { key, body: { protocol: "sapient_flex335_v2", port: 0 } });
  node = await startNode(link.body.data.port, "7f3a2c1e-0000-4000-8000-000000000009");
});
afterAll(async () => {
  node.socket.destroy();
  await service.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
const ask = async (method: string, path: string, body?: object): Promise<any> =>
  (await service.request(method, path, { key, ...(body === undefined ? {} : { body }) })).body.data;

test("[SP-12] the ledger follows a node: accepted, executing, a declined cancel, and a cancel that is obeyed", async () => {
  node.register(19);
  await until("registered", () => node.last("registrationAck"));
  node.status();
  const found = await until("found", async () =>
    (await ask("GET", "/api/discoveries")).find((one: { protocol: string }) => one.protocol === "sapient_flex335_v2"),
  );
  const { id } = await ask("POST", "/api/assets", { name: "Camera", connection: { address: found.address } });
  // From now on its detections are the asset's: the adopted node and the source of its observations are one sensor.
  node.say("detectionReport", {
    reportId: "01JD00000000000000000000AB",
    locationOneof: { case: "rangeBearing", value: { azimuth: 45, elevation: 3, coordinateSystem: 1, datum: 1 } },
  });
  const sensor = await until("a detection", async () => {
    const now = await ask("GET", `/api/assets/${id}`);
    return now.sensor.detections_per_min === 1 ? now.sensor : null;
  });
  expect(sensor).toMatchObject({ profile_id: "generic-eo", operational: "operational" });
  const task = await ask("POST", `/api/assets/${id}/command`, {
    verb: "look_at",
    params: { kind: "angle", az_deg: 10, el_deg: 2 },
  });
  const becomes = (status: string) =>
    until(status, async () => {
      const now = await ask("GET", `/api/tasks/${task.id}`);
      return now.status === status ? now : null;
    });
  const told = await until("the task", () => node.last("task"));
  node.say("taskAck", { taskId: told.taskId, taskStatus: 1 });
  await becomes("accepted");
  node.say("statusReport", { system: 1, mode: "default", activeTaskId: told.taskId });
  await becomes("executing");
  await ask("POST", `/api/tasks/${task.id}/cancel`);
  await until("the stop", () => node.last("task")?.control === 2);
  await becomes("cancel_requested");
  node.say("taskAck", { taskId: told.taskId, taskStatus: 2, reason: ["busy tracking"] });
  expect(await becomes("executing")).toMatchObject({ reason: "busy tracking", reason_code: "cancel_declined" });
  await ask("POST", `/api/tasks/${task.id}/cancel`);
  await until("the second stop", () => node.received.filter(({ content }) => content.value.control === 2).length === 2);
  node.say("taskAck", { taskId: told.taskId, taskStatus: 1 });
  expect(await becomes("cancelled")).toMatchObject({ result: { code: "stopped" } });
});
