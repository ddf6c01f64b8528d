/** Cursor on Target: written events are valid XML for any parser, and received events are taken within bounds. */
import { XMLParser } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { cotAdapter } from "../../src/links/cot/adapter.ts";
import { type CotMessage, CotPublisher } from "../../src/links/cot/publish.ts";
import { readEvent } from "../../src/links/cot/read.ts";
import { EventSplitter } from "../../src/links/cot/split.ts";
import { meaningOf } from "../../src/links/cot/take.ts";
import { escapeXml, removalEvent, trackEvent } from "../../src/links/cot/write.ts";
import { testSettings } from "../support/linkContext.ts";
import { asset, track } from "../support/published.ts";

const NOW = Date.UTC(2026, 10, 21, 10);
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", parseAttributeValue: false });
const parse = (event: string | CotMessage) => parser.parse(typeof event === "string" ? event : event.xml).event;

describe("[CT-1] a track is a CoT event", () => {
  test("affiliation, dimension, position, bounds and stale time", () => {
    const event = parse(trackEvent("wsp_1", track({}))!);
    expect(event).toMatchObject({
      version: "2.0",
      uid: "wsp_1.trk_1",
      type: "a-h-A-M-H-Q",
      how: "m-f",
      time: "2026-11-21T10:00:00.000Z",
      stale: "2026-11-21T10:00:14.000Z",
      point: { lat: "50.0300000", lon: "8.5600000", hae: "172.0", ce: "8.5", le: "12.0" },
    });
    expect(event.detail.contact.callsign).toBe("T7");
    expect(event.detail.track).toEqual({ speed: "12.00", course: "90.0" });
  });
  test("each identity has its letter, an unknown bound is 9999999", () => {
    const letters = {
      pending: "p",
      unknown: "u",
      assumed_friend: "a",
      friend: "f",
      neutral: "n",
      suspect: "s",
      hostile: "h",
    };
    for (const [identity, letter] of Object.entries(letters))
      expect(parse(trackEvent("w", track({ identity: identity as "friend" }))!).type).toMatch(`a-${letter}-`);
    expect(parse(trackEvent("w", track({ alt_hae_m: null, le90_m: null }))!).point).toMatchObject({
      hae: "9999999.0",
      le: "9999999.0",
    });
  });
  test("a ray has no position and is not sent", () =>
    expect(trackEvent("w", track({ lat: null, lon: null }))).toBeNull());
  test("names cannot break out of their attribute", () => {
    expect(escapeXml(`<a b="c">&'\u0000\u0008\ud83d\ude80`)).toBe("&lt;a b=&quot;c&quot;&gt;&amp;&apos;🚀");
  });
});

test("[CT-2] a moving track is sent once a second, a standing one before it becomes stale, a removal once", () => {
  const publisher = new CotPublisher("wsp_1");
  const picture = { tracks: [track({})], assets: [asset({})] };
  expect(publisher.due(picture, NOW)).toHaveLength(2);
  expect(publisher.due(picture, NOW + 1000)).toHaveLength(0);
  const moved = {
    ...picture,
    tracks: [track({ updated_at: "2026-11-21T10:00:01.000Z", stale_at: "2026-11-21T10:00:15.000Z" })],
  };
  expect(publisher.due(moved, NOW + 1500)).toHaveLength(1);
  expect(publisher.due(moved, NOW + 8600)).toHaveLength(2);
  const [gone] = publisher.due({ ...picture, tracks: [] }, NOW + 9000);
  expect(parse(gone!)).toMatchObject({ type: "t-x-d-d", detail: { link: { uid: "wsp_1.trk_1" } } });
  expect(publisher.due({ ...picture, tracks: [] }, NOW + 9100)).toHaveLength(0);
  expect(removalEvent("a", NOW)).toContain("<__forcedelete/>");
});

