/** Draws reference pictures as framed motifs within a scene. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css } from '../paint/colour.ts';
import type { Scene } from '../paint/scene.ts';
import { atDepth, type Painter } from '../paint/view.ts';
import type { Picture } from './pictures.ts';

/** Further references are not drawn. */
const maxMotifs = 9;
/** More motifs than this are drawn in two rows. */
const maxPerRow = 5;

/** How motifs are placed. */
interface Hanging {
  /** Time since the shot began: they sway a little. */
  readonly seconds: number;
  /** Small and low, so that they do not hide the picture behind them. */
  readonly low: boolean;
}

/** Draws up to nine pictures with white frames and shadows, side by side. */
export function drawMotifs(
  context: SKRSContext2D,
  motifs: readonly Picture[],
  scene: Scene,
  width: number,
  height: number,
  { seconds, low }: Hanging = { seconds: 0, low: false },
): void {
  const unit = Math.min(width, height) / 100;
  const shown = motifs.slice(0, maxMotifs);
  const rows = shown.length > maxPerRow ? 2 : 1;
  const columns = Math.ceil(shown.length / rows);
  const columnWidth = width / Math.max(1, columns);
  // Share of the height that the tallest motif may fill.
  const share = low ? 0.26 : shown.length > 2 ? 0.42 : 0.56;
  const tallest = (height * share) / (rows === 2 ? 1.25 : 1);
  const middle = low ? 0.76 : 0.52;
  shown.forEach((picture, index) => {
    const scale = Math.min((columnWidth * 0.72) / picture.width, tallest / picture.height);
    const w = picture.width * scale;
    const h = picture.height * scale;
    const row = Math.floor(index / columns);
    const x = columnWidth * ((index % columns) + 0.5);
    const y =
      height * (rows === 1 ? middle : middle - 0.22 + 0.42 * row * (low ? 0.6 : 1)) +
      (index % 2 === 0 ? -1 : 1) * unit * (shown.length > 1 ? 3 : 0) +
      Math.sin(seconds * 0.9 + index * 1.7) * unit * 0.5;
    context.save();
    context.translate(x, y);
    context.rotate(((scene.seed >> (index * 3)) % 5) * 0.008 + Math.sin(seconds * 0.7 + index) * 0.006);
    context.shadowColor = css(scene.palette.near, 0.6);
    context.shadowBlur = unit * 3.5;
    context.shadowOffsetY = unit * 1.2;
    context.fillStyle = '#fbf8f2';
    context.fillRect(-w / 2 - unit * 1.6, -h / 2 - unit * 1.6, w + unit * 3.2, h + unit * 3.2);
    context.shadowColor = 'transparent';
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture.canvas, -w / 2, -h / 2, w, h);
    context.restore();
  });
}

/** The motifs as a layer at middle distance that moves with the camera. */
export function prepareMotifs(motifs: readonly Picture[], scene: Scene, low: boolean): Painter {
  return view =>
    atDepth(view, scene.motion, 0.55, () => {
      const { context, width, height, seconds } = view;
      drawMotifs(context, motifs, scene, width, height, { seconds, low });
    });
}
