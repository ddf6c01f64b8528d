/**
 * One room of a simulated run, from its opening to its end: its recording, the acts on its streams, and its state at certain
 * moments. A replay in a fresh room is compared with it moment by moment.
 */
import { ManualClock } from "../../../src/lib/clock.ts";
import { RecordingInMemory } from "../../../src/record/memory.ts";
import { Recorder } from "../../../src/record/recorder.ts";
import { readRecording } from "../../../src/record/recording.ts";
import { openingOf, replay } from "../../../src/record/replay.ts";
import type { DoorEntry, ScanInput } from "../../../src/room/face.ts";
import type { VerbRules } from "../../../src/room/forces/verbFacts.ts";
import { Room } from "../../../src/room/room.ts";
import type { KernelBuild } from "../../../src/tracker/kernel/build.ts";
import type { Draws } from "./draws.ts";
import { type StreamAct, Watchers } from "./watchers.ts";

const BYTES_MAX = 64 << 20;

/** The state of a room at a moment. */
interface Moment {
  readonly nowMs: number;
  readonly hash: string | null;
  readonly generation: number;
  /** Only once a second, as the next two. */
  readonly picture?: string;
  readonly events?: string;
  readonly texts?: ReadonlyMap<number, string>;
}

/** A note between two entries of the recording. */
type Note = { readonly entry: number } & ({ readonly act: StreamAct } | { readonly moment: Moment });

export class Life {
  readonly room: Room;
  readonly watchers: Watchers;
  readonly #recording = new RecordingInMemory(BYTES_MAX);
  readonly #recorder: Recorder;
  readonly #notes: Note[] = [];
  #events: string[] = [];
  /** The latest text of each stream, for a client to read. */
  lastTexts: ReadonlyMap<number, string> = new Map();
  readonly ops = new Set<string>();
  /** The last radar scan with detections. */
  lastScan: ScanInput | null = null;

  constructor(room: Room) {
    this.room = room;
    this.watchers = new Watchers(room);
    this.#recorder = new Recorder(room, this.#recording.write);
    room.listen({
      published: (event) => this.#events.push(JSON.stringify(event)),
      entered: (entry) => this.#keepScan(entry),
    });
  }

