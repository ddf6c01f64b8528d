/**
 * A whole service for some seconds of simulated time, from one seed. The routes below HTTP, the intake, the room, the links,
 * the dispatcher, the ledger and the repairs are real; the clock, UDP, Postgres, people, sensors and vehicles are simulated.
 */
import { vi } from "vitest";
import { MEAS_S2 } from "../../../assembly/layout.ts";
import { isForLater, UnavailableError } from "../../../src/domain/errors.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Room } from "../../../src/room/room.ts";
import type { KernelBuild } from "../../../src/tracker/kernel/build.ts";
import { useChance } from "./chance.ts";
import { Service, WORKSPACE } from "./deployment.ts";
import { Draws } from "./draws.ts";
import { Invariants } from "./invariants.ts";
import { Life, readAtRandom } from "./life.ts";
import { MemoryDatabase } from "./memoryDatabase.ts";
import { SimulatedNet, useNet } from "./net.ts";
import { Operators } from "./operators.ts";
import { SensorFeed } from "./sensors.ts";
import { Vehicles } from "./vehicles.ts";

const DEPLOYMENT_LINK = "lnk_deployment_mavlink";
const START_MS = Date.UTC(2026, 2, 1, 10);
const TICK_MS = 10;
const STEP_MS = 50;
/** The state is hashed once every so many steps. */
const HASHED_STEPS = 4;
/** Time at the end without requests and faults, and its last part without input of sensors and vehicles. */
const CALM_MS = 5500;
const SILENT_MS = 2000;

/** The wall clock jumps back and forth a little; the monotonic clock does not. */
class WorldClock implements Clock {
  passedMs = 0;
  #skewMs = 0;

  nowMs(): number {
    return START_MS + this.passedMs + this.#skewMs;
  }

  monotonicMs(): number {
    return this.passedMs;
  }

  jitter(draws: Draws): void {
    if (draws.chance(0.002)) this.#skewMs = Math.round(draws.normal(80));
  }
}

export class World {
  readonly clock = new WorldClock();
  readonly db: MemoryDatabase;
  readonly lives: Life[] = [];
  readonly invariants: Invariants;
  /** Counts that show whether a run exercised the service. */
  readonly counts = { requests: 0, refused: 0, unavailable: 0, restarts: 0, crashes: 0, commands: 0 };
  readonly #seed: number;
  readonly #draws: Draws;
  readonly #kernel: KernelBuild;
  readonly #net: SimulatedNet;
  readonly #feed: SensorFeed;
  readonly #operators: Operators;
  readonly #vehicles: Vehicles;
  #service: Service;
  #cut: () => void = () => undefined;
  #isCalm = false;
  /** The next scan is followed by one that the kernel fails to fuse. */
  #poison = false;
  #isSilent = false;
  #stepDueMs = 0;
  #wholeDueMs = 0;

