/** Stored links at a restart: one that cannot be opened is listed with the reason and can be deleted. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTestPicket, type TestPicket } from "../support/picket.ts";
import { until } from "../support/until.ts";

async function occupy(port: number) {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}
const refuses = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(false));
    socket.on("error", () => resolve(true));
    socket.on("connect", () => socket.destroy());
  });

test("[LK-16] a stored link that cannot be opened again is shown with the reason, stops no other part, and can be deleted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "picket-reopened-"));
  const env = { DATA_DIR: folder };
  let service: TestPicket = await startTestPicket(env);
  const key = await service.key("owner");
  const ask = (method: string, path: string, body?: object) =>
    service.request(method, path, { key, ...(body === undefined ? {} : { body }) });
  const linkNow = async (id: string) => (await ask("GET", `/api/links/${id}`)).body.data;
  const closers: (() => unknown)[] = [() => service.stop()];
  try {
    const free = await occupy(0);
    const { port } = free.address() as { port: number };
    free.close();
    const made = async (body: object) => (await ask("POST", "/api/links", body)).body.data.id as string;
    const [taken, broken, unspoken, well] = [
      await made({ protocol: "cot_xml", port, name: "taken" }),
      await made({ protocol: "cot_xml", port: 0, name: "broken" }),
      await made({ protocol: "cot_xml", port: 0, name: "unspoken" }),
      await made({ protocol: "cot_xml", port: 0, name: "well" }),
    ];
    // An older build may have stored such links.
    await service.picket.db.run((sql) => sql`update links set transport = 'udp' where id = ${broken}`);
    await service.picket.db.run((sql) => sql`update links set protocol = 'semaphore' where id = ${unspoken}`);
    await service.picket.stop(2000);
    const squatter = await occupy(port);
    closers.unshift(() => squatter.close());
    service = await startTestPicket(env);
    await until("the last is open", async () => (await linkNow(well)).state === "up");
    expect(await linkNow(taken)).toMatchObject({ state: "closed", port, error: expect.stringContaining("taken") });
    expect(await linkNow(broken)).toMatchObject({ state: "closed", error: expect.stringContaining("port") });
    expect(await linkNow(unspoken)).toMatchObject({ state: "closed", error: expect.stringContaining("semaphore") });
    const { integrations } = (await ask("GET", "/api/picture")).body.data;
    const cot = integrations.find((one: { protocol: string }) => one.protocol === "cot_xml");
    expect([cot.status, cot.listeners.length]).toEqual(["degraded", 3]);
    for (const id of [taken, broken, unspoken]) expect((await ask("DELETE", `/api/links/${id}`)).status).toBe(204);
    expect((await ask("GET", "/api/links")).body.data).toHaveLength(1);
    squatter.close();
    // Longer than the pause before failed links are tried again.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await refuses(port)).toBe(true);
  } finally {
    for (const close of closers) await close();
    rmSync(folder, { recursive: true, force: true });
  }
});
