/** Faulty brokers: the link is lost with the reason and tries again, and none of them ends the process. */
import { createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { remoteIdAdapter } from "../../src/links/remoteId/adapter.ts";
import { PACKET_BYTES_MAX } from "../../src/links/remoteId/broker.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { encodeBasicId, encodeLocation, encodePack, FLYING } from "../support/odidEncode.ts";
import { openRoom } from "../support/room.ts";
import { until } from "../support/until.ts";

const CONNECT = 0x10;
const CONNACK = Buffer.from([0x20, 2, 0, 0]);
const suback = (asked: Buffer, code: number) => Buffer.from([0x90, 3, asked[2]!, asked[3]!, code]);
/** PUBREL and acks for packets that were never sent, then an AUTH packet, which this version does not have. */
const OUT_OF_TURN = Buffer.from([0x62, 2, 0, 1, 0x50, 2, 0, 1, 0x40, 2, 0, 1, 0x62, 2, 0, 9, 0xf0, 0]);
const ENDLESS = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function broker(answer: (socket: Socket, asked: Buffer) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (asked) => answer(socket, asked));
    ends.push(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  return (server.address() as { port: number }).port;
}

const settingsOf = (port: number, more: object = {}) =>
  testSettings({
    protocol: "odid_wifi_ble",
    transport: "mqtt",
    address: `mqtt://127.0.0.1:${port}`,
    options: { topic: "rid/#" },
    ...more,
  });

const wrong: [string, (socket: Socket, asked: Buffer) => void, string][] = [
  ["speaks another protocol", (socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"), "header flag"],
  ["refuses us", (socket) => socket.write(Buffer.from([0x20, 2, 0, 5])), "Not authorized"],
  ["closes", (socket) => socket.end(), "closed the connection"],
  [
    "refuses the topic",
    (socket, asked) => socket.write(asked[0] === CONNECT ? CONNACK : suback(asked, 0x80)),
    "the subscription to rid/# was refused",
  ],
  [
    "answers what was not asked",
    (socket, asked) => socket.write(asked[0] === CONNECT ? Buffer.concat([CONNACK, OUT_OF_TURN]) : suback(asked, 0)),
    "auth packet",
  ],
  [
    "sends a packet without end",
    (socket, asked) => {
      if (asked[0] === CONNECT) socket.write(CONNACK);
      else socket.write(Buffer.concat([suback(asked, 0), ENDLESS, Buffer.alloc(2 * PACKET_BYTES_MAX)]));
    },
    "packet of more than",
  ],
];
test.each(wrong)(
  "[RI-7] given a broker that %s, the link is lost with the reason and tries again",
  async (_, answer, why) => {
    let connections = 0;
    const port = await broker((socket, asked) => {
      if (asked[0] === CONNECT) connections++;
      answer(socket, asked);
    });
    const link = await remoteIdAdapter.open(settingsOf(port), testContext());
    ends.push(() => link.close());
    await until("lost", () => link.status(Date.now()).error?.includes(why) === true);
    await until("tried again", () => connections > 1);
  },
);

const ODID = encodePack([encodeBasicId(1, 2, "1596F1234567890ABCD"), encodeLocation(FLYING)]).toString("hex");

/** A PUBLISH of QoS 0 (MQTT 3.1.1, 3.3). */
function published(topic: string, message: object, isRetained = false): Buffer {
  const name = Buffer.from(topic);
  const body = Buffer.concat([Buffer.from([0, name.length]), name, Buffer.from(JSON.stringify(message))]);
  const length = [(body.length & 127) | 128, body.length >> 7];
  return Buffer.concat([Buffer.from([isRetained ? 0x31 : 0x30, ...length]), body]);
}

async function subscribed() {
  const sockets: Socket[] = [];
  const port = await broker((socket, asked) => {
    if (asked[0] === CONNECT) socket.write(CONNACK);
    else if (asked[0] === 0x82) {
      socket.write(suback(asked, 0));
      sockets.push(socket);
    }
  });
  const context = testContext(await openRoom(systemClock));
  const link = await remoteIdAdapter.open(settingsOf(port), context);
  ends.push(() => link.close());
  await until("subscribed", () => link.status(Date.now()).state === "up");
  return { link, context, say: (...packets: Buffer[]) => void sockets[0]!.write(Buffer.concat(packets)) };
}

test("[RI-11] a message that the broker retained makes an observation only when it carries its own time", async () => {
  const { link, context, say } = await subscribed();
  const old = published("rid/a", { odid: ODID, mac: "aa", at: Date.now() - 3_600_000 }, true);
  say(published("rid/a", { odid: ODID, mac: "aa" }, true), old, published("rid/a", { odid: ODID, mac: "aa" }));
  await until("the live one is heard", () => link.counters.rx === 2);
  // The retained message has its own time, which is too old.
  expect(context.observed).toHaveLength(2);
  expect(context.rejected).toBe(1);
  expect(link.counters).toMatchObject({ bad: 0, dropped: 2 });
});

test("[RI-12] a receiver's wrong clock shows in offset_ms, and is corrected once it has been seen to advance", async () => {
  const { link, context, say } = await subscribed();
  const hear = () => say(published("rid/a", { odid: ODID, mac: "aa", at: Date.now() - 3_600_000 }));
  hear();
  await until("heard", () => link.counters.rx === 1);
  expect(link.counters.dropped).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  hear();
  await until("heard again", () => context.observed.length === 2);
  expect(link.counters.dropped).toBe(1);
  expect(Math.abs(context.observed[1].measured_at - Date.now())).toBeLessThan(5000);
  expect(Math.abs(link.status(Date.now()).offsetMs! + 3_600_000)).toBeLessThan(5000);
});

test("[RI-13] a receiver's name may be any text", async () => {
  const { context, say } = await subscribed();
  const names = ["Dach Süd", "Nord\tOst", "屋上", "x".repeat(200), `${"x".repeat(199)}y`];
  say(...names.map((sensor) => published("rid/roofs", { odid: ODID, sensor })));
  say(published("rid/Hügel", { odid: ODID }));
  await until("all", () => context.observed.length === names.length + 1);
  const sources = context.observed.map(({ source_id }) => source_id);
  expect(sources.slice(0, 3)).toEqual(["rid:Dach Süd", "rid:Nord Ost", "rid:屋上"]);
  expect(sources.at(-1)).toBe("rid:Hügel");
  expect(new Set(sources).size).toBe(sources.length);
  expect(context.rejected).toBe(0);
});

test("[LK-31] options.source_id is a name that observations may have", () => {
  const refuse = (source_id: unknown) =>
    remoteIdAdapter.refuse(settingsOf(1883, { options: { topic: "t", source_id } }));
  for (const good of [undefined, "north", "Dach Süd", "x".repeat(128)]) expect(refuse(good)).toBeNull();
  for (const bad of ["", 42, "x".repeat(129), "a\u0000b", "own_positions"])
    expect(refuse(bad), String(bad)).toContain("options.source_id");
});

test("[RI-8] credentials that MQTT cannot carry are refused", () => {
  const refuse = (more: object) => remoteIdAdapter.refuse(settingsOf(1883, more));
  expect(refuse({})).toBeNull();
  expect(refuse({ secret: "hunter2" })).toContain("options.username");
  expect(refuse({ secret: "hunter2", options: { topic: "rid/#", username: "rid" } })).toBeNull();
  expect(refuse({ options: { topic: "rid/#", username: "u".repeat(70_000) } })).toContain("username");
  expect(refuse({ options: { topic: "rid/#", username: 7 } })).toContain("username");
});
