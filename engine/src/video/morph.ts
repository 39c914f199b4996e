/** The morph of one frame into a picture: a dissolve in clouds with a slight bend. */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { openNoise } from '../random.ts';
import type { Size } from '../size.ts';
import { drawPlate, type Plate, unmoved } from './still-motion.ts';

/** Draws the morph of a frame at `share`: 0 is the frame, 1 exactly the picture. */
export type Morph = (context: SKRSContext2D, frame: Canvas, share: number) => void;

/** Width of the mask in pixels; it is scaled up smoothly. */
const maskWidth = 96;
/** Width of the mask's soft edge, as a share of its range. */
const softness = 0.6;
/** Strips that a bent frame is drawn in. */
const strips = 90;
/** Largest bend, as a share of the width. */
const bend = 0.022;
/** How much closer the picture starts. */
const closer = 0.2;

/** While the frame comes closer, the picture shows through growing clouds and settles; both bend like cloth. */
export function prepareMorph(plate: Plate, seed: number): Morph {
  const { width, height } = plate.size;
  const clouds = cloudsOf(seed, plate.size);
  const coming = createCanvas(width, height);
  const plain = createCanvas(width, height);
  return (context, frame, share) => {
    const eased = share * share * (3 - 2 * share);
    const amount = bend * Math.sin(Math.PI * share);
    drawBent(context, frame, 1 + closer * 1.3 * eased, amount, eased * 2);
    if (share <= 0) return;
    const under = plain.getContext('2d');
    drawPlate(under, plate, unmoved, 1 + closer * (1 - share) * (1 - share));
    if (share >= 1) {
      context.drawImage(plain, 0, 0);
      return;
    }
    const over = coming.getContext('2d');
    over.globalCompositeOperation = 'source-over';
    drawBent(over, plain, 1, amount, 3 + eased * 2);
    over.globalCompositeOperation = 'destination-in';
    over.drawImage(clouds(eased), 0, 0, width, height);
    context.drawImage(coming, 0, 0);
  };
}

/** Draws the frame in strips that are shifted sideways, enlarged so that no edge shows. */
function drawBent(context: SKRSContext2D, frame: Canvas, scale: number, amount: number, phase: number): void {
  const { width, height } = frame;
  const larger = scale * (1 + 2 * amount);
  context.save();
  context.translate(width / 2, height / 2);
  context.scale(larger, larger);
  context.translate(-width / 2, -height / 2);
  if (amount < 1e-6) context.drawImage(frame, 0, 0);
  else {
    const tall = Math.ceil(height / strips);
    for (let y = 0; y < height; y += tall) {
      const away = amount * width * Math.sin((y / height) * 5 + phase) * Math.cos((y / height) * 2.3 - phase);
      const rows = Math.min(tall + 1, height - y);
      context.drawImage(frame, 0, y, width, rows, away, y, width, rows);
    }
  }
  context.restore();
}

/** A mask for each share: clouds of opacity that grow until they cover everything. */
function cloudsOf(seed: number, size: Size): (share: number) => Canvas {
  const height = Math.max(2, Math.round((maskWidth * size.height) / size.width));
  const across = openNoise(seed ^ 0x3c10);
  const down = openNoise(seed ^ 0x77d1);
  // Two noises that distort each other look like clouds.
  const thresholds = Float32Array.from({ length: maskWidth * height }, (_, i) => {
    const [x, y] = [(i % maskWidth) / maskWidth, Math.floor(i / maskWidth) / maskWidth];
    const cloud =
      across(x * 3 + down(y * 4, 2) * 1.4, 3) * 0.6 + down(y * 3 + across(x * 5, 2) * 1.4 + 9, 3) * 0.4;
    return Math.min(1, Math.max(0, (cloud - 0.2) / 0.6));
  });
  const canvas = createCanvas(maskWidth, height);
  const mask = new ImageData(maskWidth, height);
  // Smoothed at a quarter of the size: the rest of the way up needs no costly smoothing.
  const smooth = createCanvas(Math.ceil(size.width / 4), Math.ceil(size.height / 4));
  const context = smooth.getContext('2d');
  context.globalCompositeOperation = 'copy';
  context.imageSmoothingQuality = 'high';
  return share => {
    for (let i = 0; i < thresholds.length; i++) {
      const open = Math.min(1, Math.max(0, (share * (1 + softness) - thresholds[i]!) / softness));
      mask.data[i * 4 + 3] = Math.round(255 * open * open * (3 - 2 * open));
    }
    canvas.getContext('2d').putImageData(mask, 0, 0);
    context.drawImage(canvas, 0, 0, smooth.width, smooth.height);
    return smooth;
  };
}
