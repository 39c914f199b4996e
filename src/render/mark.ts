import type { SKRSContext2D } from '@napi-rs/canvas';
import type { Mark } from '../catalog/render-plan.ts';
import { fontOf } from './fonts.ts';
import type { Stage } from './messages.ts';
import { loadPicture } from './pictures.ts';

/** Puts the mark over what a context of that size holds. */
export type MarkPainter = (context: SKRSContext2D, width: number, height: number) => void;

type Corner = Mark['corner'];

const markText = 'AI generated · rendered locally';
/** Of the width and of the height that a picture as a mark may fill. */
const widest = 0.24;
const tallest = 0.12;

/** The plan's mark, or the standard one; its picture is decoded once. */
export async function prepareMark(mark: Mark | undefined, stage: Stage): Promise<MarkPainter> {
  const corner = mark?.corner ?? 'bottom_right';
  if (mark?.media === undefined) return (context, width, height) => drawLine(context, width, height, corner);
  const picture = await loadPicture(stage.input(mark.media));
  return (context, width, height) => {
    const scale = Math.min((width * widest) / picture.width, (height * tallest) / picture.height);
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

/** A small line in a corner that says what made the picture. */
function drawLine(context: SKRSContext2D, width: number, height: number, corner: Corner): void {
  const unit = Math.min(width, height) / 100;
  const pixels = Math.max(9, unit * 2.4);
  context.save();
  context.font = fontOf(pixels);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const room = Math.min(width - pixels, context.measureText(markText).width + pixels * 1.4);
  const right = corner.endsWith('left') ? pixels * 0.8 + room : width - pixels * 0.8;
  const middle = corner.startsWith('top') ? pixels * 1.7 : height - pixels * 1.7;
  context.fillStyle = 'rgba(10,12,20,0.42)';
  context.beginPath();
  context.roundRect(right - room, middle - pixels * 0.95, room, pixels * 1.9, pixels * 0.95);
  context.fill();
  context.fillStyle = 'rgba(255,255,255,0.88)';
  context.fillText(markText, right - pixels * 0.7, middle, room - pixels * 1.2);
  context.restore();
}
