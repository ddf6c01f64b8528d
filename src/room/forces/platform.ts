/**
 * One platform as a link hears it, registered or not: the newest report of each kind, and the state of its link
 * (docs/interface.md#asset-views). Merges reports; decides nothing about identity. Knows no asset and no protocol.
 */
import type {
  HealthComponentReport,
  MotionReport,
  MovesIn,
  NavReport,
  PlatformReport,
  PlatformSource,
  PowerReport,
} from "../../domain/platformReport.ts";
import { type HealthLevel, type LinkState, linkStateOf } from "../../domain/platformStates.ts";
import {
  CONFLICTS_KEPT_MS,
  HEALTH_COMPONENTS_MAX,
  HEALTH_MESSAGES_MAX,
  LINK_RATE_WINDOW_MS,
  PLATFORM_PERIOD_DEFAULT_MS,
} from "../../limits.ts";

const NO_CONFLICTS: readonly string[] = [];

interface HealthComponent extends HealthComponentReport {
  readonly updatedAtMs: number;
}

export class Platform {
  readonly key: string;
  source: PlatformSource;
  readonly firstHeardMs: number;
  lastHeardMs: number;
  messages = 0;
  kindGuess: "vehicle" | "sensor" = "vehicle";
  typeGuess: string | null = null;
  /** As reported; null: derived from its type. */
  domainGuess: MovesIn | null = null;
  modelGuess: string | null = null;
  name: string | null = null;
  remoteIdSerial: string | null = null;
  motion: MotionReport | null = null;
  motionAtMs = 0;
  power: PowerReport | null = null;
  nav: NavReport | null = null;
  /** Names of the modes that it can be set to; null: not reported. */
  modes: readonly string[] | null = null;
  healthLevel: HealthLevel | null = null;
  healthAtMs = 0;
  armable: boolean | null = null;
  readonly components = new Map<string, HealthComponent>();
  notes: string[] = [];
  radio: NonNullable<PlatformReport["radio"]> = {};
  state: LinkState = "connecting";
  stateSinceMs: number;
  /** Bumped with every report and every change of state, so that encoded forms can be reused while it stays. */
  version = 1;
  #conflicts: readonly string[] = [];
  #expectedPeriodMs = PLATFORM_PERIOD_DEFAULT_MS;
  #isClosed = false;
  #hasLeft = false;
  #windowFromMs: number;
  #windowCount = 0;
  rateHz: number | null = null;

  constructor(key: string, source: PlatformSource, nowMs: number) {
    this.key = key;
    this.source = source;
    this.firstHeardMs = nowMs;
    this.lastHeardMs = nowMs;
    this.stateSinceMs = nowMs;
    this.#windowFromMs = nowMs;
  }

  apply(report: PlatformReport): void {
    this.version++;
    this.messages++;
    if (report.atMs - this.lastHeardMs > CONFLICTS_KEPT_MS) this.#conflicts = NO_CONFLICTS;
    this.lastHeardMs = report.atMs;
    this.source = report.source;
    this.#isClosed = false;
    // After a good-bye only a health report means that it is back: others may have been under way already.
    if (report.goodbye === true) this.#hasLeft = true;
    else if (report.healthLevel !== undefined) this.#hasLeft = false;
    if (report.expectedPeriodS !== undefined) this.#expectedPeriodMs = report.expectedPeriodS * 1000;
    if (report.identity !== undefined) this.#identify(report.identity);
    if (report.motion !== undefined) {
      this.motion = { ...this.motion, ...report.motion };
      this.motionAtMs = Math.min(report.motionAtMs ?? report.atMs, report.atMs);
    }
    if (report.power !== undefined) this.power = { ...this.power, ...report.power };
    if (report.nav !== undefined) this.nav = { ...this.nav, ...report.nav };
    if (report.modes !== undefined) this.modes = report.modes;
    if (report.radio !== undefined) this.radio = { ...this.radio, ...report.radio };
    if (report.conflicts !== undefined) this.#conflicts = report.conflicts;
    this.#noteHealth(report);
    this.#count(report.atMs);
    this.refreshState(report.atMs);
  }

  /** Its link was deleted. A later report opens it again. */
  close(nowMs: number): void {
    this.#isClosed = true;
    this.#conflicts = NO_CONFLICTS;
    this.refreshState(nowMs);
  }

  /** Addresses of others that use its system id. None while it is silent; kept for when it is heard again. */
  get conflicts(): readonly string[] {
    return this.state === "lost" || this.state === "closed" ? NO_CONFLICTS : this.#conflicts;
  }

  /** True when the state changed. */
  refreshState(nowMs: number): boolean {
    const next = this.#stateAt(nowMs);
    if (next === this.state) return false;
    this.state = next;
    this.stateSinceMs = nowMs;
    this.version++;
    return true;
  }

  #stateAt(nowMs: number): LinkState {
    if (this.#isClosed || this.#hasLeft) return "closed";
    return linkStateOf({
      silentMs: nowMs - this.lastHeardMs,
      periodMs: this.#expectedPeriodMs,
      lossPct: this.radio.loss_pct ?? 0,
    });
  }

  #identify(identity: NonNullable<PlatformReport["identity"]>): void {
    if (identity.kindGuess !== undefined) this.kindGuess = identity.kindGuess;
    if (identity.typeGuess !== undefined) this.typeGuess = identity.typeGuess;
    if (identity.domainGuess !== undefined) this.domainGuess = identity.domainGuess;
    if (identity.modelGuess !== undefined) this.modelGuess = identity.modelGuess;
    if (identity.name !== undefined) this.name = identity.name;
    if (identity.remoteIdSerial !== undefined) this.remoteIdSerial = identity.remoteIdSerial;
  }

  #noteHealth(report: PlatformReport): void {
    if (report.healthLevel !== undefined) this.healthLevel = report.healthLevel;
    if (report.armable !== undefined) this.armable = report.armable;
    if (report.healthLevel !== undefined || report.components !== undefined) this.healthAtMs = report.atMs;
    if (report.areAllComponents === true) this.components.clear();
    for (const component of report.components ?? []) {
      if (this.components.size >= HEALTH_COMPONENTS_MAX && !this.components.has(component.id)) continue;
      this.components.set(component.id, { ...component, updatedAtMs: report.atMs });
    }
    if (report.message === undefined || this.notes.at(-1) === report.message) return;
    this.notes = [...this.notes.slice(1 - HEALTH_MESSAGES_MAX), report.message];
  }

  #count(nowMs: number): void {
    this.#windowCount++;
    const spanMs = nowMs - this.#windowFromMs;
    if (spanMs < LINK_RATE_WINDOW_MS) return;
    this.rateHz = Math.round((this.#windowCount * 10_000) / spanMs) / 10;
    this.#windowCount = 0;
    this.#windowFromMs = nowMs;
  }
}
