/** kill -9 in the middle of work: every acknowledged write is there after the restart, and the log is whole. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { signIn } from "../../scripts/demo/client.ts";
import { type ServiceProcess, startProcess } from "../../scripts/demo/serviceProcess.ts";
import { findBreak } from "../../src/domain/eventLog.ts";
import { type Answered, ask } from "../support/picket.ts";
import { until } from "../support/until.ts";

interface Acknowledged {
  readonly assets: Map<string, { name: string; serial: string | null; version: number }>;
  readonly removed: Set<string>;
  readonly tasks: Map<string, string>;
}

const WRITERS = 6;
const WRITES_A_ROUND = 3 * WRITERS;

/** Writes until the connection breaks; records only acknowledged writes. */
async function write(url: string, key: string, name: string, acknowledged: Acknowledged): Promise<void> {
  const post = (path: string, body: object): Promise<Answered> => ask(url, "POST", path, { key, body });
  for (let i = 0; ; i++) {
    const { body } = await post("/api/assets", { name: `${name} ${i}`, catalog_name: "quadrotor" });
    const { id } = body.data;
    acknowledged.assets.set(id, { name: `${name} ${i}`, serial: null, version: 1 });
    const bound = await post(`/api/assets/${id}/bind`, { key: `SERIAL-${id}` });
    acknowledged.assets.set(id, { name: `${name} ${i}`, serial: bound.body.data.remote_id_serial, version: 2 });
    const task = await post(`/api/assets/${id}/command`, { verb: "abort" });
    acknowledged.tasks.set(task.body.data.id, "queued");
    const refused = await post(`/api/assets/${id}/command`, { verb: "hold" });
    acknowledged.tasks.set(refused.headers.get("location")!.slice("/api/tasks/".length), "refused");
    if (i % 3 !== 2) continue;
    const { status } = await ask(url, "DELETE", `/api/assets/${id}`, { key });
    if (status === 204) acknowledged.removed.add(id);
  }
}

async function pages(url: string, key: string, path: string): Promise<{ id: string }[]> {
  const all: { id: string }[] = [];
  for (let next: string | null = path; next !== null; ) {
    const page: Answered = await ask(url, "GET", next, { key });
    expect(page.status, page.text).toBe(200);
    all.push(...page.body.data);
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1] ?? null;
  }
  return all;
}

test("[AS-11] no acknowledged write is lost to a kill -9, at whatever moment it comes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "picket-killed-"));
  const acknowledged: Acknowledged = { assets: new Map(), removed: new Set(), tasks: new Map() };
  const start = (): Promise<ServiceProcess> => startProcess({ env: { PORT: "0", DEV_MODE: "1", DATA_DIR: folder } });
  let service = await start();
  try {
    const { key } = await signIn(service.url, "killed@example.org", "test");
    const link = await ask(service.url, "POST", "/api/links", {
      key,
      body: { protocol: "cot_xml", port: 0, name: "TAK" },
    });
    expect(link.status).toBe(201);
    for (const afterMs of [0, 60, 17]) {
      const before = acknowledged.assets.size;
      const writers = Array.from({ length: WRITERS }, (_, i) =>
        write(service.url, key, `${afterMs}/${i}`, acknowledged).catch(() => undefined),
      );
      await until("writes in this round", () => acknowledged.assets.size >= before + WRITES_A_ROUND);
      // In the middle of other writes.
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      service.process.kill("SIGKILL");
      await service.ended;
      await Promise.all(writers);
      service = await start();
    }
    const opened = await until("the link that was opened before", async () =>
      (await ask(service.url, "GET", "/api/links", { key })).body.data.find(
        (one: { id: string; state: string }) => one.id === link.body.data.id && one.state === "up",
      ),
    );
    expect(opened).toMatchObject({ name: "TAK" });
    const assets = new Map((await pages(service.url, key, "/api/assets")).map((one) => [one.id, one]));
    const lost = [...acknowledged.assets].filter(([id, written]) => {
      const found = assets.get(id) as { name: string; remote_id_serial: string | null } | undefined;
      if (acknowledged.removed.has(id)) return found !== undefined;
      // Removed or bound, but not acknowledged before the end: both outcomes are right.
      if (found === undefined) return Number(written.name.split(" ")[1]) % 3 !== 2;
      return found.name !== written.name || (written.serial !== null && found.remote_id_serial !== written.serial);
    });
    expect(lost).toEqual([]);
    const tasks = new Map((await pages(service.url, key, "/api/tasks?limit=1000")).map((one) => [one.id, one]));
    expect([...acknowledged.tasks.keys()].filter((id) => !tasks.has(id))).toEqual([]);
    const log = await pages(service.url, key, "/api/events?limit=1000");
    expect(findBreak(log as never)).toBeNull();
    const inLog = new Set(log.map((entry) => (entry as unknown as { subject: { id: string } }).subject.id));
    expect([...acknowledged.assets.keys(), ...acknowledged.tasks.keys()].filter((id) => !inLog.has(id))).toEqual([]);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
