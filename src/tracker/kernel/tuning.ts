/** What the operators' configuration means to the kernel: from the rules they know to its own thresholds. Knows no memory. */
import { GATE_LOOKS } from "../../../assembly/physics.ts";
import type { TrackerConfig } from "../types.ts";

const EXISTENCE_ASKED_MAX = 0.95;
/** Under a millionth is no probability that anybody measures; the limits stay finite. */
const GATE_MISS_MIN = 1e-6;
const GATE_COMPONENTS_MAX = 6;

/** Existence at which a track is shown: the share of looks that the rule of m hits in n wants to have been hits. */
export const showThreshold = ({ confirmM, confirmN }: TrackerConfig): number =>
  Math.min(EXISTENCE_ASKED_MAX, confirmM / confirmN);

/** One hit fewer than the rule asks is enough where existence is: it knows how likely false alarms are, a count does not. */
export const hitsToShow = ({ confirmM }: TrackerConfig): number => Math.max(2, confirmM - 1);

/**
 * Chi-square limits for 1..6 components, so that all of a target's measurements of GATE_LOOKS looks are inside with
 * `gateProb` at least: each look may lose its share of the rest. To a tenth, so that no library's last digit shows.
 */
export function gateLimits(gateProb: number): number[] {
  const miss = Math.max((1 - gateProb) / GATE_LOOKS, GATE_MISS_MIN);
  return Array.from(
    { length: GATE_COMPONENTS_MAX },
    (_, i) => Math.round(10 * chiSquareQuantile(1 - miss, i + 1)) / 10,
  );
}

/** By bisection: it is asked six times a room. */
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
