/** A random seed for the models that take one. */

/** A whole number within the bounds, both included. */
export const randomSeed = (least = 0, most = 2 ** 31 - 1): number => {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return least + (drawn % (most - least + 1));
};
