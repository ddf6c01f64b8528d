/**
 * Alerts about two vehicles with one system id. Keeps the subject under which each was raised, so that it is cleared under
 * the same one when the platform has since fallen silent, been adopted, lost its asset or been forgotten. Publishes nothing.
 */
import type { Alert, AlertFacts } from "../../domain/alert.ts";
import type { Alerts } from "../alerts/alerts.ts";
import type { Fleet } from "./fleet.ts";
import type { Platform } from "./platform.ts";

const CODE = "identity_conflict";

type Subject = AlertFacts["subject"];

export class IdentityConflicts {
  readonly #fleet: Fleet;
  readonly #alerts: Alerts;
  /** By platform key. */
  readonly #raised = new Map<string, Subject>();

  constructor(fleet: Fleet, alerts: Alerts) {
    this.#fleet = fleet;
    this.#alerts = alerts;
  }

  /** A platform has a conflict now, or none any more. Returns the alerts to publish. */
  note(platform: Platform, nowMs: number): Alert[] {
    const subject = this.#subjectOf(platform);
    const cleared = this.#raised.get(platform.key)?.id === subject?.id ? [] : this.#end(platform.key, nowMs);
    if (subject === null) return cleared;
    this.#raised.set(platform.key, subject);
    const { source, conflicts } = platform;
    const alert = this.#alerts.raise(
      {
        code: CODE,
        level: "warning",
        title: "Two vehicles with one system id",
        text: `system id ${source.systemId} is heard from ${source.address} and from ${conflicts.join(", ")}; commands are blocked until one falls silent`,
        subject,
      },
      nowMs,
    );
    return alert === null ? cleared : [...cleared, alert];
  }

  /** Once a second: clears or moves the alerts whose platform has another subject now, or is gone. */
  refresh(nowMs: number): Alert[] {
    const alerts: Alert[] = [];
    for (const platform of this.#fleet.platforms())
      if (this.#raised.get(platform.key)?.id !== this.#subjectOf(platform)?.id)
        alerts.push(...this.note(platform, nowMs));
    for (const key of [...this.#raised.keys()])
      if (this.#fleet.platform(key) === undefined) alerts.push(...this.#end(key, nowMs));
    return alerts;
  }

  #subjectOf({ key, conflicts }: Platform): Subject | null {
    if (conflicts.length === 0) return null;
    return { kind: "asset", id: this.#fleet.assetOf(key)?.row.id ?? key };
  }

  #end(key: string, nowMs: number): Alert[] {
    const subject = this.#raised.get(key);
    if (subject === undefined) return [];
    this.#raised.delete(key);
    // Two platforms can be heard as one asset: its alert is cleared with the last of them.
    for (const other of this.#raised.values()) if (other.id === subject.id) return [];
    const alert = this.#alerts.clear({ code: CODE, subject }, nowMs);
    return alert === null ? [] : [alert];
  }
}
