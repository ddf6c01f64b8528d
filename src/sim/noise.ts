/** Seeded noise: the draws depend on seed, source and scan index alone, not on earlier draws. */

export interface Noise {
  /** Uniform in [0, 1). */
  uniform(): number;
  /** Normal with mean 0. */
  normal(sigma: number): number;
  /** Poisson with this mean. */
  count(mean: number): number;
}

/** sfc32 (Chris Doty-Humphrey, PractRand): 128 bits of state, seeded by three numbers and a counter. */
export function noiseOf(seed: number, source: number, index: number): Noise {
  let a = seed | 0;
  let b = source | 0;
  let c = index | 0;
  let counter = 1;
  const uniform = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) uniform();
  return {
    uniform,
    normal: (sigma) => sigma * Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    count: (mean) => {
      let product = uniform();
      let events = 0;
      for (const limit = Math.exp(-mean); product > limit; events++) product *= uniform();
      return events;
    },
  };
}
