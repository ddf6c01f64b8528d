/** The deployment's MAVLink socket when MAVLINK_WORKSPACE names no workspace. Its database is empty. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Logger } from "pino";
import { expect, test } from "vitest";
import { createLinks } from "../../src/app/openLinks.ts";
import { readConfig } from "../../src/config.ts";
import type { Database } from "../../src/db/client.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Rooms } from "../../src/room/rooms.ts";
import { until } from "../support/until.ts";

test("[LK-19] a MAVLINK_WORKSPACE that names no workspace opens no socket and is logged once", async () => {
  const free = createSocket("udp4").bind({ port: 0, address: "127.0.0.1", exclusive: true });
  await once(free, "listening");
  const { port } = free.address();
  free.close();
  const said: string[] = [];
  const log = { warn: (_: object, text: string) => said.push(text), error: () => said.push("error") };
  const env = { MAVLINK_UDP: `127.0.0.1:${port}`, MAVLINK_WORKSPACE: "wsp_nobody", DEV_MODE: "1" };
  const links = createLinks({
    config: readConfig(env, false),
    log: log as unknown as Logger,
    clock: systemClock,
    db: { run: () => Promise.resolve([]) } as unknown as Database,
    rooms: new Rooms({ roomsMax: 1, open: () => Promise.resolve(null) } as never),
  });
  links.start();
  try {
    await until("the complaint", () => Promise.resolve(said.length > 0));
    // After more than one further try it is still the only line.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(said).toEqual(["MAVLINK_UDP stays closed: there is no workspace wsp_nobody"]);
    const again = createSocket("udp4").bind({ port, address: "127.0.0.1", exclusive: true });
    await once(again, "listening");
    again.close();
    expect(links.host.views("wsp_nobody")).toEqual([]);
  } finally {
    await links.stop();
  }
});
