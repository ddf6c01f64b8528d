/** Invariants of a simulated run, whatever faults it has. Collects a sentence for each broken one. */
import { EnuFrame } from "../../../src/domain/geodesy.ts";
import { isTerminal, type Task } from "../../../src/domain/task.ts";
import { VERB_TABLE } from "../../../src/domain/verbs.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { RoomFace } from "../../../src/room/face.ts";
import type { Room } from "../../../src/room/room.ts";
import { trackerConfigOf } from "../../../src/tracker/config.ts";
import type { KernelBuild } from "../../../src/tracker/kernel/build.ts";
import { Tracker } from "../../../src/tracker/tracker.ts";
import { type Service, TRACKS_MAX } from "./deployment.ts";
import type { Draws } from "./draws.ts";
import type { Life } from "./life.ts";
import type { MemoryDatabase } from "./memoryDatabase.ts";
import { StreamClient } from "./streamClient.ts";
import { MAIN } from "./watchers.ts";

type Command = Parameters<Service["links"]["host"]["send"]>[1];

/** Lines of the log that a run causes on purpose. */
const EXPECTED = ["the tracker of a workspace failed and was rebuilt", "the service stops while the database is away"];

export class Invariants {
  readonly broken: string[] = [];
  readonly #db: MemoryDatabase;
  #generation = 0;
  /** By task: how often it was given to a link. */
  readonly #handedOver = new Map<string, number>();
  #client = new StreamClient();
  #clientOf: Life | null = null;
  handedOver = 0;

  readonly #kernel: KernelBuild;
  readonly #draws: Draws;

  constructor(db: MemoryDatabase, kernel: KernelBuild, draws: Draws) {
    this.#db = db;
    this.#kernel = kernel;
    this.#draws = draws;
  }

  noteFault(fields: unknown, text: string): void {
    if (EXPECTED.some((expected) => text.startsWith(expected))) return;
    const fault = (fields as { err?: unknown }).err ?? fields;
    this.broken.push(`${text}: ${fault instanceof Error ? fault.stack : JSON.stringify(fault)}`);
  }

  // ---- orders

  /** Checks every order when it is given to a link. */
  watch(service: Service, clock: Clock): void {
    const { host } = service.links;
    const send = host.send.bind(host);
    host.send = (room, command) => {
      this.#checkOrder(room, command, clock.nowMs());
      return send(room, command);
    };
  }

  #checkOrder(room: RoomFace, { taskId, verb }: Command, nowMs: number): void {
    this.handedOver++;
    const task = room.tasks.get(taskId);
    const row = this.#db.tables.tasks.get(taskId);
    const what = `the order ${taskId} (${verb})`;
    if (VERB_TABLE.get(verb)?.actsOnContact !== false)
      this.broken.push(`${what} acts on a contact and has no approval`);
    if (task?.status !== "sent" || row?.status !== "sent")
      this.broken.push(`${what} was handed over as ${task?.status} in the room and ${row?.status} in its row`);
    if (task === undefined) return;
    if (task.deadline_at !== null && Date.parse(task.deadline_at) <= nowMs)
      this.broken.push(`${what} was handed over after its deadline`);
    const times = (this.#handedOver.get(taskId) ?? 0) + 1;
    this.#handedOver.set(taskId, times);
    const queued = task.history.filter(({ status }) => status === "queued").length;
    if (times > queued) this.broken.push(`${what} was handed over ${times} times and queued ${queued} times`);
    if (verb !== "abort") this.#checkSlot(room, task, what);
  }

  #checkSlot(room: RoomFace, task: Task, what: string): void {
    const slot = VERB_TABLE.get(task.verb)?.slot;
    const others = room.tasks.openOf(task.asset_id).filter(({ id, status, verb }) => {
      return id !== task.id && status === "sent" && verb !== "abort" && VERB_TABLE.get(verb)?.slot === slot;
    });
    if (others.length > 0) this.broken.push(`${what} was handed over while ${others[0]!.id} of its slot was in flight`);
  }

  // ---- the stream

  opened(room: Room): void {
    this.#checkGeneration(room);
  }

  /** A tracker restored from a snapshot, as another process would do it, has the same state. */
  #checkSnapshot({ tracker, decisionConfig }: Room): void {
    if (tracker === null || !this.#draws.chance(0.2)) return;
    const snapshot = structuredClone(tracker.snapshot());
    const frame = new EnuFrame(snapshot.origin);
    const config = trackerConfigOf(decisionConfig);
    const successor = new Tracker({ kernel: this.#kernel, frame, config, tracksMax: TRACKS_MAX });
    const why = successor.restore(snapshot);
    if (why !== null) this.broken.push(`a snapshot of the tracker was refused: ${why.sentence}`);
    else if (successor.stateHash() !== tracker.stateHash())
      this.broken.push("the tracker, restored from its snapshot, has another state hash");
  }

  #checkGeneration({ generation }: Room): void {
    if (generation < this.#generation)
      this.broken.push(`the generation went back from ${this.#generation} to ${generation}`);
    this.#generation = generation;
  }

  afterStep(life: Life, isWhole: boolean): void {
    this.#checkGeneration(life.room);
    if (!isWhole) return;
    this.#checkSnapshot(life.room);
    if (this.#clientOf !== life) {
      this.#client = new StreamClient();
      this.#clientOf = life;
    }
    const text = life.lastTexts.get(MAIN);
    if (text !== undefined) this.#client.read(text);
    this.broken.push(...this.#client.broken.splice(0));
  }

  // ---- the end

  /** `links`: ids of the held links that operators opened. */
  checkEnd(room: Room | undefined, links: readonly string[], nowMs: number): void {
    this.broken.push(...this.#db.broken);
    if (room === undefined) {
      this.broken.push("the room was not open at the end");
      return;
    }
    const { tables } = this.#db;
    const rows = [...tables.assets.values()].map(({ id, version }) => `${id} ${version}`);
    const known = Array.from(room.forces.fleet.assets(), ({ row }) => `${row.id} ${row.version}`);
    this.#same("assets", rows, known);
    const open = [...tables.tasks.values()].filter(({ status }) => !isTerminal(status));
    this.#same(
      "open tasks",
      open.map(({ id, status }) => `${id} ${status}`),
      Array.from(room.tasks.open(), ({ id, status }) => `${id} ${status}`),
    );
    this.#same("links", [...tables.links.keys()], links);
    const ignored = [...tables.ignored];
    this.#same(
      "ignored discoveries",
      ignored,
      ignored.filter((key) => room.forces.fleet.isIgnored(key)),
    );
    this.broken.push(...this.#client.whyNot(room, nowMs));
  }

  #same(what: string, rows: readonly string[], known: readonly string[]): void {
    const [one, two] = [[...rows].sort().join("; "), [...known].sort().join("; ")];
    if (one !== two) this.broken.push(`${what}: the rows have "${one}", the room has "${two}"`);
  }
}
