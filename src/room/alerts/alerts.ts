/**
 * Conditions that an operator must see and may have to act on (docs/interface.md#events, `alert`): one active alert per code
 * and subject, with a counter instead of repeats. Knows no stream: it returns the alerts to publish.
 */
import type { Alert, AlertFacts } from "../../domain/alert.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { ALERTS_ACTIVE_MAX } from "../../limits.ts";
import { NO_EVENTS, type Part, type RoomEvent } from "../part.ts";

export class Alerts implements Part {
  readonly slice = null;
  /** Grows with every alert that is raised or cleared. */
  version = 0;
  readonly #active = new Map<string, Alert>();
  readonly #idOf: (name: string, nowMs: number) => string;
  /** Alerts refused because the table was full. */
  refusedFull = 0;

  /** `idOf` gives the same id for the same alert at the same time, so that a replay publishes the same events. */
  constructor(idOf: (name: string, nowMs: number) => string) {
    this.#idOf = idOf;
  }

  refresh(): readonly RoomEvent[] {
    return NO_EVENTS;
  }

  json(): string {
    return JSON.stringify({ alerts: this.active() });
  }

  active(): Alert[] {
    return [...this.#active.values()];
  }

  /** null: nothing new to publish, or the table is full (counted). */
  raise(facts: AlertFacts, nowMs: number): Alert | null {
    const name = nameOf(facts);
    const known = this.#active.get(name);
    if (known === undefined && this.#active.size >= ALERTS_ACTIVE_MAX) {
      this.refusedFull++;
      return null;
    }
    const at = toRfc3339(nowMs);
    const alert: Alert = {
      ...facts,
      id: known?.id ?? this.#idOf(name, nowMs),
      state: "active",
      count: (known?.count ?? 0) + 1,
      first_at: known?.first_at ?? at,
      last_at: at,
      actions: ["ack", "silence", "clear"],
    };
    this.#active.set(name, alert);
    this.version++;
    return known?.text === facts.text ? null : alert;
  }

  clear(facts: Pick<AlertFacts, "code" | "subject">, nowMs: number): Alert | null {
    const known = this.#active.get(nameOf(facts));
    if (known === undefined) return null;
    this.#active.delete(nameOf(facts));
    this.version++;
    return { ...known, state: "cleared", last_at: toRfc3339(nowMs), actions: [] };
  }
}

function nameOf({ code, subject }: Pick<AlertFacts, "code" | "subject">): string {
  return `${code} ${subject.kind} ${subject.id}`;
}
