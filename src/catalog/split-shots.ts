/** Divides the seconds of a video into shots. */

/**
 * Lengths of the shots where the model cuts by itself: whole seconds, about four a shot, 2 to 4 shots.
 * The first ones take what does not divide, the last one a fraction; what is shorter than 2 s stays whole.
 */
export function splitShots(seconds: number): readonly number[] {
  const whole = Math.floor(seconds);
  const count = Math.min(4, Math.max(2, Math.ceil(seconds / 4)), Math.max(1, whole));
  return Array.from(
    { length: count },
    (_, index) =>
      Math.floor(whole / count) +
      (index < whole % count ? 1 : 0) +
      (index === count - 1 ? seconds - whole : 0),
  );
}
