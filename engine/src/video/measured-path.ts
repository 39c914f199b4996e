/** Camera paths from measured motion: replayed, or continued after the end of a video. */
import type { MotionStep } from './estimate-motion.ts';
import { type Camera, type CameraPath, unmoved } from './still-motion.ts';

/** Time constant of a movement that coasts to a stop, in seconds. */
const coastSeconds = 2.2;

/** Replays the measured movement over a shot; `turning` also replays its rotation. */
export function measuredPath(
  steps: readonly MotionStep[],
  fps: number,
  seconds: number,
  turning: boolean,
): CameraPath {
  const cameras = smooth(accumulate(steps, turning));
  return share => {
    const at = Math.min(cameras.length - 1, share * Math.max(0, seconds * fps - 1));
    const before = cameras[Math.floor(at)] ?? unmoved;
    const after = cameras[Math.ceil(at)] ?? before;
    return between(before, after, at % 1);
  };
}

/** Continues the last measured movement, coasting to a stop, while the other path takes over. */
export function continuedPath(
  steps: readonly MotionStep[],
  fps: number,
  seconds: number,
  then: CameraPath,
): CameraPath {
  // Mean movement a second over the last steps.
  const mean = (of: (step: MotionStep) => number) =>
    (steps.reduce((sum, step) => sum + of(step), 0) / Math.max(1, steps.length)) * fps;
  const speed = {
    x: mean(s => s.x),
    y: mean(s => s.y),
    // Scales multiply, so their mean is one of logarithms.
    grow: mean(s => Math.log(s.scale)),
    turn: mean(s => s.turn),
  };
  return share => {
    const coasted = coastSeconds * (1 - Math.exp((-share * seconds) / coastSeconds));
    const next = then(share);
    const weight = 0.7 * share;
    return {
      x: speed.x * coasted + next.x * weight,
      y: speed.y * coasted + next.y * weight,
      scale: Math.exp(speed.grow * coasted) * (1 + (next.scale - 1) * weight),
      turn: speed.turn * coasted,
    };
  };
}

/** The camera before the first step and after each one. */
function accumulate(steps: readonly MotionStep[], turning: boolean): Camera[] {
  const cameras: Camera[] = [unmoved];
  let now = unmoved;
  for (const step of steps) {
    now = {
      x: now.x * step.scale + step.x,
      y: now.y * step.scale + step.y,
      scale: now.scale * step.scale,
      turn: turning ? now.turn + step.turn : 0,
    };
    cameras.push(now);
  }
  return cameras;
}

/** Smooths the noise of the measurement; the first and the last camera stay. */
function smooth(cameras: readonly Camera[]): Camera[] {
  return cameras.map((camera, index) => {
    const before = cameras[index - 1];
    const after = cameras[index + 1];
    if (before === undefined || after === undefined) return camera;
    return between(camera, between(before, after, 0.5), 0.5);
  });
}

/** Linear interpolation of every member. */
const between = (one: Camera, other: Camera, share: number): Camera => ({
  x: one.x + (other.x - one.x) * share,
  y: one.y + (other.y - one.y) * share,
  scale: one.scale + (other.scale - one.scale) * share,
  turn: one.turn + (other.turn - one.turn) * share,
});
