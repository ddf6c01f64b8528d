/** The hub over sinks that can refuse: numbering, one write a flush, lagging, catching up, resync, closing. */
import { describe, expect, test } from "vitest";
import { ALL_DOMAIN_MASK, kindBit } from "../../src/domain/events.ts";
import { LAG_CATCH_UP_BYTES, LAG_CATCH_UP_MS, LAG_CLOSE_MS, SNAPSHOT_PIECE_BYTES } from "../../src/limits.ts";
import { snapshotFrame } from "../../src/stream/frames.ts";
import { Session, type StreamOwner } from "../../src/stream/session.ts";
import { type OpenHub, openHub } from "../support/openHub.ts";
import { TestSink } from "../support/sse.ts";

const OWNER: StreamOwner = { kind: "key", keyId: "key_a" };
const T0 = 1_800_000_000_000;

function hubWith(sessionsMax = 10, tracksJson = "[]") {
  const hub: OpenHub = openHub({ sessionsMax, snapshot: () => ({ tracksJson, generation: hub.generation }) });
  const attach = (mask = ALL_DOMAIN_MASK, owner = OWNER, refuses = false) => {
    const sink = new TestSink();
    sink.refuses = refuses;
    const session = hub.attach(sink, mask, owner, T0);
    return { sink, session };
  };
  return { hub, attach };
}

const update = (id: string, members: object = {}) => ({ at: "t", track: { id, ...members } });

describe("numbering", () => {
  test("[ST-1] a stream begins with retry and exactly one snapshot that carries the counter", () => {
    const { hub, attach } = hubWith(10, '[{"id":"trk_1"}]');
    hub.publish("alert", { at: "t" }, T0);
    const { sink } = attach();
    expect(sink.text).toMatch(/^retry: \d+\n\nevent: snapshot\n/);
    hub.flush(T0);
    const data = { at: expect.any(String), env: "live", tracks: [{ id: "trk_1" }], generation: 1 };
    expect(sink.take()).toEqual([{ event: "snapshot", id: "1", data }]);
  });
  test("[ST-2] the counter grows by one with every domain event, whether or not a client is connected", () => {
    const { hub } = hubWith();
    expect([hub.publish("obs", {}, T0), hub.publish("track_update", update("a"), T0)]).toEqual([1, 2]);
    hub.publishSlice("live_state", {});
    hub.publishExplain({ explain: {} });
    expect(hub.generation).toBe(2);
  });
  test("[ST-3] prev_gen is the number of the event before it in the same selection, null when there was none since start", () => {
    const { hub, attach } = hubWith();
    const all = attach().sink;
    const alerts = attach(kindBit("alert")).sink;
    hub.publish("alert", { n: 1 }, T0);
    hub.publish("obs", {}, T0);
    hub.publish("alert", { n: 2 }, T0);
    hub.flush(T0);
    const numbers = (sink: TestSink) =>
      sink
        .take()
        .slice(1)
        .map(({ data }) => [data.stream_gen, data.prev_gen]);
    expect(numbers(all)).toEqual([
      [1, null],
      [2, 1],
      [3, 2],
    ]);
    expect(numbers(alerts)).toEqual([
      [1, null],
      [3, 1],
    ]);
    const late = attach(kindBit("obs") | kindBit("alert")).sink;
    hub.publish("obs", {}, T0);
    hub.flush(T0);
    expect(numbers(late)).toEqual([[4, 3]]);
  });
  test("[ST-4] events published before a client connected are in its snapshot and not sent again", () => {
    const { hub, attach } = hubWith();
    const early = attach().sink;
    hub.publish("alert", { n: 1 }, T0);
    const late = attach().sink;
    hub.flush(T0);
    expect(early.take().map((e) => e.event)).toEqual(["snapshot", "alert"]);
    expect(late.take().map((e) => e.data.generation)).toEqual([1]);
  });
});

