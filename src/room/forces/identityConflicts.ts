/**
 * Alerts about two vehicles with one system id: under whom each was raised, so that it ends under the same name, whatever
 * becomes of the platform since (it falls silent, is adopted, its asset is deleted, it is forgotten). Tells nobody.
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

  /** A platform was told of a conflict, or of its end. Returns what to tell. */
  note(platform: Platform, nowMs: number): Alert[] {
    const subject = this.#subjectOf(platform);
    const told = this.#raised.get(platform.key)?.id === subject?.id ? [] : this.#end(platform.key, nowMs);
    if (subject === null) return told;
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
    return alert === null ? told : [...told, alert];
  }

  /** Once a second: those whose platform is not what it was when it was told. */
  refresh(nowMs: number): Alert[] {
    const told: Alert[] = [];
    for (const platform of this.#fleet.platforms())
      if (this.#raised.get(platform.key)?.id !== this.#subjectOf(platform)?.id)
        told.push(...this.note(platform, nowMs));
    for (const key of [...this.#raised.keys()])
      if (this.#fleet.platform(key) === undefined) told.push(...this.#end(key, nowMs));
    return told;
  }

  #subjectOf({ key, conflicts }: Platform): Subject | null {
    if (conflicts.length === 0) return null;
    return { kind: "asset", id: this.#fleet.assetOf(key)?.row.id ?? key };
  }

  #end(key: string, nowMs: number): Alert[] {
    const subject = this.#raised.get(key);
    if (subject === undefined) return [];
    this.#raised.delete(key);
    // Two platforms can be heard as one asset: its alert ends with the last of them.
    for (const other of this.#raised.values()) if (other.id === subject.id) return [];
    const alert = this.#alerts.clear({ code: CODE, subject }, nowMs);
    return alert === null ? [] : [alert];
  }
}
