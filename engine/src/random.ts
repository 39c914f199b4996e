/** Seeded random numbers and noise: the same seed gives the same numbers on every machine. */

/** A stream of numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** Mulberry32: small, fast and good enough for pictures. Math.random cannot be seeded. */
export function mulberry32(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** FNV-1a, 32 bits: turns prompts into seeds and voice ids into voices. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** One seed of two; the order matters. */
export const mixSeeds = (first: number, second: number): number => hashText(`${first >>> 0}/${second >>> 0}`);

/** A random number between two bounds. */
export const between = (random: Random, low: number, high: number): number => low + (high - low) * random();

/** A random entry; throws for an empty list. */
export function pick<T>(random: Random, list: readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new Error('expected a list with entries, got an empty one');
  return chosen;
}

/** Smooth noise along a line, from 0 to 1, for ridges, waves and wind; more octaves add finer detail. */
export function openNoise(seed: number): (position: number, octaves?: number) => number {
  const salt = seed >>> 0;
  const knot = (index: number) => {
    let mixed = Math.imul(index ^ salt, 0x9e3779b1);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
  };
  const smooth = (position: number) => {
    const left = Math.floor(position);
    const within = position - left;
    const eased = within * within * (3 - 2 * within);
    return knot(left) * (1 - eased) + knot(left + 1) * eased;
  };
  return (position, octaves = 4) => {
    let sum = 0;
    let weight = 0;
    for (let octave = 0, share = 1; octave < octaves; octave++, share *= 0.5) {
      sum += share * smooth(position * 2 ** octave + octave * 101.7);
      weight += share;
    }
    return sum / weight;
  };
}