test("[CT-61] a track is sent with the time of its position, and not again once it is stale, until it is updated or ends", () => {
  const publisher = new CotPublisher("wsp_1");
  // Last seen at 10:00:00; it coasts since then.
  const coasting = { tracks: [track({ status: "coasting" })], assets: [] };
  publisher.due(coasting, NOW + 1000);
  const [repeated] = publisher.due(coasting, NOW + 13_000);
  expect(parse(repeated!)).toMatchObject({
    time: "2026-11-21T10:00:00.000Z",
    start: "2026-11-21T10:00:00.000Z",
    stale: "2026-11-21T10:00:14.000Z",
  });
  for (let s = 14; s < 60; s++) expect(publisher.due(coasting, NOW + s * 1000)).toEqual([]);
  expect(publisher.everything(coasting, NOW + 60_000)).toEqual([]);
  const seen = { updated_at: "2026-11-21T10:01:00.000Z", stale_at: "2026-11-21T10:01:14.000Z" };
  expect(publisher.due({ ...coasting, tracks: [track(seen)] }, NOW + 60_000)).toHaveLength(1);
  expect(publisher.due(coasting, NOW + 75_000)).toEqual([]);
  expect(parse(publisher.due({ tracks: [], assets: [] }, NOW + 80_000)[0]!).type).toBe("t-x-d-d");
});

describe("[CT-62] a platform of ours is sent with the time of its last report, and not again once that is old", () => {
  const link = asset({}).link;
  const { motion } = asset({});
  const placed = { ...motion!, source: "placement" };
  const told = (asOf: Parameters<typeof asset>[0], nowMs: number) =>
    new CotPublisher("wsp_1").due({ tracks: [], assets: [asset(asOf)] }, nowMs).map(parse);
  test("a lost platform is sent for half a minute after its last position", () => {
    const lost = { link: { ...link, state: "lost" as const } };
    expect(told(lost, NOW + 20_000)).toMatchObject([
      { time: "2026-11-21T10:00:00.000Z", start: "2026-11-21T10:00:00.000Z", stale: "2026-11-21T10:00:30.000Z" },
    ]);
    expect(told(lost, NOW + 30_000)).toEqual([]);
    expect(new CotPublisher("wsp_1").everything({ tracks: [], assets: [asset(lost)] }, NOW + 30_000)).toEqual([]);
  });
  test("a platform that reports seldom keeps its position until it is overdue", () =>
    expect(told({}, NOW + 100_000)).toMatchObject([
      { time: "2026-11-21T10:00:00.000Z", stale: "2026-11-21T10:01:55.000Z" },
    ]));
  test("a platform that reports without a position is not sent, but its track is", () => {
    const blind = asset({ link: { ...link, last_heard_at: "2026-11-21T10:02:00.000Z" } });
    const follows = track({ asset_id: "ast_1", stale_at: "2026-11-21T10:02:14.000Z" });
    const events = new CotPublisher("wsp_1").due({ tracks: [follows], assets: [blind] }, NOW + 120_000).map(parse);
    expect(events.map(({ uid }) => uid)).toEqual(["wsp_1.trk_1"]);
  });
  test("an asset placed by hand is sent with the present time, heard or not", () =>
    expect(told({ motion: placed, link: { ...link, state: "never_heard" } }, NOW + 3_600_000)).toMatchObject([
      { time: "2026-11-21T11:00:00.000Z", stale: "2026-11-21T11:00:30.000Z" },
    ]));
});

