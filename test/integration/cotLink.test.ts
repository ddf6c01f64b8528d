/** CoT over real sockets: a TAK client that connects to us, a TAK server that we connect to, and a multicast group. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenLink, PortInUseError } from "../../src/links/adapter.ts";
import { cotAdapter } from "../../src/links/cot/adapter.ts";
import { linkViewOf } from "../../src/links/views.ts";
import { testContext, testSettings } from "../support/linkContext.ts";
import { asset, track } from "../support/published.ts";
import { until } from "../support/until.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function friend(uid: string, type = "a-f-A-M-H-Q"): string {
  const [time, stale] = [0, 30_000].map((ms) => new Date(Date.now() + ms).toISOString());
  return `<event version="2.0" uid="${uid}" type="${type}" how="m-g" time="${time}" start="${time}" stale="${stale}"><point lat="50.1" lon="8.6" hae="150" ce="5" le="5"/><detail/></event>`;
}

async function open(settings: Parameters<typeof testSettings>[0]): Promise<[OpenLink, ReturnType<typeof testContext>]> {
  const context = testContext();
  const tracks = [track({ stale_at: new Date(Date.now() + 60_000).toISOString() })];
  context.shown = { tracks, assets: [asset({})], reportedBy: new Map() };
  const link = await cotAdapter.open(testSettings({ ...settings, protocol: "cot_xml" }), context);
  ends.push(() => link.close());
  return [link, context];
}

async function client(port: number): Promise<{ socket: Socket; text: () => string }> {
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (data) => (text += data));
  socket.on("error", () => undefined);
  await once(socket, "connect");
  ends.push(() => socket.destroy());
  return { socket, text: () => text };
}

test("[CT-5] a TAK client gets the picture at once, its ping is answered, its events are taken; garbage does not end it", async () => {
  const [link, context] = await open({ protocol: "", role: "listen", port: 0, options: { period_s: 0.2 } });
  const { localPort } = link.status(Date.now());
  const { socket, text } = await client(localPort!);
  await until("the picture", () => text().includes('uid="wsp_test.trk_1"') && text().includes('uid="wsp_test.ast_1"'));
  expect(text()).toContain("Falcon &amp; Co");
  socket.write("garbage</event>\0\xff".repeat(20));
  socket.write(friend("EUD-1"));
  socket.write(friend("ping", "t-x-c-t"));
  await until("the pong", () => text().includes("t-x-c-t-r"));
  expect(context.reports.map(({ source }) => source.systemId)).toEqual(["EUD-1"]);
  expect(link.counters.bad).toBeGreaterThanOrEqual(20);
  context.shown = { tracks: [], assets: [], reportedBy: new Map() };
  await until("the removals", () => text().split("t-x-d-d").length === 3);
  const again = cotAdapter.open(testSettings({ protocol: "cot_xml", role: "listen", port: localPort }), testContext());
  await expect(again).rejects.toThrow(PortInUseError);
});

test("[CT-6] the link connects to a TAK server, and again after the connection was lost", async () => {
  const sockets: Socket[] = [];
  let text = "";
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("data", (data) => (text += data));
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const { port } = server.address() as { port: number };
  const [link, context] = await open({ protocol: "", role: "connect", port, options: { period_s: 0.2 } });
  await until("the picture", () => text.includes("wsp_test.trk_1"));
  sockets[0]!.write(friend("EUD-2"));
  await until("a friend", () => context.reports.length === 1);
  sockets[0]!.destroy();
  await until("the loss", () => link.status(Date.now()).state === "lost");
  await until("the return", () => sockets.length === 2 && link.status(Date.now()).state === "up");
});

test("[CT-7] [CT-66] a multicast link sends to its group and takes what the group sends, but not our own events", async () => {
  const group = "239.2.3.77";
  const port = 20_000 + Math.floor(process.pid % 20_000);
  const [link, context] = await open({
    protocol: "",
    transport: "multicast",
    role: "listen",
    address: group,
    port,
    options: { period_s: 0.2, interface: "127.0.0.1" },
  });
  const peer = createSocket({ type: "udp4", reuseAddr: true });
  await new Promise<void>((resolve) => peer.bind(port, () => resolve()));
  ends.push(() => peer.close());
  peer.addMembership(group, "127.0.0.1");
  peer.setMulticastInterface("127.0.0.1");
  let text = "";
  peer.on("message", (datagram) => (text += datagram));
  await until("the picture in the group", () => text.includes("wsp_test.ast_1"));
  // A server that rewrites the event may change the order of its attributes.
  const own = text.slice(text.indexOf("<event"), text.indexOf("</event>") + 8);
  peer.send(own, port, group);
  peer.send(own.replace('version="2.0" ', ""), port, group);
  expect(link.status(Date.now())).toMatchObject({ lastHeardMs: 0, rateHz: null, sources: 0 });
  peer.send(friend("RADIO-1"), port, group);
  await until("a friend", () => context.reports.some(({ source }) => source.systemId === "RADIO-1"));
  // Our own events come back to us and are ignored.
  expect(context.reports.every(({ source }) => source.systemId === "RADIO-1")).toBe(true);
  expect(link.status(Date.now())).toMatchObject({ state: "up", sources: 1 });
  expect(link.counters).toMatchObject({ rx: 1, bad: 0, dropped: 0 });
});

test("[CT-10] a link that could not be opened leaves no socket; a link of direction in sends nothing", async () => {
  const probe = createSocket("udp4");
  await new Promise<void>((resolve) => probe.bind(0, "127.0.0.1", () => resolve()));
  const { port } = probe.address();
  const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "UDPWrap").length;
  const before = sockets();
  const udp = { protocol: "cot_xml", transport: "udp", role: "connect" } as const;
  const failing = [
    // A port in use, a name without address, a name with a forbidden address, an interface that this machine does not have.
    { ...udp, port, direction: "in" },
    { ...udp, port: 9, direction: "out", address: "nowhere.invalid" },
    { ...udp, port: 9, direction: "out", address: "2852039166" },
    {
      ...udp,
      port: 9,
      direction: "out",
      transport: "multicast",
      address: "239.2.3.1",
      options: { interface: "203.0.113.9" },
    },
  ] as const;
  probe.close();
  const blocker = createSocket("udp4");
  await new Promise<void>((resolve) => blocker.bind({ port, exclusive: true }, () => resolve()));
  for (const settings of failing)
    await expect(cotAdapter.open(testSettings(settings), testContext()), JSON.stringify(settings)).rejects.toThrow();
  blocker.close();
  await until("the sockets are gone", () => sockets() <= before - 1);
  const [link, context] = await open({ protocol: "", transport: "udp", role: "listen", port, direction: "in" });
  const peer = createSocket("udp4");
  let answers = 0;
  peer.on("message", () => answers++);
  await new Promise<void>((resolve) => peer.bind(0, "127.0.0.1", () => resolve()));
  ends.push(() => peer.close());
  peer.send(friend("ping", "t-x-c-t"), port, "127.0.0.1");
  peer.send(friend("EUD-9"), port, "127.0.0.1");
  await until("a friend", () => context.reports.length === 1);
  expect([answers, link.counters.tx]).toEqual([0, 0]);
});

test("[CT-60] a datagram port has one link: the second one is told that the port is in use", async () => {
  const probe = createSocket("udp4");
  await new Promise<void>((resolve) => probe.bind(0, () => resolve()));
  const { port } = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  const udp = { protocol: "cot_xml", transport: "udp", role: "listen", direction: "in", port } as const;
  const [, first] = await open(udp);
  await expect(cotAdapter.open(testSettings(udp), testContext())).rejects.toThrow(PortInUseError);
  const peer = createSocket("udp4");
  ends.push(() => peer.close());
  peer.send(friend("EUD-10"), port, "127.0.0.1");
  await until("a friend", () => first.reports.length === 1);
  // Anyone may join a multicast group.
  const group = { ...udp, transport: "multicast", address: "239.2.3.78", options: { interface: "127.0.0.1" } } as const;
  const [, one] = await open({ ...group, port: port + 1 });
  const [, other] = await open({ ...group, port: port + 1 });
  peer.setMulticastInterface("127.0.0.1");
  peer.send(friend("EUD-11"), port + 1, group.address);
  await until("both hear it", () => one.reports.length === 1 && other.reports.length === 1);
});

describe("[CT-64] a friend is not sent his own position back", () => {
  const speaking = (systemId: string, address = `127.0.0.1/${systemId}`) => ({
    tracks: [],
    assets: [asset({ id: "ast_own" }), asset({ id: "ast_other" })],
    reportedBy: new Map([["ast_own", { protocol: "cot_xml", address, systemId, linkId: "lnk_test" }]]),
  });
  test("a TAK client is sent the others", async () => {
    const [link, context] = await open({ protocol: "", role: "listen", port: 0, options: { period_s: 0.2 } });
    context.shown = { tracks: [], assets: [], reportedBy: new Map() };
    const port = link.status(Date.now()).localPort!;
    const [own, other] = [await client(port), await client(port)];
    own.socket.write(friend("EUD-20"));
    await until("a friend", () => context.reports.length === 1);
    context.shown = speaking("EUD-20");
    await until("both are told of another", () => [own, other].every(({ text }) => text().includes("ast_other")));
    await until("the other is told of it", () => other.text().includes("ast_own"));
    const [back] = [await client(port)];
    await until("it comes back", () => back.text().includes("ast_other"));
    expect([own.text(), back.text()].some((text) => text.includes("ast_own"))).toBe(false);
  });
  test("a TAK server is sent none that it sent us, and an earlier one is removed", async () => {
    let text = "";
    const server = createServer((socket) => void socket.on("data", (data) => (text += data)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => server.close());
    const { port } = server.address() as { port: number };
    const [, context] = await open({ protocol: "", role: "connect", port, options: { period_s: 0.2 } });
    context.shown = { ...speaking("EUD-21"), reportedBy: new Map() };
    await until("it is told", () => text.includes('uid="wsp_test.ast_own"'));
    context.shown = speaking("EUD-21");
    await until("it is taken back", () => text.includes('uid="wsp_test.ast_own.gone"'));
  });
  test("a datagram peer is not sent its own position", async () => {
    const peer = createSocket("udp4");
    let text = "";
    peer.on("message", (datagram) => (text += datagram));
    await new Promise<void>((resolve) => peer.bind(0, "127.0.0.1", () => resolve()));
    ends.push(() => peer.close());
    const { port } = peer.address();
    const udp = { protocol: "", transport: "udp", direction: "out", port, options: { period_s: 0.2 } } as const;
    const [, context] = await open(udp);
    context.shown = speaking("EUD-22");
    await until("the other", () => text.includes("ast_other"));
    expect(text).not.toContain("ast_own");
    context.shown = speaking("EUD-22", "192.0.2.9/EUD-22");
    await until("one at another place", () => text.includes("ast_own"));
  });
});

test("[CT-65] every event of a datagram is taken, and a broken one is counted", async () => {
  const probe = createSocket("udp4");
  await new Promise<void>((resolve) => probe.bind(0, () => resolve()));
  const { port } = probe.address();
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  const [link, context] = await open({ protocol: "", transport: "udp", role: "listen", direction: "in", port });
  const peer = createSocket("udp4");
  ends.push(() => peer.close());
  peer.send(friend("EUD-30") + friend("EUD-31") + friend("EUD-32").slice(0, 100), port, "127.0.0.1");
  await until("both friends", () => context.reports.length === 2);
  expect(link.counters).toMatchObject({ rx: 2, bad: 1 });
});

test("[CT-67] a datagram link of direction out is shown with the port that it sends to, not the one it sends from", async () => {
  for (const transport of ["udp", "multicast"] as const) {
    const address = transport === "udp" ? "127.0.0.1" : "239.2.3.79";
    const told = { protocol: "cot_xml", transport, direction: "out", address, port: 16_970 } as const;
    const [link] = await open(told);
    const origin = { assetId: null, secretPrefix: null, createdAtMs: null };
    const held = { workspaceId: "wsp_test", settings: testSettings(told), open: link, ...origin };
    expect(linkViewOf(held, Date.now())).toMatchObject({ port: 16_970, state: "up" });
  }
});
