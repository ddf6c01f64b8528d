/** When `live_state` is sent: within a second of a change, else every two seconds (docs/interface.md#slices). */
import type { FusionHealth } from "../../domain/health.ts";
import { LIVE_STATE_PERIOD_MAX_MS } from "../../limits.ts";

/** Two flushes and the slip of a busy machine. */
const EARLY_MS = 300;

export class HealthTeller {
  #sent = "";
  #sentAtMs = Number.NEGATIVE_INFINITY;

  noteSent(health: FusionHealth, nowMs: number): void {
    this.#sent = newsOf(health);
    this.#sentAtMs = nowMs;
  }

  /** A little early, because a flush may come late and the pause must not exceed the period. */
  isSilent(nowMs: number): boolean {
    return nowMs - this.#sentAtMs >= LIVE_STATE_PERIOD_MAX_MS - EARLY_MS;
  }

  /** Whether this state is to be sent now: when it is news, or nothing was sent for long. */
  isDue(health: FusionHealth, nowMs: number): boolean {
    if (newsOf(health) === this.#sent && !this.isSilent(nowMs)) return false;
    this.noteSent(health, nowMs);
    return true;
  }
}

/** The members whose change is news. Step times always change, so they are left out. */
function newsOf({ state, tracks, dropped, obs_in: observations }: FusionHealth): string {
  const drops = Object.values(dropped).join(" ");
  return `${state} ${observations} ${tracks.tentative} ${tracks.confirmed} ${tracks.coasting} ${drops}`;
}
