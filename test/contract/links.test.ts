/** Links and discoveries through the front door: docs/interface.md#links. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startVehicle } from "../../scripts/demo/vehicle.ts";
import { says, useService } from "../support/frontDoor.ts";
import { startTestPicket } from "../support/picket.ts";
import { startNode } from "../support/sapientNode.ts";
import { until } from "../support/until.ts";

const SECRET_KEY = "0123456789abcdef0123456789abcdef";
const front = useService({ SECRET_KEY });
const ask = (method: string, path: string, body?: unknown, as = front.key) =>
  front.ask(method, path, body, { key: as });

test("[LK-71] a link whose row is gone because the answer to its removal was lost can be removed", async () => {
  const { id, port } = (await ask("POST", "/api/links", { protocol: "cot_xml", port: 0 })).body.data;
  await front.service.picket.db.run(
    (sql) => sql`delete from links where workspace_id = ${front.owner.workspaceId} and id = ${id}`,
  );
  expect((await ask("DELETE", `/api/links/${id}`)).status).toBe(204);
  expect(says(await ask("GET", `/api/links/${id}`))).toEqual([404, "not_found"]);
  const again = await ask("POST", "/api/links", { protocol: "cot_xml", port });
  expect(again.status, again.text).toBe(201);
  await ask("DELETE", `/api/links/${again.body.data.id}`);
});

test("[LK-9] a link is opened, shown with state and counters, and closed; its port is one link's", async () => {
  const made = await ask("POST", "/api/links", { protocol: "cot_xml", name: "TAK", port: 0, options: { period_s: 1 } });
  expect(made.status).toBe(201);
  const { id, port } = made.body.data;
  expect(made.headers.get("location")).toBe(`/api/links/${id}`);
  expect(made.body.data).toMatchObject({
    protocol: "cot_xml",
    transport: "tcp",
    role: "listen",
    direction: "both",
    issued_for: "workspace",
    state: "up",
    error: null,
    credential: null,
  });
  expect(port).toBeGreaterThan(0);
  expect(says(await ask("POST", "/api/links", { protocol: "cot_xml", port }))).toEqual([409, "port_in_use"]);
  expect((await ask("GET", "/api/links")).body.data.map((link: { id: string }) => link.id)).toEqual([id]);
  const { integrations } = (await ask("GET", "/api/picture")).body.data;
  expect(integrations.find((one: { protocol: string }) => one.protocol === "cot_xml")).toMatchObject({
    status: "listening",
    listeners: [{ port, state: "up", detail: null }],
  });
  expect(integrations.find((one: { protocol: string }) => one.protocol === "mavlink2")).toMatchObject({
    status: "off",
  });
  expect(integrations.find((one: { protocol: string }) => one.protocol === "adsb_sbs")).toMatchObject({
    status: "unconfigured",
  });
  const stranger = await front.service.key("owner");
  expect(says(await ask("GET", `/api/links/${id}`, undefined, stranger))).toEqual([404, "not_found"]);
  expect(says(await ask("DELETE", `/api/links/${id}`, undefined, stranger))).toEqual([404, "not_found"]);
  expect((await ask("DELETE", `/api/links/${id}`)).status).toBe(204);
  expect(says(await ask("GET", `/api/links/${id}`))).toEqual([404, "not_found"]);
  expect((await ask("POST", "/api/links", { protocol: "cot_xml", port })).status).toBe(201);
});

test("[LK-20] a link has the direction of its protocol family unless the request sets it", async () => {
  for (const [body, direction] of [
    [{ protocol: "adsb_readsb_json", address: "http://127.0.0.1:9/aircraft.json" }, "in"],
    [{ protocol: "sapient_flex335_v2", port: 0 }, "both"],
    [{ protocol: "cot_xml", port: 0, direction: "out" }, "out"],
  ] as const) {
    const made = (await ask("POST", "/api/links", body)).body.data;
    expect([body.protocol, made.direction]).toEqual([body.protocol, direction]);
    await ask("DELETE", `/api/links/${made.id}`);
  }
});

test("[LK-10] a link that cannot be opened is refused with the reason", async () => {
  const refused: [object, unknown[]][] = [
    [{ protocol: "asterix_cat062" }, [501, "feature_absent"]],
    [{ protocol: "carrier_pigeon" }, [400, "invalid_input"]],
    [{ protocol: "mavlink2", transport: "tcp", port: 0 }, [400, "invalid_input"]],
    [{ protocol: "adsb_readsb_json", address: "http://169.254.169.254/latest" }, [400, "invalid_input"]],
    [{ protocol: "adsb_readsb_json", address: "ftp://10.0.0.1/" }, [400, "invalid_input"]],
    [{ protocol: "adsb_sbs", address: "0.0.0.0" }, [400, "invalid_input"]],
    [{ protocol: "adsb_sbs", address: "127.0.0.1", port: 30_003, direction: "out" }, [400, "invalid_input"]],
    [{ protocol: "adsb_sbs", address: "127.0.0.1", port: 30_003, direction: "both" }, [400, "invalid_input"]],
    [{ protocol: "cot_xml", transport: "multicast", address: "10.0.0.1" }, [400, "invalid_input"]],
    [{ protocol: "odid_wifi_ble", address: "mqtt://10.0.0.1" }, [400, "invalid_input"]],
    [{ protocol: "cot_xml", address: "203.0.113.9", port: 0 }, [400, "invalid_input"]],
    [{ protocol: "mavlink2", address: "203.0.113.9", port: 0 }, [400, "invalid_input"]],
    [{ protocol: "sapient_flex335_v2", address: "no.such.host.invalid", port: 0 }, [400, "invalid_input"]],
    [
      {
        protocol: "cot_xml",
        transport: "multicast",
        address: "239.2.3.1",
        port: 0,
        options: { interface: "203.0.113.9" },
      },
      [400, "invalid_input"],
    ],
    [{ protocol: "cot_xml", asset_id: "ast_no", port: 0 }, [404, "not_found"]],
  ];
  for (const [body, expected] of refused)
    expect(says(await ask("POST", "/api/links", body)), JSON.stringify(body)).toEqual(expected);
  const viewer = await front.service.key("viewer");
  expect(says(await ask("POST", "/api/links", { protocol: "cot_xml", port: 0 }, viewer))).toEqual([
    403,
    "read_only_role",
  ]);
});

test("[LK-11] an asset's own link is closed when the asset is deleted", async () => {
  const { body } = await ask("POST", "/api/assets", { name: "Linked", catalog_name: "quadrotor" });
  const link = await ask("POST", "/api/links", { protocol: "mavlink2", port: 0, asset_id: body.data.id });
  expect(link.body.data).toMatchObject({ issued_for: "asset", asset_id: body.data.id });
  expect((await ask("DELETE", `/api/assets/${body.data.id}`)).status).toBe(204);
  await until("the link is gone", async () => (await ask("GET", `/api/links/${link.body.data.id}`)).status === 404);
  const socket = createSocket("udp4").bind(link.body.data.port, "127.0.0.1");
  await once(socket, "listening");
  socket.close();
});

test("[LK-12] a credential is sealed, shown as its beginning only, needs SECRET_KEY; with it only signed vehicles are heard", async () => {
  const made = await ask("POST", "/api/links", { protocol: "mavlink2", port: 0, secret: "correct horse" });
  expect(made.body.data.credential).toEqual({ kind: "secret", prefix: "corr", expires_at: null });
  const short = await ask("POST", "/api/links", { protocol: "mavlink2", port: 0, secret: "abc" });
  expect(short.body.data.credential).toEqual({ kind: "secret", prefix: "", expires_at: null });
  expect(
    JSON.stringify((await ask("GET", "/api/events?name=audit.link_opened&order=desc&limit=1")).body),
  ).not.toContain("horse");
  const [row] = await front.service.picket.db.run((sql) => sql`select * from links where id = ${made.body.data.id}`);
  expect(JSON.stringify(row)).not.toContain("horse");
  expect(Buffer.from(row!.secret_sealed).includes("horse")).toBe(false);
  const target = { host: "127.0.0.1", port: made.body.data.port };
  const [unsigned, signed] = [
    await startVehicle({ target, systemId: 1 }),
    await startVehicle({ target, systemId: 2, secret: "correct horse" }),
  ];
  try {
    const heard = await until("the signed one", async () => {
      const found = (await ask("GET", "/api/discoveries")).body.data.filter(
        (one: { protocol: string }) => one.protocol === "mavlink2",
      );
      return found.length > 0 ? found : null;
    });
    expect(heard.map((one: { system_id: string }) => one.system_id)).toEqual(["2"]);
    await until(
      "refusals counted",
      async () => (await ask("GET", `/api/links/${made.body.data.id}`)).body.data.counters.bad > 5,
    );
  } finally {
    await unsigned.stop();
    await signed.stop();
  }
  const keyless = await startTestPicket();
  try {
    const body = { protocol: "mavlink2", port: 0, secret: "x" };
    const answer = await keyless.request("POST", "/api/links", { key: await keyless.key("owner"), body });
    expect(says(answer)).toEqual([503, "not_configured"]);
  } finally {
    await keyless.stop();
  }
});

test("[LK-13] an ignored discovery is no candidate; an adopted one names its asset; anyone can compute the key", async () => {
  const { body: link } = await ask("POST", "/api/links", { protocol: "sapient_flex335_v2", port: 0 });
  const node = await startNode(link.data.port, "node-1");
  try {
    node.register(2, ["default", "Night"]);
    node.status();
    const find = async () =>
      (await ask("GET", "/api/discoveries")).body.data.find((one: { system_id: string }) => one.system_id === "node-1");
    const found = await until("the node", find);
    // base32(sha256("sapient_flex335_v2:sapient:node-1:node-1")), 26 characters, by Python.
    expect(found).toMatchObject({
      key: "UCL2FQLYL76MQSRZROG4MNACRP",
      state: "heard",
      kind_guess: "sensor",
      type_guess: "radar_2d_rotating",
    });
    expect((await ask("GET", `/api/assets/${found.key}`)).body.data).toMatchObject({
      origin: "discovered",
      key: found.key,
      id: found.key,
      health: { level: "warn" },
    });
    const isCandidate = async () =>
      (await ask("GET", "/api/picture")).body.data.candidates.some((one: { key: string }) => one.key === found.key);
    expect(await isCandidate()).toBe(true);
    expect((await ask("POST", `/api/discoveries/${found.key}/ignore`)).body.data.state).toBe("ignored");
    expect(await isCandidate()).toBe(false);
    const adopted = await ask("POST", "/api/assets", { name: "North", connection: { address: found.address } });
    expect(adopted.status).toBe(201);
    expect(adopted.body.data).toMatchObject({
      kind: "sensor",
      class_type: "radar_2d_rotating",
      remote_id_serial: found.key,
      link: { state: "up" },
    });
    expect(await find()).toMatchObject({ state: "adopted", adopted_asset_id: adopted.body.data.id });
    expect((await ask("GET", `/api/assets/${found.key}`)).body.data.id).toBe(adopted.body.data.id);
    expect(says(await ask("POST", `/api/discoveries/${found.key}/ignore`))).toEqual([409, "invalid_state"]);
    expect(says(await ask("POST", "/api/discoveries/NOBODY/ignore"))).toEqual([404, "not_found"]);
    const tasked = await ask("POST", `/api/assets/${adopted.body.data.id}/command`, {
      verb: "set_mode",
      params: { kind: "mode", mode: "night" },
    });
    expect(tasked.status, tasked.text).toBe(201);
    // As the node spells it.
    expect(tasked.body.data.params.mode).toBe("Night");
    const task = await until("the task", () => node.last("task"));
    node.say("taskAck", { taskId: task.taskId, taskStatus: 3 });
    await until(
      "succeeded",
      async () => (await ask("GET", `/api/tasks/${tasked.body.data.id}`)).body.data.status === "succeeded",
    );
  } finally {
    node.socket.destroy();
  }
});
