/** A link's assets when the link is deleted. Through the front door. */
import { expect, test } from "vitest";
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";
import { startTestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

test("[LK-18] the assets of a deleted link are closed at once, and stay so until another link hears them", async () => {
  const service = await startTestPicket();
  const vehicles: Vehicle[] = [];
  try {
    const key = await service.key("owner");
    // biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
    const get = async (path: string): Promise<any> => (await service.request("GET", path, { key })).body.data;
    const open = async () =>
      (await service.request("POST", "/api/links", { key, body: { protocol: "mavlink2", port: 0 } })).body.data;
    const link = await open();
    for (let i = 0; i < 2; i++)
      vehicles.push(await startVehicle({ target: { host: "127.0.0.1", port: link.port }, systemId: 38 }));
    const address = `127.0.0.1:${vehicles[0]!.port}`;
    await until("the discovery", async () =>
      (await get("/api/discoveries")).find((one: { address: string }) => one.address === address),
    );
    const asset = await service.request("POST", "/api/assets", {
      key,
      body: { name: "Kite", connection: { address } },
    });
    const id = asset.body.data.id;
    await until("the conflict", async () => (await get(`/api/assets/${id}`)).health.level === "fail");
    expect((await service.request("DELETE", `/api/links/${link.id}`, { key })).status).toBe(204);
    const closed = await get(`/api/assets/${id}`);
    expect([closed.link.state, closed.health.level]).toEqual(["closed", "unknown"]);
    expect((await get("/api/picture")).alerts).toEqual([]);
    expect(closed.verbs.find(({ name }: { name: string }) => name === "hold")).toMatchObject({
      available: false,
      unavailable_rule: "link_lost",
    });
    await new Promise((resolve) => setTimeout(resolve, 6500));
    expect((await get(`/api/assets/${id}`)).link.state).toBe("closed");
    const next = await open();
    for (const vehicle of vehicles.splice(0)) await vehicle.stop();
    vehicles.push(await startVehicle({ target: { host: "127.0.0.1", port: next.port }, systemId: 38 }));
    await until("it is heard again", async () => (await get(`/api/assets/${id}`)).link.state === "up");
  } finally {
    for (const vehicle of vehicles) await vehicle.stop();
    await service.stop();
  }
});
