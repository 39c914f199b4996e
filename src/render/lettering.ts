import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, hex, mix, shade } from './colour.ts';
import { fontOf } from './fonts.ts';
import type { Scene } from './scene.ts';

const markText = 'AI generated · rendered locally';

/** A small line in the lower right corner that says what made the picture. */
export function drawMark(context: SKRSContext2D, width: number, height: number): void {
  const unit = Math.min(width, height) / 100;
  const pixels = Math.max(9, unit * 2.4);
  context.save();
  context.font = fontOf(pixels);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  const room = Math.min(width - pixels, context.measureText(markText).width + pixels * 1.4);
  const right = width - pixels * 0.8;
  const middle = height - pixels * 1.7;
  context.fillStyle = 'rgba(10,12,20,0.42)';
  context.beginPath();
  context.roundRect(right - room, middle - pixels * 0.95, room, pixels * 1.9, pixels * 0.95);
  context.fill();
  context.fillStyle = 'rgba(255,255,255,0.88)';
  context.fillText(markText, right - pixels * 0.7, middle, room - pixels * 1.2);
  context.restore();
}

/** The words that the prompt put in double quotes, set large in the upper half. */
export function drawWords(context: SKRSContext2D, scene: Scene, width: number, height: number): void {
  if (scene.words.length === 0) return;
  const lines = scene.words.slice(0, 4);
  context.save();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const probe = 100;
  context.font = fontOf(probe);
  const widest = Math.max(...lines.map(line => context.measureText(line).width), 1);
  const pixels = Math.min(
    (width * 0.8 * probe) / widest,
    (height * 0.3) / lines.length,
    Math.min(width, height) * 0.16,
  );
  context.font = fontOf(pixels);
  context.shadowColor = css(shade(scene.palette.near, -0.4), 0.55);
  context.shadowBlur = pixels * 0.3;
  context.fillStyle = css(mix(scene.palette.light, hex('#ffffff'), 0.6));
  lines.forEach((line, index) => {
    context.fillText(line, width / 2, height * 0.27 + (index - (lines.length - 1) / 2) * pixels * 1.25);
  });
  context.restore();
}
