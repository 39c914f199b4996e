import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Motion } from '../paint/scene.ts';
import { continueBorder } from '../picture/border.ts';
import type { Picture } from '../picture/pictures.ts';
import type { Size } from '../size.ts';

/** Where the view of a picture stands: nothing moved, nothing closer at first. */
export interface Camera {
  /** How far the picture has moved in the view, in shares of its width and height. */
  readonly x: number;
  readonly y: number;
  /** 1 = as it was, 1.1 = a tenth closer. */
  readonly scale: number;
  /** Radians, clockwise. */
  readonly turn: number;
}

/** Where the camera stands at a share (0 to 1) of the shot. */
export type CameraPath = (share: number) => Camera;

/** A picture that covers a canvas of the size, and what lies beyond its edges. */
export interface Plate {
  readonly canvas: Canvas;
  readonly size: Size;
  /** Pixels on every side. */
  readonly beyond: Size;
}

export const unmoved: Camera = { x: 0, y: 0, scale: 1, turn: 0 };
/** Share of the width and height that a camera may look beyond the edges. */
const beyondShare = 0.25;

/** Scaled once, so that the unmoved view is the picture itself, pixel by pixel. */
export function preparePlate(picture: Picture, size: Size): Plate {
  const beyond = {
    width: Math.round(size.width * beyondShare),
    height: Math.round(size.height * beyondShare),
  };
  const whole = { width: size.width + 2 * beyond.width, height: size.height + 2 * beyond.height };
  const scale = Math.max(size.width / picture.width, size.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const place = { x: (whole.width - width) / 2, y: (whole.height - height) / 2, width, height };
  const canvas = createCanvas(whole.width, whole.height);
  continueBorder(canvas.getContext('2d'), picture, place, whole);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  // What the view begins with lies over the drawn-out border: the very pixels that scaling gives.
  context.drawImage(picture.canvas, place.x, place.y, width, height);
  return { canvas, size, beyond };
}

/** The view of a plate, moved by parts of a pixel; `closer` is on top of the camera's own scale. */
export function drawPlate(context: SKRSContext2D, plate: Plate, camera: Camera, closer = 1): void {
  const { width, height } = plate.size;
  const { x, y, scale, turn } = withinPlate(camera);
  context.save();
  context.imageSmoothingQuality = 'high';
  context.translate(width / 2 + x * width, height / 2 + y * height);
  context.rotate(turn);
  context.scale(scale * closer, scale * closer);
  context.drawImage(plate.canvas, -width / 2 - plate.beyond.width, -height / 2 - plate.beyond.height);
  context.restore();
}

/** Never past the end of the plate: the camera slows down towards it instead. */
function withinPlate({ x, y, scale, turn }: Camera): Camera {
  const tilt = Math.max(-0.09, Math.min(0.09, turn));
  const near = Math.max(0.74 + Math.abs(tilt), Math.min(1.9, scale));
  const room = near * (0.5 + beyondShare - Math.abs(tilt)) - 0.5;
  const soft = (value: number) => (room <= 0 ? 0 : room * Math.tanh(value / room));
  return { x: soft(x), y: soft(y), scale: near, turn: tilt };
}

/** The movement that the words of the prompt ask for, from and to a standstill. */
export function cameraPathOf(motion: Motion): CameraPath {
  return share => {
    const eased = 0.35 * share + 0.65 * share * share * (3 - 2 * share);
    const away = Math.abs(motion.pan) + Math.abs(motion.lift);
    // A little closer while it moves aside: so less of what lies beyond the edge comes into view.
    const held = motion.zoom < 0 ? 0 : Math.min(0.3, away * 1.5);
    return {
      x: -motion.pan * eased,
      y: motion.lift * eased,
      scale: 1 + (Math.max(motion.zoom, -0.2) + held) * eased,
      turn: 0,
    };
  };
}
