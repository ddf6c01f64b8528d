/** When `live_state` is sent: within a second of a change, else every two seconds (docs/interface.md#slices). */
import type { FusionHealth } from "../../domain/health.ts";
import { LIVE_STATE_PERIOD_MAX_MS } from "../../limits.ts";

export class HealthTeller {
  #sent = "";
  #sentAtMs = Number.NEGATIVE_INFINITY;

  noteSent(health: FusionHealth, nowMs: number): void {
    this.#sent = newsOf(health);
    this.#sentAtMs = nowMs;
  }

  /** Whether this state is to be sent now. Called once a second. */
  isDue(health: FusionHealth, nowMs: number): boolean {
    // Half a second early, because a flush may come a little late and the pause must not exceed the period.
    const isSilent = nowMs - this.#sentAtMs >= LIVE_STATE_PERIOD_MAX_MS - 500;
    if (newsOf(health) === this.#sent && !isSilent) return false;
    this.noteSent(health, nowMs);
    return true;
  }
}

/** The members whose change is news. Step times always change, so they are left out. */
function newsOf({ state, tracks, dropped, obs_in: observations }: FusionHealth): string {
  const drops = Object.values(dropped).join(" ");
  return `${state} ${observations} ${tracks.tentative} ${tracks.confirmed} ${tracks.coasting} ${drops}`;
}
