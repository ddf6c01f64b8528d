/** Tells `live_state`: a change of fusion health within a second, and what is unchanged at least every two (docs/interface.md#slices). */
import type { FusionHealth } from "../../domain/health.ts";
import { LIVE_STATE_PERIOD_MAX_MS } from "../../limits.ts";

export class HealthTeller {
  #told = "";
  #toldAtMs = Number.NEGATIVE_INFINITY;

  noteTold(health: FusionHealth, nowMs: number): void {
    this.#told = wordOf(health);
    this.#toldAtMs = nowMs;
  }

  /** Whether this state is to be told now. Asked once a second. */
  isDue(health: FusionHealth, nowMs: number): boolean {
    // A flush comes a little early or late; the silence between two must not grow beyond the period.
    const isSilent = nowMs - this.#toldAtMs >= LIVE_STATE_PERIOD_MAX_MS - 500;
    if (wordOf(health) === this.#told && !isSilent) return false;
    this.noteTold(health, nowMs);
    return true;
  }
}

/** What of it is news; times of steps move always. */
function wordOf({ state, tracks, dropped, obs_in: observations }: FusionHealth): string {
  const drops = Object.values(dropped).join(" ");
  return `${state} ${observations} ${tracks.tentative} ${tracks.confirmed} ${tracks.coasting} ${drops}`;
}
