/** A vehicle that treats heights as PX4 does reaches the height that was meant. Through the front door. */
import { expect, test } from "vitest";
import { startVehicle, type Vehicle } from "../../scripts/demo/vehicle.ts";
import { startTestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

test("[MV-48] PX4 takes off and goes to heights above home, although it flies every height as one above the sea", async () => {
  const service = await startTestPicket({ MAVLINK_UDP: "127.0.0.1:0" });
  let vehicle: Vehicle | null = null;
  try {
    const key = await service.key("owner");
    // biome-ignore lint/suspicious/noExplicitAny: what a client sees before it looked
    const get = async (path: string): Promise<any> => (await service.request("GET", path, { key })).body.data;
    const { port } = await until("the socket", async () => (await get("/api/links"))[0]);
    vehicle = await startVehicle({ target: { host: "127.0.0.1", port }, systemId: 12, autopilot: 12, altMslM: 480 });
    const address = `127.0.0.1:${vehicle.port}`;
    await until("the discovery", async () => (await get("/api/discoveries")).length === 1);
    const body = { name: "Pixie", connection: { address } };
    const { id } = (await service.request("POST", "/api/assets", { key, body })).body.data;
    await until("telemetry", async () => {
      const { link, motion } = await get(`/api/assets/${id}`);
      return link.state === "up" && motion !== null;
    });
    const done = async (verb: string, params: object) => {
      const asked = await service.request("POST", `/api/assets/${id}/command`, { key, body: { verb, params } });
      expect(asked.status, asked.text).toBe(201);
      return until(verb, async () => {
        const task = await get(`/api/tasks/${asked.body.data.id}`);
        return task.ended_at === null ? null : task.status;
      });
    };
    expect(await done("arm", { kind: "none" })).toBe("succeeded");
    await until("armed", async () => (await get(`/api/assets/${id}`)).nav.armed);
    expect(await done("takeoff", { kind: "point", alt_m: 20 })).toBe("succeeded");
    const to = { kind: "point", lat: 50.0301, lon: 8.56, alt_m: 35, alt_ref: "rel_home" };
    expect(await done("goto", to)).toBe("succeeded");
    expect(vehicle.altRelM).toBeGreaterThan(30);
    expect(vehicle.altRelM).toBeLessThan(36);
    expect(await done("goto", { ...to, alt_ref: "agl" })).toBe("failed");
    expect(vehicle.received.find(({ command }) => command === 192)).toMatchObject({ frame: 0 });
  } finally {
    await vehicle?.stop();
    await service.stop();
  }
});