test("[CT-11] a platform that reports for itself is sent once; its track is removed, and sent again when it falls silent", () => {
  const publisher = new CotPublisher("wsp_1");
  const uidsOf = (events: CotMessage[]) =>
    events.map((event) => {
      const { type, uid, detail } = parse(event);
      return type === "t-x-d-d" ? `gone ${detail.link.uid}` : uid;
    });
  const stale_at = "2026-11-21T10:01:00.000Z";
  const stranger = track({ id: "trk_2", stale_at });
  const unlinked = { tracks: [track({ stale_at }), stranger], assets: [asset({})] };
  expect(uidsOf(publisher.due(unlinked, NOW))).toEqual(["wsp_1.trk_1", "wsp_1.trk_2", "wsp_1.ast_1"]);
  const linked = { tracks: [track({ asset_id: "ast_1", stale_at }), stranger], assets: [asset({})] };
  expect(uidsOf(publisher.due(linked, NOW + 8000))).toEqual(["wsp_1.trk_2", "wsp_1.ast_1", "gone wsp_1.trk_1"]);
  expect(uidsOf(publisher.due(linked, NOW + 16_000))).toEqual(["wsp_1.trk_2", "wsp_1.ast_1"]);
  expect(uidsOf(publisher.everything(linked, NOW + 16_000))).toEqual(["wsp_1.trk_2", "wsp_1.ast_1"]);
  const silent = { ...linked, assets: [asset({ link: { ...asset({}).link, state: "lost" } })] };
  expect(uidsOf(publisher.due(silent, NOW + 24_000))).toEqual(["wsp_1.trk_1", "wsp_1.trk_2", "wsp_1.ast_1"]);
  const placeless = { ...linked, assets: [asset({ motion: null })] };
  expect(uidsOf(publisher.everything(placeless, NOW + 24_000))).toEqual(["wsp_1.trk_1", "wsp_1.trk_2"]);
  expect(uidsOf(publisher.everything({ ...linked, assets: [] }, NOW + 24_000))).toEqual(["wsp_1.trk_1", "wsp_1.trk_2"]);
});

const FRIEND =
  `<event version="2.0" uid="ANDROID-1" type="a-f-G-U-C" how="h-g-i-g-o" time="2026-11-21T10:00:00Z" start="2026-11-21T10:00:00Z" stale="2026-11-21T10:01:00Z">` +
  `<point lat="50.1" lon="8.6" hae="150" ce="5" le="999999"/><detail><contact callsign="A &amp; B"/><track speed="2" course="90"/><status battery="77"/></detail></event>`;

