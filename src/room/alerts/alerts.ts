/**
 * What an operator must be told and may have to act on (docs/interface.md#events, `alert`): one active alert a code and
 * subject, with a counter instead of repeats. Knows no stream: it returns what to tell.
 */
import type { Alert, AlertFacts } from "../../domain/alert.ts";
import { toRfc3339 } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { ALERTS_ACTIVE_MAX } from "../../limits.ts";

export class Alerts {
  readonly #active = new Map<string, Alert>();
  /** Alerts that found the table full. */
  refusedFull = 0;

  active(): Alert[] {
    return [...this.#active.values()];
  }

  /** null: nothing new to tell, or no room for it (counted). */
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
      id: known?.id ?? newId("alr", nowMs),
      state: "active",
      count: (known?.count ?? 0) + 1,
      first_at: known?.first_at ?? at,
      last_at: at,
      actions: ["ack", "silence", "clear"],
    };
    this.#active.set(name, alert);
    return known?.text === facts.text ? null : alert;
  }

  clear(facts: Pick<AlertFacts, "code" | "subject">, nowMs: number): Alert | null {
    const known = this.#active.get(nameOf(facts));
    if (known === undefined) return null;
    this.#active.delete(nameOf(facts));
    return { ...known, state: "cleared", last_at: toRfc3339(nowMs), actions: [] };
  }
}

function nameOf({ code, subject }: Pick<AlertFacts, "code" | "subject">): string {
  return `${code} ${subject.kind} ${subject.id}`;
}
