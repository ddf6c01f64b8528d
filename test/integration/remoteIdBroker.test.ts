/** Brokers as they should not be: each is lost with the reason, tried again, and none of them ends the process. */
import { createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { remoteIdAdapter } from "../../src/features/links/remoteId/adapter.ts";
import { PACKET_BYTES_MAX } from "../../src/features/links/remoteId/broker.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { until } from "../support/until.ts";

const CONNECT = 0x10;
const CONNACK = Buffer.from([0x20, 2, 0, 0]);
const suback = (asked: Buffer, code: number) => Buffer.from([0x90, 3, asked[2]!, asked[3]!, code]);
/** PUBREL and acknowledgements of what was never sent, then an AUTH that this version does not have. */
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
test.each(wrong)("[RI-7] a broker that %s is lost, with why, and tried again", async (_, answer, why) => {
  let connections = 0;
  const port = await broker((socket, asked) => {
    if (asked[0] === CONNECT) connections++;
    answer(socket, asked);
  });
  const link = await remoteIdAdapter.open(settingsOf(port), testContext());
  ends.push(() => link.close());
  await until("lost", () => link.status(Date.now()).error?.includes(why) === true);
  await until("tried again", () => connections > 1);
});

test("[RI-8] credentials that MQTT cannot carry are refused", () => {
  const refuse = (more: object) => remoteIdAdapter.refuse(settingsOf(1883, more));
  expect(refuse({})).toBeNull();
  expect(refuse({ secret: "hunter2" })).toContain("options.username");
  expect(refuse({ secret: "hunter2", options: { topic: "rid/#", username: "rid" } })).toBeNull();
  expect(refuse({ options: { topic: "rid/#", username: "u".repeat(70_000) } })).toContain("username");
  expect(refuse({ options: { topic: "rid/#", username: 7 } })).toContain("username");
});
