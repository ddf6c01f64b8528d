/** Seeded draws for one actor of a simulated run, independent of the draws of other actors. */
import { type Noise, noiseOf } from "../../../src/sim/noise.ts";

export class Draws {
  readonly #noise: Noise;

  constructor(seed: number, actor: string) {
    this.#noise = noiseOf(seed, hashOf(actor), 1);
  }

  chance(probability: number): boolean {
    return this.#noise.uniform() < probability;
  }

  /** Uniform in [from, to). */
  between(from: number, to: number): number {
    return from + (to - from) * this.#noise.uniform();
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor(this.#noise.uniform() * below);
  }

  pick<T>(of: readonly T[]): T {
    if (of.length === 0) throw new Error("there is nothing to pick from");
    return of[this.below(of.length)]!;
  }

  /** One of the names, with a probability proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights) as K[];
    let left = this.#noise.uniform() * names.reduce((sum, name) => sum + weights[name], 0);
    return names.find((name) => (left -= weights[name]) < 0) ?? names.at(-1)!;
  }

  normal(sigma: number): number {
    return this.#noise.normal(sigma);
  }

  shuffled<T>(of: readonly T[]): T[] {
    const items = [...of];
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j]!, items[i]!];
    }
    return items;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.below(256)));
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash | 0;
}
