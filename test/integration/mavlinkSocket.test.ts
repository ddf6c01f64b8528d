/** The deployment's own MAVLink socket: which workspace owns it, and a port in use (docs/interface.md#links). */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { startVehicle } from "../../scripts/demo/vehicle.ts";
import { startTestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

test("[LK-14] a port in use is reported and tried again; the socket's vehicles are heard in the first workspace only", async () => {
  const taken = createSocket("udp4").bind({ port: 0, address: "127.0.0.1", exclusive: true });
  await once(taken, "listening");
  const { port } = taken.address();
  const service = await startTestPicket({ MAVLINK_UDP: `127.0.0.1:${port}` });
  const key = await service.key("owner");
  // biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
  const get = async (path: string, as = key): Promise<any> =>
    (await service.request("GET", path, { key: as })).body.data;
  const integration = async () =>
    (await get("/api/picture")).integrations.find((one: { protocol: string }) => one.protocol === "mavlink2");
  let vehicle: Awaited<ReturnType<typeof startVehicle>> | null = null;
  try {
    const busy = await until("the report", async () => {
      const one = await integration();
      return one?.status === "error" ? one : null;
    });
    expect(busy).toMatchObject({
      error_code: "port_in_use",
      listeners: [{ address: "127.0.0.1", port, state: "closed" }],
    });
    expect((await service.request("GET", "/health")).status).toBe(200);
    taken.close();
    await until("it listens", async () => (await integration()).status === "listening");
    vehicle = await startVehicle({ target: { host: "127.0.0.1", port }, systemId: 3 });
    await until("heard", async () => (await get("/api/discoveries")).length === 1);
    await until("active", async () => (await integration()).status === "active");
    expect((await integration()).error_code).toBeNull();
    const other = await service.key("owner");
    expect(await get("/api/discoveries", other)).toEqual([]);
    expect(await get("/api/links", other)).toEqual([]);
    const [link] = await get("/api/links");
    expect((await service.request("DELETE", `/api/links/${link.id}`, { key })).body.code).toBe("invalid_state");
  } finally {
    await vehicle?.stop();
    await service.stop();
  }
});

test("[LK-15] by default MAVLINK_UDP belongs to the workspace that was created first", async () => {
  const service = await startTestPicket({ MAVLINK_UDP: "127.0.0.1:0" });
  try {
    const [first, second] = [await service.login(), await service.login()];
    const keys = [await service.key("owner", first), await service.key("owner", second)];
    await until(
      "the socket",
      async () => (await service.request("GET", "/api/links", { key: keys[0]! })).body.data.length === 1,
    );
    expect((await service.request("GET", "/api/links", { key: keys[1]! })).body.data).toEqual([]);
  } finally {
    await service.stop();
  }
});