describe("[CT-3] events of others", () => {
  const meaning = (xml: string, nowMs = NOW) => meaningOf(readEvent(xml)!, "10.0.0.9", "lnk_1", "wsp_1", nowMs);
  test("a friend's position is a platform report", () => {
    expect(meaning(FRIEND)).toEqual({
      is: "friend",
      report: {
        source: { protocol: "cot_xml", address: "10.0.0.9/ANDROID-1", systemId: "ANDROID-1", linkId: "lnk_1" },
        atMs: NOW,
        identity: { kindGuess: "vehicle", typeGuess: "dismounted_operator", domainGuess: "ground", name: "A & B" },
        motion: { lat: 50.1, lon: 8.6, alt_hae_m: 150, vel_enu_mps: [2, expect.closeTo(0, 9), 0], heading_deg: 90 },
        motionAtMs: NOW,
        power: { percent: 77 },
        expectedPeriodS: 15,
      },
    });
  });
  test("a position has the age that its event gives; a long stale time makes it no older", () => {
    const old = meaning(FRIEND.replace("10:01:00Z", "23:59:00Z"), NOW + 600_000);
    expect(old).toMatchObject({ report: { atMs: NOW + 600_000, motionAtMs: NOW, expectedPeriodS: 3600 } });
  });
  const odd: [string, string, string, object][] = [
    ["a battery of 1000 %", 'battery="77"', 'battery="1000"', { batteryPct: null }],
    ["a battery below nothing", 'battery="77"', 'battery="-1"', { batteryPct: null }],
    ["a speed below nothing", 'speed="2"', 'speed="-2"', { speedMps: null }],
    ["a speed of light", 'speed="2"', 'speed="3e8"', { speedMps: null }],
    ["a course west of north", 'course="90"', 'course="-90"', { courseDeg: 270 }],
    ["a course all around", 'course="90"', 'course="360"', { courseDeg: 0 }],
    ["a course of no circle", 'course="90"', 'course="1e9"', { courseDeg: null }],
    ["a height in orbit", 'hae="150"', 'hae="420000"', { haeM: null }],
    ["a bound below nothing", 'ce="5"', 'ce="-5"', { ceM: null }],
  ];
  test.each(odd)("%s is not taken", (_, was, is, read) =>
    expect(readEvent(FRIEND.replace(was, is))).toMatchObject(read),
  );
  test("a hostile spot is an observation of modality human", () => {
    const said = meaning(
      FRIEND.replace("a-f-G-U-C", "a-h-A-M-H-Q").replace("<contact", "<remarks>one drone</remarks><contact"),
    );
    expect(said).toMatchObject({
      is: "sighting",
      observation: { modality: "human", lat: 50.1, sigma_m: 10, text: "one drone" },
    });
  });
  test("stale and future events, our own, pings and other things", () => {
    expect(meaning(FRIEND, NOW + 61_000)).toEqual({ is: "untimely" });
    expect(meaning(FRIEND, NOW - 120_000)).toEqual({ is: "untimely" });
    expect(meaning(FRIEND.replace("ANDROID-1", "wsp_1.ast_1"))).toEqual({ is: "own" });
    expect(meaning(FRIEND.replace("a-f-G-U-C", "b-m-p-s-m"))).toEqual({ is: "nothing" });
    expect(meaning(FRIEND.replace("a-f-G-U-C", "t-x-c-t"))).toEqual({ is: "ping" });
  });
  test.each(["a-n-A-C-F", "a-j-G", "a-k-G", "a-o-A", "a-x-A", "a-f"])(
    "[CT-68] an event that is not taken, as %s, is counted as dropped",
    (type) => expect(meaning(FRIEND.replace("a-f-G-U-C", type))).toEqual({ is: "untaken" }),
  );
  test.each([
    ["2026-11-21T10:00:00", NOW],
    ["2026-11-21T10:00:00.250", NOW + 250],
    ["2026-11-21T12:00:00+02:00", NOW],
    ["2026-11-21T05:00:00.5-0500", NOW + 500],
  ])("[CT-68] the time %s is UTC where it has no zone", (written, timeMs) => {
    const zone = process.env.TZ;
    process.env.TZ = "Pacific/Auckland";
    try {
      expect(readEvent(FRIEND.replace('time="2026-11-21T10:00:00Z"', `time="${written}"`))).toMatchObject({ timeMs });
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
  const bad: [string, string][] = [
    ["a time of no calendar", FRIEND.replace("2026-11-21T10:00:00Z", "2026-13-41T10:00:00Z")],
    ["a time in words", FRIEND.replace("2026-11-21T10:00:00Z", "21 Nov 2026 10:00")],
    ["no XML", "hello"],
    ["an entity bomb", `<!DOCTYPE x [<!ENTITY a "b">]>${FRIEND}`],
    ["no place", FRIEND.replace('lat="50.1"', 'lat="95"')],
    ["no time", FRIEND.replace('stale="2026-11-21T10:01:00Z"', "")],
    ["too large", FRIEND.replace("</detail>", `<x>${"y".repeat(70_000)}</x></detail>`)],
  ];
  test.each(bad)("%s is no event", (_, xml) => expect(readEvent(xml)).toBeNull());
});

test("[CT-9] settings that cannot work, or an address that links may not reach, are refused", () => {
  const refuse = (more: object) => cotAdapter.refuse(testSettings({ protocol: "cot_xml", port: 8087, ...more }));
  const multicast = { transport: "multicast", address: "239.2.3.1" };
  expect(refuse({ role: "listen", port: 0 })).toBeNull();
  expect(refuse({})).toBeNull();
  expect(refuse({ transport: "udp" })).toBeNull();
  expect(refuse(multicast)).toBeNull();
  expect(refuse({ port: 0 })).toContain("port");
  expect(refuse({ port: null })).toContain("port");
  expect(refuse({ transport: "udp", port: 0 })).toContain("port");
  expect(refuse({ ...multicast, port: 0 })).toContain("port");
  expect(refuse({ address: "169.254.169.254" })).toContain("link-local");
  expect(refuse({ transport: "udp", address: "169.254.169.254" })).toContain("link-local");
  expect(refuse({ transport: "udp", address: "169.254.169.254", direction: "in" })).toBeNull();
  expect(refuse({ ...multicast, address: "239.example.org" })).toContain("multicast");
  expect(refuse({ ...multicast, address: "10.0.0.1" })).toContain("multicast");
  expect(refuse({ ...multicast, options: { interface: "eth0" } })).toContain("interface");
  expect(refuse({ ...multicast, options: { ttl: 0.5 } })).toContain("ttl");
});

test("[CT-4] events are cut out of a stream however packets split them; an endless one is discarded", () => {
  const splitter = new EventSplitter();
  const stream = Buffer.from(
    `<?xml version="1.0"?>${FRIEND.replace("A &amp; B", "Zoë")}\n<?xml version="1.0"?>${FRIEND}`,
  );
  const found: string[] = [];
  for (let i = 0; i < stream.length; i += 7) found.push(...splitter.push(stream.subarray(i, i + 7)));
  expect(found.map((xml) => readEvent(xml)?.callsign)).toEqual(["Zoë", "A & B"]);
  splitter.push(Buffer.from("<event ".padEnd(70_000, "x")));
  expect(splitter.bad).toBe(1);
  expect(splitter.push(Buffer.from(FRIEND))).toHaveLength(1);
});

describe("[CT-65] an event ends where XML says it does", () => {
  const detail = (inner: string) => FRIEND.replace("<detail>", `<detail>${inner}`);
  const odd: [string, string][] = [
    ["a space in its end", FRIEND.replace("</event>", "</event\n >")],
    ["a name that begins like it", detail("<eventlog/><event-x></event-x>")],
    ["a comment in it", detail("<!-- <event> </event> -->")],
    ["text in it that looks like its end", detail("<remarks><![CDATA[</event><event >]]></remarks>")],
  ];
  /** With and without an event on either side, byte by byte and whole. */
  const found = (xml: string, size: number) => {
    const splitter = new EventSplitter();
    const stream = Buffer.from(xml);
    const events: string[] = [];
    for (let i = 0; i < stream.length; i += size) events.push(...splitter.push(stream.subarray(i, i + size)));
    splitter.finish();
    return { uids: events.map((event) => readEvent(event)?.uid), bad: splitter.bad };
  };
  const named = (uid: string) => FRIEND.replace("ANDROID-1", uid);
  test.each(odd)("%s", (_, xml) => {
    const stream = `<?xml version="1.0"?>${named("A")}<!-- <event> -->${xml}<?xml version="1.0"?>\n${named("B")}`;
    for (const size of [1, 7, stream.length])
      expect(found(stream, size)).toEqual({ uids: ["A", "ANDROID-1", "B"], bad: 0 });
  });
  const broken: [string, string, number][] = [
    ["an event without its end", named("A") + FRIEND.slice(0, 200) + named("B"), 1],
    ["words between them", `${named("A")} and ${named("B")}`, 1],
    ["an end without an event", `${named("A")}</event>${named("B")}`, 1],
    ["half an event at the end", named("A") + named("B") + FRIEND.slice(0, 200), 1],
    ["words at the end", `${named("A") + named("B")} and`, 1],
    ["a comment without an end", `${named("A") + named("B")}<!-- `, 1],
  ];
  test.each(broken)("%s is counted, and loses no other event", (_, xml, bad) => {
    for (const size of [1, 7, xml.length]) expect(found(xml, size)).toEqual({ uids: ["A", "B"], bad });
  });
  test("an event with a document type is refused", () => {
    const typed = `<!DOCTYPE x [<!ENTITY a "b">]>${FRIEND}`;
    expect(found(typed + named("B"), 5)).toEqual({ uids: [undefined, "B"], bad: 0 });
  });
  test("text made for quadratic searching takes linear time", () => {
    const startMs = performance.now();
    for (const piece of ["<!--", "<?", "<![CDATA[<?", "<![CDATA[<!--", "<event", "</event ", "<"]) {
      const splitter = new EventSplitter();
      for (let i = 0; i < 20; i++) splitter.push(Buffer.from(piece.repeat(6000)));
      splitter.finish();
    }
    expect(performance.now() - startMs).toBeLessThan(2000);
  });
});