describe("selection", () => {
  test("[ST-5] slices go to every client, explain only to one that names it, and neither is numbered", () => {
    const { hub, attach } = hubWith();
    const none = attach(0).sink;
    expect(hub.wants("fusion_explain")).toBe(false);
    const explain = attach(kindBit("fusion_explain"));
    expect([hub.wants("fusion_explain"), hub.wants("obs")]).toEqual([true, false]);
    hub.publish("obs", {}, T0);
    hub.publishSlice("sensor_slice", { sensors: [] });
    hub.publishExplain({ explain: { tick: 1 } });
    hub.flush(T0);
    expect(none.take().slice(1)).toEqual([{ event: "sensor_slice", id: null, data: { sensors: [] } }]);
    expect(
      explain.sink
        .take()
        .slice(1)
        .map((e) => e.event),
    ).toEqual(["sensor_slice", "fusion_explain"]);
    explain.sink.onClose!();
    expect([hub.wants("fusion_explain"), hub.sessions]).toEqual([false, 1]);
  });
  test("[ST-6] a flush is one write for each session, in the order of publishing; an empty flush writes nothing", () => {
    const { hub, attach } = hubWith();
    const { sink } = attach();
    const before = sink.writes;
    hub.publish("alert", { n: 1 }, T0);
    hub.publishSlice("live_state", { n: 2 });
    hub.publish("threat", { n: 3 }, T0);
    hub.flush(T0);
    hub.flush(T0);
    expect(sink.writes).toBe(before + 1);
    expect(
      sink
        .take()
        .slice(1)
        .map((e) => e.data.n),
    ).toEqual([1, 2, 3]);
  });
  test("[ST-7] no content forges an event", () => {
    const { hub, attach } = hubWith();
    const { sink } = attach();
    const nasty = "x\n\nevent: resync\ndata: {}\r\r\u2028";
    hub.publish("alert", { text: nasty, [nasty]: 1 }, T0);
    hub.flush(T0);
    const [, alert, ...more] = sink.take();
    expect([alert!.data.text, more]).toEqual([nasty, []]);
    expect(() => hub.publish("resync" as "alert", {}, T0)).toThrow("not a domain event");
    expect(() => hub.publishSlice("obs" as "live_state", {})).toThrow("not a slice");
    expect(() => snapshotFrame('["a\n"]', 1, '"env":"live"')).toThrow("line ends");
  });
  test("[ST-8] over STREAMS_PER_WORKSPACE_MAX a client is refused with too_many_streams, and counted", () => {
    const { hub, attach } = hubWith(1);
    expect(attach().session).toBeInstanceOf(Session);
    expect(attach().session).toMatchObject({ refused: true, code: "too_many_streams" });
    expect([hub.sessions, hub.counts.refused, hub.whyNotAttach()?.code]).toEqual([1, 1, "too_many_streams"]);
  });
});

describe("[ST-9] the slices at the beginning", () => {
  function hubWithSlices(text = "x") {
    let asked = 0;
    const hub: OpenHub = openHub({
      sessionsMax: 100,
      snapshot: () => ({ tracksJson: "[]", generation: hub.generation }),
      slices: () => [{ name: "fleet_slice", json: JSON.stringify({ asked: ++asked, text }) }],
    });
    const attach = (refuses = false) => {
      const sink = new TestSink();
      sink.refuses = refuses;
      hub.attach(sink, ALL_DOMAIN_MASK, OWNER, T0);
      return sink;
    };
    return { hub, attach, asked: () => asked };
  }
  const names = (sink: TestSink) => sink.take().map(({ event, data }) => [event, data.asked ?? data.n ?? null]);

  test("are sent with the next flush, once, and encoded once for all new streams", () => {
    const { hub, attach, asked } = hubWithSlices();
    const sinks = Array.from({ length: 50 }, () => attach());
    expect(asked()).toBe(0);
    hub.publishSlice("live_state", { n: 1 });
    hub.publish("alert", { n: 2 }, T0);
    for (let i = 0; i < 3; i++) hub.flush(T0);
    expect(asked()).toBe(1);
    const expected = [
      ["snapshot", null],
      ["live_state", 1],
      ["alert", 2],
      ["fleet_slice", 1],
    ];
    for (const sink of sinks) expect(names(sink)).toEqual(expected);
    const late = attach();
    hub.flush(T0);
    expect(sinks.map((sink) => sink.text)).toEqual(sinks.map(() => ""));
    expect(names(late)).toEqual([
      ["snapshot", null],
      ["fleet_slice", 2],
    ]);
  });
  test("wait for a session that has not taken its snapshot, and are not encoded meanwhile", () => {
    const { hub, attach, asked } = hubWithSlices();
    const sink = attach(true);
    hub.publish("alert", { n: 1 }, T0);
    hub.flush(T0);
    expect(asked()).toBe(0);
    sink.drain();
    hub.flush(T0);
    hub.publish("alert", { n: 2 }, T0);
    hub.flush(T0);
    expect(names(sink)).toEqual([
      ["snapshot", null],
      ["alert", 1],
      ["fleet_slice", 1],
      ["alert", 2],
    ]);
    const gone = attach();
    gone.onClose!();
    hub.flush(T0);
    expect([asked(), hub.sessions]).toEqual([1, 1]);
  });
  test("[ST-17] the slices go out in pieces; events published meanwhile follow without a gap", () => {
    const { hub, attach } = hubWithSlices("x".repeat(3 * SNAPSHOT_PIECE_BYTES));
    const sink = attach();
    sink.refuses = true;
    const seen: number[] = [sink.text.length];
    for (let n = 1; n <= 5; n++) {
      hub.flush(T0);
      seen.push(sink.text.length);
      hub.publish("alert", { n }, T0);
      sink.drain(n < 5);
    }
    hub.flush(T0);
    expect(Math.max(...seen.slice(1).map((length, i) => length - seen[i]!))).toBeLessThanOrEqual(SNAPSHOT_PIECE_BYTES);
    const [, slice, ...alerts] = sink.take();
    expect([slice!.event, alerts.map(({ data }) => [data.n, data.prev_gen])]).toEqual([
      "fleet_slice",
      [
        [1, null],
        [2, 1],
        [3, 2],
        [4, 3],
        [5, 4],
      ],
    ]);
  });
});

