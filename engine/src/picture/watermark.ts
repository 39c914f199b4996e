/** The visible mark of a result: a picture, or a line of text in a corner. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import type { RenderContext } from '../messages.ts';
import { fontOf } from '../paint/fonts.ts';
import type { Mark } from '../render-plan.ts';
import { loadPicture } from './pictures.ts';

/** Draws the mark over a canvas of that size. */
export type WatermarkPainter = (context: SKRSContext2D, width: number, height: number) => void;

type Corner = Mark['corner'];

/** The standard mark; docs/local-engine.md names it. */
const watermarkText = 'AI generated · rendered locally';
/** Largest shares of width and height that a picture as a mark fills. */
const maxWidthShare = 0.24;
const maxHeightShare = 0.12;

/** The mark of the plan, or the standard text; its picture is decoded once. */
export async function prepareWatermark(
  mark: Mark | undefined,
  render: RenderContext,
): Promise<WatermarkPainter> {
  const corner = mark?.corner ?? 'bottom_right';
  if (mark?.media === undefined)
    return (context, width, height) => drawWatermarkText(context, width, height, corner);
  const picture = await loadPicture(render.inputPath(mark.media));
  return (context, width, height) => {
    const scale = Math.min(
      (width * maxWidthShare) / picture.width,
      (height * maxHeightShare) / picture.height,
    );
    const w = picture.width * scale;
    const h = picture.height * scale;
    const rest = Math.min(width, height) * 0.025;
    context.save();
    context.globalAlpha = 0.92;
    context.imageSmoothingQuality = 'high';
    context.drawImage(
      picture.canvas,
      corner.endsWith('left') ? rest : width - rest - w,
      corner.startsWith('top') ? rest : height - rest - h,
      w,
      h,
    );
    context.restore();
  };
}

/** A line of text on a dark, rounded background. */
function drawWatermarkText(context: SKRSContext2D, width: number, height: number, corner: Corner): void {
  const unit = Math.min(width, height) / 100;
  const pixels = Math.max(9, unit * 2.4);
  context.save();
  context.font = fontOf(pixels);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const boxWidth = Math.min(width - pixels, context.measureText(watermarkText).width + pixels * 1.4);
  const right = corner.endsWith('left') ? pixels * 0.8 + boxWidth : width - pixels * 0.8;
  const middle = corner.startsWith('top') ? pixels * 1.7 : height - pixels * 1.7;
  context.fillStyle = 'rgba(10,12,20,0.42)';
  context.beginPath();
  context.roundRect(right - boxWidth, middle - pixels * 0.95, boxWidth, pixels * 1.9, pixels * 0.95);
  context.fill();
  context.fillStyle = 'rgba(255,255,255,0.88)';
  context.fillText(watermarkText, right - pixels * 0.7, middle, boxWidth - pixels * 1.2);
  context.restore();
}