  constructor(seed: number, kernel: KernelBuild) {
    this.#seed = seed;
    this.#kernel = kernel;
    this.#draws = this.draws("world");
    this.db = new MemoryDatabase(this.draws("database"));
    this.#net = new SimulatedNet(this.draws("net"));
    useNet(this.#net);
    useChance(this.draws("chance"));
    this.invariants = new Invariants(this.db, kernel, this.draws("invariants"));
    this.#feed = new SensorFeed(this.draws("sensors"), START_MS);
    this.#operators = new Operators(this.draws("operators"));
    this.#service = this.#begin();
    this.#vehicles = new Vehicles(this.draws("vehicles"));
  }

  draws(actor: string): Draws {
    return new Draws(this.#seed, actor);
  }

  get life(): Life | undefined {
    const room = this.#service.room;
    return room === undefined ? undefined : this.lives.findLast((life) => life.room === room);
  }

  get service(): Service {
    return this.#service;
  }

  async run(seconds: number): Promise<void> {
    const endMs = seconds * 1000;
    const restartMs = this.#draws.between(0.2, 0.6) * endMs;
    let isRestarted = false;
    while (this.clock.passedMs < endMs) {
      if (!this.#isCalm && this.clock.passedMs >= endMs - CALM_MS) this.#calm();
      if (!this.#isSilent && this.clock.passedMs >= endMs - SILENT_MS) await this.#fallSilent();
      if (!isRestarted && this.clock.passedMs >= restartMs) {
        isRestarted = true;
        await this.#restart();
      }
      await this.#tick();
    }
    if (this.life !== undefined) this.#step(this.life, true);
    this.invariants.checkEnd(
      this.#service.room,
      this.#linkIds().filter((id) => id !== DEPLOYMENT_LINK),
      this.clock.nowMs(),
    );
    await this.#untilDone(this.#service.stop());
  }

  /** The coverage of the run, by name: operations at the door, statuses of tasks, limits that refused something. */
  reached(): Set<string> {
    const reached = new Set<string>();
    for (const { room, ops } of this.lives) {
      for (const op of ops) reached.add(`op ${op}`);
      for (const [name, count] of Object.entries(room.fusionHealth().dropped))
        if (count > 0) reached.add(`dropped ${name}`);
    }
    for (const { history, verb } of this.db.tables.tasks.values()) {
      for (const { status } of history) reached.add(`task ${status}`);
      if (history.some(({ status }) => status === "sent")) reached.add(`sent ${verb}`);
    }
    return reached;
  }

  // ---- the process

  #begin(): Service {
    const { db, cut } = this.db.connect();
    this.#cut = cut;
    const service = new Service({
      clock: this.clock,
      db,
      kernel: this.#kernel,
      onFault: (fields, text) => this.invariants.noteFault(fields, text),
      onOpened: (room) => this.#opened(room),
    });
    this.invariants.watch(service, this.clock);
    return service;
  }

  #opened(room: Room): void {
    this.lives.push(new Life(room));
    this.invariants.opened(room);
  }

  async #restart(): Promise<void> {
    if (this.#draws.chance(0.5)) {
      this.counts.restarts++;
      await this.#untilDone(this.#service.stop());
      this.#cut();
    } else {
      this.counts.crashes++;
      this.#cut();
      // The system closes its sockets; its pending writes are lost.
      await this.#untilDone(this.#service.links.stop());
    }
    this.clock.passedMs += this.#draws.between(200, 4000);
    this.#service = this.#begin();
  }

  /** Lets time pass, without any act, until the work is done. */
  async #untilDone(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.then(() => {
      isDone = true;
    });
    while (!isDone) {
      this.#pass(TICK_MS);
      await settled();
    }
    await done;
  }

  // ---- time

  #pass(ms: number): void {
    this.clock.passedMs += ms;
    vi.advanceTimersByTime(ms);
    this.#net.deliver(this.clock.passedMs);
    this.db.deliver(this.clock.passedMs);
  }

  async #tick(): Promise<void> {
    // Sometimes the process is not scheduled for a while.
    this.#pass(!this.#isCalm && this.#draws.chance(0.001) ? this.#draws.between(100, 900) : TICK_MS);
    if (!this.#isCalm) this.clock.jitter(this.#draws);
    await settled();
    this.#vehicles.act(this.clock.passedMs);
    if (!this.#isCalm) this.#trouble();
    const { life } = this;
    if (life === undefined) return this.#open();
    this.#use(life);
    await settled();
    if (this.clock.passedMs >= this.#stepDueMs) this.#step(life);
  }

  #open(): void {
    Promise.resolve(this.#service.rooms.openWorkspace(WORKSPACE)).catch((fault) => {
      if (!(fault instanceof UnavailableError)) this.invariants.noteFault(fault, "the room did not open");
    });
  }

  #trouble(): void {
    const draws = this.#draws;
    this.db.isAway = this.db.isAway ? !draws.chance(0.005) : draws.chance(0.001);
    if (draws.chance(0.0008)) this.#poison = true;
    // As after a change of settings: the room is reopened while its accepted writes are still being made.
    if (draws.chance(0.0005)) this.#service.rooms.close(WORKSPACE, "workspace_changed");
  }

  #calm(): void {
    this.#isCalm = true;
    this.db.isAway = false;
    this.db.isCalm = true;
    this.#net.isCalm = true;
    this.#vehicles.calm();
  }

  async #fallSilent(): Promise<void> {
    this.#isSilent = true;
    await this.#untilDone(this.#vehicles.stop());
  }

  #use(life: Life): void {
    const { room } = life;
    const nowMs = this.clock.nowMs();
    const act = life.watchers.next(this.#draws, nowMs);
    if (act !== null) life.act(act);
    readAtRandom(room, this.#draws, nowMs);
    const names = [...room.forces.fleet.assets()].map(({ row }) => row.id);
    const bodies = this.#isSilent ? [] : this.#feed.bodies(nowMs, names);
    for (const { bytes, contentType } of bodies) this.#ask("POST /api/signals", { body: bytes, contentType });
    if (this.#poison) this.#poison = !poison(life);
    const request = this.#isCalm ? null : this.#operators.next(room, this.#linkIds(), nowMs);
    if (request !== null) this.#ask(request.route, request);
  }

  #linkIds(): string[] {
    return this.#service.links.host.linksOf(WORKSPACE).map(({ settings }) => settings.linkId);
  }

  #ask(route: string, asked: Parameters<Service["ask"]>[1]): void {
    const service = this.#service;
    this.counts.requests++;
    if (route.endsWith("/command")) this.counts.commands++;
    service.ask(route, asked).then(
      ({ status }) => {
        if (status >= 400) this.counts.refused++;
      },
      (fault) => {
        if (isForLater(fault)) this.counts.unavailable++;
        else this.invariants.noteFault(fault, `${route} threw`);
      },
    );
  }

  #step(life: Life, isLast = false): void {
    const { room } = life;
    const draws = this.#draws;
    this.#stepDueMs = this.clock.passedMs + STEP_MS + draws.between(-8, 8);
    const nowMs = this.clock.nowMs();
    // On a busy machine a step ends after the first piece.
    room.step(nowMs, draws.chance(0.3) ? 1 : null);
    room.flush(nowMs);
    const isWhole = isLast || this.clock.passedMs >= this.#wholeDueMs;
    if (isWhole) {
      this.#wholeDueMs = this.clock.passedMs + 1000;
      life.act({ is: "ping", nowMs });
    }
    if (isWhole || room.tick % HASHED_STEPS === 0) life.note(nowMs, isWhole);
    this.invariants.afterStep(life, isWhole);
  }
}

/** Resolves when all work that needs no passing of time is done. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Adds a copy of the last radar scan whose first range has a sigma of 0, which the kernel's assertions refuse. */
function poison({ room, lastScan }: Life): boolean {
  if (lastScan === null) return false;
  const { scan, wire } = lastScan;
  const measurements = Float64Array.from(scan.measurements);
  measurements[MEAS_S2] = 0;
  room.accept(
    [{ scan: { ...scan, scanId: `poison-${scan.measuredAtUs}`, measurements }, wire }],
    scan.receivedAtUs / 1000,
  );
  return true;
}
