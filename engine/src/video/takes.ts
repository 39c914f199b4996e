/** Takes: one shot of a film each, and what can be laid over them. */
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { drawWords } from '../paint/lettering.ts';
import { prepareScene, viewAt } from '../paint/paint-scene.ts';
import type { Scene } from '../paint/scene.ts';
import type { Painter } from '../paint/view.ts';
import type { Size } from '../size.ts';
import { type Morph, prepareMorph } from './morph.ts';
import { type CameraPath, drawPlate, type Plate } from './still-motion.ts';

/** One shot of a film. */
export interface Take {
  /** Also decides the sound of the shot. */
  readonly scene: Scene;
  /** Seconds on the timeline of the film. */
  readonly from: number;
  readonly to: number;
  /** Fills the canvas with the moment `at` (seconds of the film); calls are in order of time. */
  draw(canvas: Canvas, at: number): void | Promise<void>;
  /** Frees its open files, where it has any. */
  close?(): Promise<void>;
}

/** When a take is shown, in seconds of the film; its last frame begins one frame before its end. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Frames a second of the film. */
  readonly fps: number;
}

/** Fade of an overlay at an exact end. */
const fadeSeconds = 0.7;
/** A morph over a longer time would be too slow to see. */
const longestMorphSeconds = 3.5;

/** 0 at the first frame of the span and 1 at the last. */
export const shareOf = ({ from, to, fps }: Span, at: number): number =>
  Math.min(1, Math.max(0, (at - from) / Math.max(1e-6, to - 1 / fps - from)));

/** A painted scene; a draft is painted at half its size and scaled up. */
export function sceneTake(scene: Scene, span: Span, size: Size, draft: boolean): Take {
  const small: Size = draft ? { width: Math.ceil(size.width / 2), height: Math.ceil(size.height / 2) } : size;
  const paint = prepareScene(scene, small.width, small.height);
  const sketch = draft ? createCanvas(small.width, small.height) : undefined;
  return {
    scene,
    from: span.from,
    to: span.to,
    draw(canvas, at) {
      const target = sketch ?? canvas;
      const within = at - span.from;
      // Slightly beyond 0 and 1: a dissolve draws a take outside of its span.
      const share = Math.min(1.05, Math.max(-0.05, within / (span.to - span.from)));
      const context = target.getContext('2d');
      paint(viewAt(context, small.width, small.height, Math.max(0, within), share));
      drawWords(context, scene, small.width, small.height);
      if (sketch !== undefined) canvas.getContext('2d').drawImage(sketch, 0, 0, size.width, size.height);
    },
  };
}

/** A picture that the camera moves over; the first frame is exactly the picture. */
export function stillTake(scene: Scene, span: Span, plate: Plate, path: CameraPath): Take {
  return {
    scene,
    from: span.from,
    to: span.to,
    draw: (canvas, at) => drawPlate(canvas.getContext('2d'), plate, path(shareOf(span, at))),
  };
}

/** Which ends of a take must stay exactly as they are. */
export interface ExactEnds {
  /** The first frame is a given picture. */
  readonly start: boolean;
  /** The last frame is a given picture. */
  readonly end: boolean;
}

/** The take with a layer over it, faded out towards the ends that must stay exact. */
export function withOverlay(take: Take, span: Span, exact: ExactEnds, paint: Painter): Take {
  return {
    ...take,
    async draw(canvas, at) {
      await take.draw(canvas, at);
      const since = exact.start ? Math.max(0, at - span.from) / fadeSeconds : 1;
      const left = exact.end ? Math.max(0, span.to - 1 / span.fps - at) / fadeSeconds : 1;
      const strength = Math.min(1, since, left);
      if (strength <= 0) return;
      const context = canvas.getContext('2d');
      context.save();
      context.globalAlpha = strength;
      const within = Math.max(0, at - span.from);
      paint(viewAt(context, canvas.width, canvas.height, within, shareOf(span, at)));
      context.restore();
    },
  };
}

/** The take, morphed into the picture of the plate at its end; `fromStart` begins the morph early. */
export function withEnding(take: Take, span: Span, plate: Plate, fromStart: boolean): Take {
  const morph: Morph = prepareMorph(plate, take.scene.seed);
  const frame = createCanvas(plate.size.width, plate.size.height);
  const length = span.to - span.from;
  const morphing = Math.min(longestMorphSeconds, length * (fromStart ? 1 : 0.5));
  return {
    ...take,
    async draw(canvas, at) {
      const share = shareOf({ ...span, from: span.to - morphing }, at);
      if (share <= 0) return take.draw(canvas, at);
      if (share < 1) await take.draw(frame, at);
      morph(canvas.getContext('2d'), frame, share);
    },
  };
}
