/** Turns the configured rules into the kernel's thresholds. */
import { GATE_LOOKS } from "../../../assembly/physics.ts";
import type { TrackerConfig } from "../config.ts";

const EXISTENCE_ASKED_MAX = 0.95;
/** Lower bound on the probability of a miss: keeps the limits finite. */
const GATE_MISS_MIN = 1e-6;
const GATE_COMPONENTS_MAX = 6;

/** Existence from which on a track is shown: m / n. */
export const showThreshold = ({ confirmM, confirmN }: TrackerConfig): number =>
  Math.min(EXISTENCE_ASKED_MAX, confirmM / confirmN);

/** One hit fewer than the rule asks for: existence, which must be reached as well, already weighs false alarms. */
export const hitsToShow = ({ confirmM }: TrackerConfig): number => Math.max(2, confirmM - 1);

/**
 * Chi-square limits for 1 to 6 components. All of a target's measurements of GATE_LOOKS looks are inside with a probability
 * of at least `gateProb`: one look may miss with (1 - gateProb) / GATE_LOOKS (docs/adr/0013). Rounded to a tenth, so that
 * they do not depend on the last digits of a mathematics library.
 */
export function gateLimits(gateProb: number): number[] {
  const miss = Math.max((1 - gateProb) / GATE_LOOKS, GATE_MISS_MIN);
  return Array.from(
    { length: GATE_COMPONENTS_MAX },
    (_, i) => Math.round(10 * chiSquareQuantile(1 - miss, i + 1)) / 10,
  );
}

/** By bisection, which is fast enough for six values a room. */
function chiSquareQuantile(probability: number, dof: number): number {
  let low = 0;
  let high = 100;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (chiSquareBelow(middle, dof) < probability) low = middle;
    else high = middle;
  }
  return high;
}

/** The regularised lower incomplete gamma function P(dof / 2, x / 2) by its series. */
function chiSquareBelow(x: number, dof: number): number {
  const half = x / 2;
  // half^(dof/2) / Gamma(dof/2 + 1), from Gamma(1) = 1 or Gamma(1/2) = sqrt(pi).
  let term = dof % 2 === 0 ? 1 : 1 / Math.sqrt(Math.PI * half);
  for (let a = dof % 2 === 0 ? 1 : 0.5; a <= dof / 2; a++) term *= half / a;
  let sum = 0;
  for (let a = dof / 2 + 1; term > 1e-17 * sum; a++) {
    sum += term;
    term *= half / a;
  }
  return sum * Math.exp(-half);
}