describe("a client that does not keep up", () => {
  function lagging(mask = ALL_DOMAIN_MASK) {
    const { hub, attach } = hubWith();
    const { sink } = attach(mask);
    sink.take();
    sink.refuses = true;
    hub.publish("track_update", update("a", { lat: 1, lon: 1 }), T0);
    hub.flush(T0);
    sink.take();
    return { hub, sink };
  }
  test("[ST-10] after the first refused write nothing more is written to the session, pings included", () => {
    const { hub, sink } = lagging();
    const { writes } = sink;
    for (let s = 1; s < 20; s++) {
      hub.publish("alert", {}, T0 + s * 1000);
      hub.flush(T0 + s * 1000);
      hub.ping(T0 + s * 1000);
    }
    expect([sink.writes, hub.behind]).toEqual([writes, 1]);
  });
  test("[ST-11] the catch-up block merges a track's deltas, has the last of each slice and the rest complete, without a gap", () => {
    const { hub, sink } = lagging();
    hub.publish("track_update", update("a", { lat: 2, hits: 5 }), T0);
    hub.publishSlice("live_state", { engagement_mode: "observe" });
    hub.publish("alert", { n: 1 }, T0);
    hub.flush(T0);
    hub.publish("track_update", update("b"), T0);
    hub.publish("track_update", update("a", { lat: 3 }), T0);
    hub.publishSlice("live_state", { fusion_health: { tick: 9 } });
    hub.publish("alert", { n: 2 }, T0);
    hub.flush(T0);
    sink.drain();
    expect(sink.take().map(({ event, data }) => [event, data])).toEqual([
      ["alert", { stream_gen: 3, prev_gen: 1, n: 1 }],
      ["track_update", { stream_gen: 4, prev_gen: 3, at: "t", track: { id: "b" } }],
      ["track_update", { stream_gen: 5, prev_gen: 4, at: "t", track: { id: "a", lat: 3, hits: 5 } }],
      ["live_state", { engagement_mode: "observe", fusion_health: { tick: 9 } }],
      ["alert", { stream_gen: 6, prev_gen: 5, n: 2 }],
    ]);
    hub.publish("obs", {}, T0);
    hub.flush(T0);
    expect(sink.take()[0]!.data.prev_gen).toBe(6);
    expect([hub.counts.caughtUp, hub.counts.resyncs]).toEqual([1, 0]);
  });
  test("[ST-12] every explain of a coalesced window is sent, in order", () => {
    const { hub, sink } = lagging(ALL_DOMAIN_MASK | kindBit("fusion_explain"));
    for (let tick = 0; tick < 5; tick++) {
      hub.publishExplain({ explain: { tick } });
      hub.publish("track_update", update("a"), T0);
      hub.flush(T0);
    }
    sink.drain();
    const events = sink.take();
    expect(events.filter((e) => e.event === "fusion_explain").map((e) => e.data.explain.tick)).toEqual([0, 1, 2, 3, 4]);
    expect(events.filter((e) => e.event === "track_update")).toHaveLength(1);
  });
  test.each([
    ["bytes", 2 * Math.ceil(LAG_CATCH_UP_BYTES / 100_000), 1],
    ["age", 3, LAG_CATCH_UP_MS * 0.6],
  ])(
    "[ST-13] when the log no longer covers what was missed, by %s, one resync has the exact count and the stream goes on",
    (_by, events, stepMs) => {
      const { hub, sink } = lagging(kindBit("track_update"));
      const filler = "x".repeat(stepMs === 1 ? 100_000 : 10);
      for (let i = 1; i <= events; i++) {
        hub.publish("alert", {}, T0 + i * stepMs);
        hub.publish("track_update", update("a", { filler }), T0 + i * stepMs);
        hub.flush(T0 + i * stepMs);
      }
      sink.drain();
      hub.publish("track_update", update("a"), T0);
      hub.flush(T0);
      const generation = 1 + 2 * events;
      expect(sink.take().map(({ event, data }) => [event, data.generation, data.dropped, data.prev_gen])).toEqual([
        ["resync", generation, events, undefined],
        ["track_update", undefined, undefined, generation],
      ]);
      expect(hub.counts).toMatchObject({ resyncs: 1, dropped: events });
    },
  );
  test("[ST-14] a session whose catch-up block is refused again continues from there", () => {
    const { hub, sink } = lagging();
    hub.publish("alert", { n: 1 }, T0);
    hub.flush(T0);
    sink.drain(true);
    hub.publish("alert", { n: 2 }, T0);
    hub.flush(T0);
    sink.drain();
    expect(sink.take().map(({ data }) => [data.n, data.prev_gen])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });
  test("[ST-15] a session that drained with nothing missed gets a comment, because the transport needs a write", () => {
    const { sink } = lagging();
    const { writes } = sink;
    sink.drain();
    expect(sink.writes).toBe(writes + 1);
    sink.onDrain!();
    expect(sink.writes).toBe(writes + 2);
    expect(sink.take()).toEqual([]);
  });
  test("[ST-16] a session that does not drain in time is closed, the others are not", () => {
    const { hub, sink } = lagging();
    hub.flush(T0 + LAG_CLOSE_MS - 1);
    expect(sink.ended).toBe(false);
    hub.flush(T0 + LAG_CLOSE_MS);
    expect([sink.ended, hub.sessions, hub.behind, hub.counts.closedSlow]).toEqual([true, 0, 0, 1]);
  });
  test("[ST-17] a large snapshot goes out in pieces; events published meanwhile follow it", () => {
    const tracksJson = JSON.stringify(["x".repeat(3 * SNAPSHOT_PIECE_BYTES)]);
    const { hub, attach } = hubWith(10, tracksJson);
    const { sink } = attach(ALL_DOMAIN_MASK, OWNER, true);
    const seen: number[] = [];
    for (let n = 1; n <= 5; n++) {
      hub.publish("alert", { n }, T0);
      hub.flush(T0);
      seen.push(sink.text.length);
      sink.drain(n < 5);
    }
    const steps = seen.slice(1).map((length, i) => length - seen[i]!);
    expect(Math.max(...steps)).toBeLessThanOrEqual(SNAPSHOT_PIECE_BYTES);
    const [snapshot, ...alerts] = sink.take();
    expect([snapshot!.event, alerts.map((e) => [e.data.n, e.data.prev_gen])]).toEqual([
      "snapshot",
      [
        [1, null],
        [2, 1],
        [3, 2],
        [4, 3],
        [5, 4],
      ],
    ]);
  });
});

describe("time and ends", () => {
  test("[ST-20] each live session is pinged once in fifteen seconds, also when the timer was late", () => {
    const { hub, attach } = hubWith(40);
    const sinks = Array.from({ length: 40 }, () => attach().sink);
    hub.ping(T0);
    const before = sinks.map((sink) => sink.text.split(": ping").length);
    for (const s of [1, 2, 3, 4, 9, 10, 15]) hub.ping(T0 + s * 1000);
    const pings = sinks.map((sink, i) => sink.text.split(": ping").length - before[i]!);
    expect(new Set(pings)).toEqual(new Set([1]));
  });
  test("[ST-21] the streams of a withdrawn credential end with the reason, the others stay", () => {
    const { hub, attach } = hubWith();
    const mine = attach().sink;
    const other = attach(ALL_DOMAIN_MASK, { kind: "user", userId: "usr_b", sessionId: "s" }).sink;
    const closed = hub.closeWhere((owner) => owner.kind === "key" && owner.keyId === "key_a", "key_revoked");
    expect([closed, mine.ended, other.ended, hub.sessions]).toEqual([1, true, false, 1]);
    expect(mine.text.endsWith(": end key_revoked\n: the API key was revoked\n\n")).toBe(true);
    hub.closeAll("service_stopping");
    expect(other.text.endsWith(": end service_stopping\n: the service is stopping\n\n")).toBe(true);
    expect([other.ended, hub.sessions]).toEqual([true, 0]);
  });
  test("[ST-22] a client that left is forgotten, in whatever state it was", () => {
    const { hub, attach } = hubWith();
    const sinks = [attach().sink, attach().sink, attach(1, OWNER, true).sink];
    sinks[1]!.refuses = true;
    hub.publish("track_update", update("a"), T0);
    hub.flush(T0);
    expect(hub.behind).toBe(2);
    for (const sink of sinks) sink.onClose!();
    expect([hub.sessions, hub.behind, hub.wants("track_update")]).toEqual([0, 0, false]);
  });
});
