/**
 * A client that follows the rules always ends with the hub's true state, whatever its transport does.
 *
 * Method: the truth is a plain map that every published delta is applied to at once. The client sees text only: snapshot,
 * deltas by the gap rule (docs/interface.md#numbering), resync answered by reading the truth (as GET /api/picture would). The sink refuses
 * and drains at random and throws when it is written to in between. Neither shares code with the hub's log or coalescing.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_DOMAIN_MASK, type DomainEvent, kindBit } from "../../src/domain/events.ts";
import { LAG_CATCH_UP_BYTES } from "../../src/limits.ts";
import { type OpenHub, openHub } from "../support/openHub.ts";
import { TestSink } from "../support/sse.ts";

const OWNER = { kind: "key", keyId: "key_a" } as const;
const PICTURE = kindBit("track_update") | kindBit("track_removed");
const EXPLAIN = kindBit("fusion_explain");
const MASKS = [ALL_DOMAIN_MASK, PICTURE, PICTURE | EXPLAIN, kindBit("alert"), 0, ALL_DOMAIN_MASK | EXPLAIN];
/** So large that two of them exceed the hub's log. */
const FILLER = "x".repeat(LAG_CATCH_UP_BYTES / 2);

type Members = Record<string, unknown>;

class Truth {
  readonly tracks = new Map<string, Members>();
  readonly slice: Members = {};
  generation = 0;
}

class Client {
  readonly sink = new TestSink();
  readonly mask: number;
  tracks = new Map<string, Members>();
  slice: Members = {};
  known = -1;
  gaps = 0;
  resyncs = 0;
  alerts: number[] = [];
  explains: number[] = [];
  /** Events that the network loses, although TCP would not: tests that a true gap is detected. */
  loseNext = 0;

  constructor(mask: number) {
    this.mask = mask;
  }

  hydrate(truth: Truth): void {
    this.tracks = structuredClone(truth.tracks);
    this.slice = { ...truth.slice };
    this.known = truth.generation;
  }

  read(truth: Truth): void {
    for (const { event, data } of this.sink.take()) {
      if (event === "snapshot") {
        expect(this.known).toBe(-1);
        this.tracks = new Map(data.tracks.map((track: Members) => [track.id, track]));
        this.known = data.generation;
      } else if (event === "resync") {
        this.resyncs++;
        this.hydrate(truth);
      } else if (event === "live_state") Object.assign(this.slice, data);
      else if (event === "fusion_explain") this.explains.push(data.explain.n);
      else this.domain(event, data, truth);
    }
  }

  domain(event: string, data: Members & { stream_gen: number; prev_gen: number | null }, truth: Truth): void {
    if (this.loseNext > 0) {
      this.loseNext--;
      return;
    }
    if (data.prev_gen !== null && data.prev_gen > this.known) {
      this.gaps++;
      this.hydrate(truth);
    }
    if (data.stream_gen <= this.known) return;
    this.known = data.stream_gen;
    if (event === "alert") this.alerts.push(data.n as number);
    if (event === "track_removed") this.tracks.delete(data.track_id as string);
    if (event === "track_update") {
      const track = data.track as Members;
      this.tracks.set(track.id as string, { ...this.tracks.get(track.id as string), ...track });
    }
  }
}

type Step =
  | { readonly do: "update"; readonly track: number; readonly member: string }
  | { readonly do: "remove"; readonly track: number }
  | { readonly do: "alert" }
  | { readonly do: "explain" }
  | { readonly do: "slice" }
  | { readonly do: "bulk" }
  | { readonly do: "flush"; readonly afterMs: number }
  | { readonly do: "refuse"; readonly client: number }
  | { readonly do: "drain"; readonly client: number }
  | { readonly do: "drainOnce"; readonly client: number }
  | { readonly do: "attach"; readonly mask: number; readonly refuses: boolean };

const always = <const T extends string>(name: T) => fc.constant(name);
const client = fc.nat(9);
const plain = (weight: number, name: "alert" | "explain" | "slice" | "bulk") => ({
  weight,
  arbitrary: fc.record({ do: always(name) }) as fc.Arbitrary<Step>,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: always("update"), track: fc.nat(4), member: fc.constantFrom("lat", "hits") }),
  },
  { weight: 2, arbitrary: fc.record({ do: always("remove"), track: fc.nat(4) }) },
  plain(1, "alert"),
  plain(1, "explain"),
  plain(1, "slice"),
  plain(2, "bulk"),
  { weight: 8, arbitrary: fc.record({ do: always("flush"), afterMs: fc.constantFrom(50, 100, 3000) }) },
  { weight: 2, arbitrary: fc.record({ do: always("refuse"), client }) },
  { weight: 2, arbitrary: fc.record({ do: always("drain"), client }) },
  { weight: 2, arbitrary: fc.record({ do: always("drainOnce"), client }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: always("attach"), mask: fc.constantFrom(...MASKS), refuses: fc.boolean() }),
  },
);