  #keepScan(entry: DoorEntry): void {
    this.ops.add(entry.verb === "commit" ? entry.change.op : entry.verb);
    if (entry.verb !== "accept") return;
    const radar = entry.scans.find(({ scan }) => scan.modality === "radar" && scan.count > 0);
    if (radar !== undefined) this.lastScan = radar;
  }

  get counts() {
    return this.#recorder.counts;
  }

  bytes(): Uint8Array {
    return this.#recording.bytes();
  }

  act(act: StreamAct): void {
    this.#notes.push({ entry: this.counts.entries, act });
    this.watchers.do(act);
  }

  note(nowMs: number, isWhole: boolean): void {
    const moment = momentOf(this.room, this.watchers, this.#events, nowMs, isWhole);
    if (moment.texts !== undefined) this.lastTexts = moment.texts;
    this.#notes.push({ entry: this.counts.entries, moment });
  }

  /** How the replay differs; null: it does not. `withStreams` false: the replay has no streams. */
  whyOther(kernel: KernelBuild, rules: VerbRules, withStreams: boolean): string | null {
    const recording = readRecording(this.bytes());
    if (!("start" in recording)) return recording.sentence;
    if (recording.fault !== null) return recording.fault.sentence;
    const { start, entries } = recording;
    const clock = new ManualClock(start.openedAtMs);
    const room = new Room({ ...openingOf(start), clock, kernel, verbRules: rules, onFault: () => undefined });
    const again = new Comparison(room, this.#notes, withStreams);
    again.goTo(0);
    const diverged = replay(entries, room, clock, (_, index) => again.goTo(index + 1));
    if (diverged !== null)
      return `step ${diverged.index} took ${diverged.recorded} scans, and ${diverged.replayed} in the replay`;
    return again.why;
  }
}

class Comparison {
  why: string | null = null;
  readonly #room: Room;
  readonly #watchers: Watchers;
  readonly #notes: readonly Note[];
  readonly #withStreams: boolean;
  #events: string[] = [];
  #next = 0;

  constructor(room: Room, notes: readonly Note[], withStreams: boolean) {
    this.#room = room;
    this.#watchers = new Watchers(room);
    this.#notes = notes;
    this.#withStreams = withStreams;
    room.listen({ published: (event) => this.#events.push(JSON.stringify(event)) });
  }

  /** Applies the notes after this many entries. */
  goTo(entry: number): void {
    for (; this.#notes[this.#next]?.entry === entry; this.#next++) {
      const note = this.#notes[this.#next]!;
      if ("moment" in note) this.why ??= this.#compare(note.moment, entry);
      else if (this.#withStreams) this.#watchers.do(note.act);
    }
  }

  #compare(recorded: Moment, entry: number): string | null {
    const isWhole = recorded.picture !== undefined;
    const replayed = momentOf(this.#room, this.#watchers, this.#events, recorded.nowMs, isWhole);
    const at = `after ${entry} entries, at ${new Date(recorded.nowMs).toISOString()}`;
    if (replayed.hash !== recorded.hash) return `${at} the tracker's state hash is another`;
    if (replayed.generation !== recorded.generation)
      return `${at} the generation is ${replayed.generation}, not ${recorded.generation}`;
    if (!isWhole) return null;
    const events = difference(recorded.events!, replayed.events!);
    if (events !== null) return `${at} other events were published: ${events}`;
    const strip = this.#withStreams ? (text: string) => text : withoutStreams;
    const picture = difference(strip(recorded.picture!), strip(replayed.picture!));
    if (picture !== null) return `${at} the picture is another: ${picture}`;
    return this.#withStreams ? this.#compareTexts(recorded, replayed, at) : null;
  }

  #compareTexts(recorded: Moment, replayed: Moment, at: string): string | null {
    for (const [stream, text] of recorded.texts!) {
      const why = difference(text, replayed.texts!.get(stream) ?? "");
      if (why !== null) return `${at} stream ${stream} got another text: ${why}`;
    }
    return null;
  }
}

function momentOf(room: Room, watchers: Watchers, events: string[], nowMs: number, isWhole: boolean): Moment {
  const hash = room.tracker?.stateHash() ?? null;
  const moment = { nowMs, hash, generation: room.generation };
  if (!isWhole) return moment;
  const picture = Buffer.from(room.encoded.pictureBody(nowMs)).toString();
  return { ...moment, picture, events: events.splice(0).join("\n"), texts: watchers.takeTexts() };
}

/** Leaves out the counters of streams, which a replay without streams does not have. */
function withoutStreams(picture: string): string {
  return picture.replaceAll(/"(streams_\w+|stream_events|explains_for_capacity)":\d+/g, '"$1":0');
}

function difference(recorded: string, replayed: string): string | null {
  if (recorded === replayed) return null;
  let at = 0;
  while (recorded[at] === replayed[at] && at < recorded.length) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 160), at + 80));
  return `\n  recorded ${around(recorded)}\n  replayed ${around(replayed)}\n  at ${at} of ${recorded.length}`;
}

/** Reads that are not recorded, at random times: they must not change the room. */
export function readAtRandom(room: Room, draws: Draws, nowMs: number): void {
  if (!draws.chance(0.015)) return;
  const reads = [
    () => room.encoded.pictureBody(nowMs),
    () => room.encoded.assetsBody(nowMs),
    () => room.encoded.tracksBody(),
    () => room.published(nowMs),
    () => room.forces.sensorViews(nowMs),
    () => room.forces.discoveries(nowMs),
    () => room.fusionHealth(),
  ];
  draws.pick(reads)();
}
