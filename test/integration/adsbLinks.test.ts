/** ADS-B receivers that work, fail, are slow, send too much, redirect, stop and return. Real sockets and signal rules. */
import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcp, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { LINK_CLOSE_WITHIN_MS } from "../../src/limits.ts";
import type { OpenLink } from "../../src/links/adapter.ts";
import { readsbAdapter } from "../../src/links/adsb/readsbAdapter.ts";
import { sbsAdapter } from "../../src/links/adsb/sbsAdapter.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { openRoom } from "../support/room.ts";
import { until } from "../support/until.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
const status = (link: OpenLink) => link.status(Date.now());

async function listen(
  server: { listen(port: number, host: string): unknown; close(): unknown; address(): unknown } & NodeJS.EventEmitter,
) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  return (server.address() as { port: number }).port;
}

async function receiver(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createHttp(answer);
  ends.push(() => server.closeAllConnections());
  const port = await listen(server);
  const context = testContext(await openRoom(systemClock));
  const address = `http://127.0.0.1:${port}/data/aircraft.json`;
  const settings = testSettings({
    protocol: "adsb_readsb_json",
    transport: "http",
    address,
    options: { period_s: 0.25 },
  });
  expect(readsbAdapter.refuse(settings)).toBeNull();
  const link = await readsbAdapter.open(settings, context);
  ends.push(() => link.close());
  return { link, context };
}
const sky = (seconds: number) => ({
  now: Date.now() / 1000,
  aircraft: [
    {
      hex: "4ca2b1",
      lat: 51.5 + seconds / 1000,
      lon: -1.9,
      alt_geom: 3000,
      gs: 140,
      track: 10,
      seen_pos: 0.1,
      type: "adsb_icao",
    },
    { hex: "4ca2b2", flight: "NOPOS" },
  ],
});

test("[AD-4] aircraft.json is polled, and each new position is taken once", async () => {
  let polls = 0;
  const { link, context } = await receiver((_, response) => response.end(JSON.stringify(sky(polls++))));
  await until("three positions", () => context.observed.length >= 3);
  expect(context.rejected).toBe(0);
  expect(context.observed[0]).toMatchObject({ source_id: "adsb:lnk_test", modality: "adsb", icao: "4ca2b1" });
  expect(status(link)).toMatchObject({ state: "up", error: null, sources: 1 });
  expect(status(link).rttMs).not.toBeNull();
});

test("[AD-61] aircraft.json may begin with a byte order mark", async () => {
  const { link, context } = await receiver((_, response) => response.end(`\ufeff${JSON.stringify(sky(0))}`));
  await until("a position", () => context.observed.length === 1);
  expect(status(link)).toMatchObject({ state: "up", error: null });
});

test("[AD-5] given an answer that is no JSON, an error, a redirect or endless, the link is lost with the reason and tries again", async () => {
  const wrong: ((response: ServerResponse) => void)[] = [
    (response) => response.end("<html>"),
    (response) => response.end('{"planes": []}'),
    (response) => void response.writeHead(500).end("{}"),
    (response) => void response.writeHead(302, { Location: "http://169.254.169.254/" }).end(),
    (response) => {
      response.on("error", () => undefined);
      const piece = "x".repeat(1 << 20);
      for (let i = 0; i < 10; i++) response.write(piece);
    },
  ];
  const reasons = new Set<string>();
  let asked = 0;
  const { link, context } = await receiver((_, response) => {
    const answer = wrong[asked++];
    if (answer === undefined) response.end(JSON.stringify(sky(asked)));
    else answer(response);
  });
  await until("it is well again", () => {
    const { state, error, errorCode } = status(link);
    if (error !== null) reasons.add(`${errorCode} ${error.replace(/^http:\S+ /, "")}`);
    return asked > wrong.length && state === "up";
  });
  expect([...reasons].some((reason) => reason.startsWith("bad_answer"))).toBe(true);
  expect([...reasons].some((reason) => reason.includes("302"))).toBe(true);
  expect(link.counters.bad).toBe(wrong.length);
  await until("positions again", () => context.observed.length > 0);
});

test("[AD-5] given a change of protocol or no answer, the link is lost and closes", async () => {
  const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  const { link } = await receiver((_, response) => {
    if (link.counters.bad === 0) response.socket!.write(head);
    else response.socket!.destroy();
  });
  await until("the 101 is told", () => status(link).error?.includes("101"));
  expect(status(link)).toMatchObject({ state: "lost", errorCode: "bad_answer" });
  await until("the cut connection is told", () => status(link).errorCode === "refused");
  await link.close();
});

test("[AD-5] a link that waits for an answer closes at once", async () => {
  let asked = 0;
  const { link } = await receiver((_, response) => {
    if (asked++ % 2 === 1) response.writeHead(200).write("{");
  });
  await until("asked", () => asked === 1);
  const startedMs = performance.now();
  await link.close();
  expect(performance.now() - startedMs).toBeLessThan(LINK_CLOSE_WITHIN_MS);
  expect(status(link).state).toBe("closed");
});

test("[AD-7] given a file that is no longer written, the link is lost with the code stale and takes no position", async () => {
  const file = JSON.stringify({ ...sky(0), now: Date.now() / 1000 - 3600 });
  const { link, context } = await receiver((_, response) => response.end(file));
  await until("stale", () => status(link).errorCode === "stale");
  expect(status(link).state).toBe("lost");
  expect(status(link).offsetMs).toBeLessThan(-3_500_000);
  expect(context.observed).toEqual([]);
});

test("[AD-6] an SBS-1 feeder is read line by line; after garbage or a lost connection the link connects again", async () => {
  const sockets: Socket[] = [];
  const server = createTcp((socket) => {
    socket.on("error", () => undefined);
    sockets.push(socket);
  });
  const port = await listen(server);
  ends.push(() => sockets.forEach((socket) => void socket.destroy()));
  const context = testContext(await openRoom(systemClock));
  const settings = testSettings({ protocol: "adsb_sbs", port });
  expect(sbsAdapter.refuse(settings)).toBeNull();
  expect(sbsAdapter.refuse({ ...settings, address: "169.254.169.254" })).not.toBeNull();
  const link = await sbsAdapter.open(settings, context);
  ends.push(() => link.close());
  await until("connected", () => sockets.length === 1);
  const line = "MSG,3,1,1,4CA2B1,1,2026/11/21,10:00:00.000,2026/11/21,10:00:00.000,,3000,,,51.5,-1.9,,,,,,0\r\n";
  sockets[0]!.write(`garbage\r\n\u0000\u0001${"x".repeat(3000)}\r\n${line.slice(0, 40)}`);
  sockets[0]!.write(line.slice(40));
  await until("a position", () => context.observed.length === 1);
  expect(context.observed[0]).toMatchObject({
    icao: "4ca2b1",
    lat: 51.5,
    alt_baro_m: 914.4,
    source_id: "adsb:lnk_test",
  });
  expect(context.rejected).toBe(0);
  expect(link.counters.bad).toBeGreaterThanOrEqual(2);
  sockets[0]!.destroy();
  await until("lost", () => status(link).state === "lost");
  await until("back", () => sockets.length === 2 && status(link).state === "up");
  sockets[1]!.write(line);
  await until("a position again", () => context.observed.length === 2);
});