class World {
  readonly truth = new Truth();
  readonly clients: Client[] = [];
  readonly hub: OpenHub = openHub({
    sessionsMax: 100,
    snapshot: () => ({ tracksJson: JSON.stringify([...this.truth.tracks.values()]), generation: this.hub.generation }),
    slices: () => [{ name: "live_state", json: JSON.stringify(this.truth.slice) }],
  });
  nowMs = 1_800_000_000_000;
  made = 0;

  publish(name: DomainEvent, payload: object): void {
    this.truth.generation = this.hub.publish(name, payload, this.nowMs);
  }

  flush(): void {
    this.hub.flush(this.nowMs);
    for (const client of this.clients) client.read(this.truth);
  }

  do(it: Step): void {
    const n = ++this.made;
    if (it.do === "update" || it.do === "bulk") {
      const id = it.do === "bulk" ? "trk_bulk" : `trk_${it.track}`;
      const delta = { id, [it.do === "bulk" ? "filler" : it.member]: it.do === "bulk" ? FILLER + n : n };
      this.truth.tracks.set(id, { ...this.truth.tracks.get(id), ...delta });
      this.publish("track_update", { track: delta });
    } else if (it.do === "remove") {
      this.truth.tracks.delete(`trk_${it.track}`);
      this.publish("track_removed", { track_id: `trk_${it.track}` });
    } else if (it.do === "alert") this.publish("alert", { n });
    else if (it.do === "explain") this.hub.publishExplain({ explain: { n } });
    else if (it.do === "slice") {
      const part = n % 2 === 0 ? { engagement_mode: n } : { fusion_health: n };
      Object.assign(this.truth.slice, part);
      this.hub.publishSlice("live_state", part);
    } else if (it.do === "flush") {
      this.nowMs += it.afterMs;
      this.flush();
    } else if (it.do === "attach") {
      const client = new Client(it.mask);
      client.sink.refuses = it.refuses;
      this.hub.attach(client.sink, it.mask, OWNER, this.nowMs);
      this.clients.push(client);
    } else {
      const { sink } = this.clients[it.client % Math.max(1, this.clients.length)] ?? { sink: new TestSink() };
      if (it.do === "refuse") sink.refuses = true;
      else sink.drain(it.do === "drainOnce");
    }
  }

  /** Lets all clients read until nothing is pending. */
  settle(): void {
    for (const client of this.clients) while (client.sink.blocked && !client.sink.ended) client.sink.drain();
    for (const client of this.clients) client.sink.refuses = false;
    this.flush();
  }
}

const runs = fc.array(step, { minLength: 5, maxLength: 120, size: "max" });

test("[ST-30] snapshot, deltas and resync always give the true picture in the end, without a false gap", () => {
  let resyncs = 0;
  let caughtUp = 0;
  fc.assert(
    fc.property(runs, (steps) => {
      const world = new World();
      for (const it of steps) world.do(it);
      world.settle();
      resyncs += world.hub.counts.resyncs;
      caughtUp += world.hub.counts.caughtUp;
      for (const client of world.clients) {
        if (client.sink.ended) continue;
        expect(client.gaps).toBe(0);
        expect(client.slice).toEqual(world.truth.slice);
        if ((client.mask & PICTURE) === PICTURE) expect(client.tracks).toEqual(world.truth.tracks);
        for (const seen of [client.alerts, client.explains])
          expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      }
    }),
    { numRuns: 120 },
  );
  // The random draws cover both ways of catching up.
  expect(Math.min(resyncs, caughtUp)).toBeGreaterThan(5);
});

test("[ST-31] events that are never coalesced arrive complete unless a resync counts them as dropped", () => {
  fc.assert(
    fc.property(runs, (steps) => {
      const world = new World();
      world.do({ do: "attach", mask: ALL_DOMAIN_MASK | EXPLAIN, refuses: false });
      const owed: Record<"alert" | "explain", number[]> = { alert: [], explain: [] };
      for (const it of steps) {
        world.do(it);
        if (it.do === "alert" || it.do === "explain") owed[it.do].push(world.made);
      }
      world.settle();
      const client = world.clients[0]!;
      if (client.resyncs > 0 || client.sink.ended) return;
      expect([client.alerts, client.explains]).toEqual([owed.alert, owed.explain]);
    }),
    { numRuns: 80 },
  );
});

test("[ST-32] a lost delta always shows as a gap at the next one", () => {
  fc.assert(
    fc.property(runs, fc.integer({ min: 1, max: 3 }), (steps, lost) => {
      const world = new World();
      world.do({ do: "attach", mask: PICTURE, refuses: false });
      const client = world.clients[0]!;
      for (const it of steps) if (!["refuse", "drainOnce", "attach"].includes(it.do)) world.do(it);
      world.flush();
      client.loseNext = lost;
      for (let i = 0; i < lost; i++) world.do({ do: "update", track: i, member: "lat" });
      world.flush();
      expect(client.gaps).toBe(0);
      world.do({ do: "update", track: 0, member: "hits" });
      world.flush();
      expect(client.gaps).toBe(1);
      expect(client.tracks).toEqual(world.truth.tracks);
    }),
    { numRuns: 100 },
  );
});
