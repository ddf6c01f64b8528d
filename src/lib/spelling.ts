/** How far two words are apart, and which known word a misspelt one was probably meant to be. */

/** Letters to insert, leave out, change or swap with their neighbour: the optimal string alignment distance. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + change);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) distance = Math.min(distance, beforeLast[j - 2]! + 1);
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** One slip in a short name, one more for every five letters of a longer one. */
const slipsAllowed = (name: string) => Math.max(1, Math.floor(name.length / 5));

const lettersOf = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");

/** The known name that `name` is close to, or null. Case and separators do not count. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const letters = lettersOf(name);
  let nearest: string | null = null;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = letters === lettersOf(candidate) ? 0 : editDistance(name, candidate);
    if (distance > slipsAllowed(candidate) || distance >= nearestDistance) continue;
    nearest = candidate;
    nearestDistance = distance;
  }
  return nearest;
}
