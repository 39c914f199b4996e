/** Camera movement over a still picture, which is continued beyond its edges. */
import { type Canvas, createCanvas, type SKRSContext2D } from '@napi-rs/canvas';
import type { Motion } from '../paint/scene.ts';
import { continueBorder } from '../picture/border.ts';
import type { Picture } from '../picture/pictures.ts';
import type { Box } from '../render-plan.ts';
import type { Size } from '../size.ts';

/** A view of a picture; `unmoved` shows the picture itself. */
export interface Camera {
  /** Shift of the picture in the view, in shares of its width and height. */
  readonly x: number;
  readonly y: number;
  /** 1 = as it was, 1.1 = a tenth closer. */
  readonly scale: number;
  /** Radians, clockwise. */
  readonly turn: number;
}

/** The camera at a share (0 to 1) of the shot. */
export type CameraPath = (share: number) => Camera;

/** A picture scaled to cover a size, with its border continued on every side. */
export interface Plate {
  /** The picture in the middle of its continued border. */
  readonly canvas: Canvas;
  /** Size of the view. */
  readonly size: Size;
  /** Pixels on every side. */
  readonly beyond: Size;
}

/** The picture as it is. */
export const unmoved: Camera = { x: 0, y: 0, scale: 1, turn: 0 };
/** Share of the width and height that a camera may look beyond the edges. */
const beyondShare = 0.25;

/**
 * Scales the picture once, so that the unmoved view is the scaled picture pixel by pixel. `isMoved` false: no view
 * reaches beyond the edges, and nothing is drawn there.
 */
export function preparePlate(picture: Picture, size: Size, isMoved = true): Plate {
  const share = isMoved ? beyondShare : 0;
  const beyond = { width: Math.round(size.width * share), height: Math.round(size.height * share) };
  const whole = { width: size.width + 2 * beyond.width, height: size.height + 2 * beyond.height };
  const scale = Math.max(size.width / picture.width, size.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const place = { x: (whole.width - width) / 2, y: (whole.height - height) / 2, width, height };
  const canvas = createCanvas(whole.width, whole.height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  if (isMoved) drawBorder(context, picture, place, whole);
  // The picture itself is drawn over its blurred border, so that the unmoved view is exact.
  context.drawImage(picture.canvas, place.x, place.y, width, height);
  return { canvas, size, beyond };
}

/** Draws the continued border at half its size: it is blurred, and only seen where the camera passes an edge. */
function drawBorder(context: SKRSContext2D, picture: Picture, place: Box, whole: Size): void {
  const half = createCanvas(Math.ceil(whole.width / 2), Math.ceil(whole.height / 2));
  const [across, down] = [half.width / whole.width, half.height / whole.height];
  const box = {
    x: place.x * across,
    y: place.y * down,
    width: place.width * across,
    height: place.height * down,
  };
  continueBorder(half.getContext('2d'), picture, box, half);
  context.drawImage(half, 0, 0, whole.width, whole.height);
}

/** Draws a view of the plate, with subpixel movement; `closer` multiplies the scale of the camera. */
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

/** Limits the camera to the plate: it slows down towards the edge instead of passing it. */
function withinPlate({ x, y, scale, turn }: Camera): Camera {
  const tilt = Math.max(-0.09, Math.min(0.09, turn));
  const near = Math.max(0.74 + Math.abs(tilt), Math.min(1.9, scale));
  const reach = near * (0.5 + beyondShare - Math.abs(tilt)) - 0.5;
  const soft = (value: number) => (reach <= 0 ? 0 : reach * Math.tanh(value / reach));
  return { x: soft(x), y: soft(y), scale: near, turn: tilt };
}

/** The camera movement that the prompt names, starting and ending slowly. */
export function cameraPathOf(motion: Motion): CameraPath {
  return share => {
    const eased = 0.35 * share + 0.65 * share * share * (3 - 2 * share);
    const away = Math.abs(motion.pan) + Math.abs(motion.lift);
    // Zooms in a little while it moves sideways, so that less of the continued border is shown.
    const extraZoom = motion.zoom < 0 ? 0 : Math.min(0.3, away * 1.5);
    return {
      x: -motion.pan * eased,
      y: motion.lift * eased,
      scale: 1 + (Math.max(motion.zoom, -0.2) + extraZoom) * eased,
      turn: 0,
    };
  };
}
