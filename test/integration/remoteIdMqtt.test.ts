/** Remote ID receivers over a real broker; where none is installed the test says so and is skipped. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt from "mqtt";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { remoteIdAdapter } from "../../src/links/remoteId/adapter.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { encodeBasicId, encodeLocation, encodePack, FLYING } from "../support/odidEncode.ts";
import { openRoom } from "../support/room.ts";
import { until } from "../support/until.ts";

function brokerPath(): string | null {
  for (const path of ["mosquitto", "/usr/sbin/mosquitto"])
    try {
      execFileSync(path, ["-h"], { stdio: "ignore" });
      return path;
    } catch (fault) {
      // Printing its help ends with status 3; only a missing program means that there is none.
      if ((fault as { code?: string }).code !== "ENOENT") return path;
    }
  return null;
}
const BROKER = brokerPath();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function startBroker(path: string, port: number, folder: string): ChildProcess {
  const file = join(folder, "broker.conf");
  writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\nuser root\n`);
  return spawn(path, ["-c", file], { stdio: "ignore" });
}

test.runIf(BROKER !== null)(
  "[RI-6] payloads from a broker become observations; garbage is counted; after a restart the link connects again",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "picket-mqtt-"));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const port = await freePort();
    let broker = startBroker(BROKER!, port, folder);
    ends.push(() => broker.kill("SIGKILL"));
    const context = testContext(await openRoom(systemClock));
    const settings = testSettings({
      protocol: "odid_wifi_ble",
      transport: "mqtt",
      address: `mqtt://127.0.0.1:${port}`,
      options: { topic: "rid/#", qos: 1 },
    });
    expect(remoteIdAdapter.refuse(settings)).toBeNull();
    expect(remoteIdAdapter.refuse({ ...settings, options: {} })).toContain("topic");
    const link = await remoteIdAdapter.open(settings, context);
    ends.push(() => link.close());
    const isUp = () => link.status(Date.now()).state === "up";
    await until("subscribed", isUp);
    const publisher = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`);
    ends.push(() => publisher.endAsync(true));
    const basic = encodeBasicId(1, 2, "1596F1234567890ABCD");
    const pack = encodePack([basic, encodeLocation(FLYING)]).toString("base64");
    await publisher.publishAsync(
      "rid/north",
      JSON.stringify({ odid: pack, mac: "60:60:1f:00:00:01", rssi: -71, transport: "wifi_beacon" }),
    );
    await publisher.publishAsync("rid/north", "garbage");
    await publisher.publishAsync("rid/north", JSON.stringify({ odid: "ff" }));
    await publisher.publishAsync(
      "rid/south",
      JSON.stringify({ odid: basic.toString("hex"), mac: "aa", sensor: "south-2" }),
    );
    await publisher.publishAsync(
      "rid/south",
      JSON.stringify({ odid: encodeLocation(FLYING).toString("hex"), mac: "aa", sensor: "south-2" }),
    );
    await until("two observations", () => context.observed.length === 2);
    expect(context.rejected).toBe(0);
    expect(context.observed.map(({ source_id, uas_id, lat }) => [source_id, uas_id, lat])).toEqual([
      ["rid:north", "1596F1234567890ABCD", 51.4325],
      ["rid:south-2", "1596F1234567890ABCD", 51.4325],
    ]);
    expect(context.observed[0]).toMatchObject({
      transport: "wifi_beacon",
      receiver: { mac: "60:60:1f:00:00:01", rssi_dbm: -71 },
    });
    expect(link.counters.bad).toBe(2);
    broker.kill("SIGKILL");
    await until("lost", () => link.status(Date.now()).state === "lost");
    broker = startBroker(BROKER!, port, folder);
    await until("back", isUp);
  },
  40_000,
);
