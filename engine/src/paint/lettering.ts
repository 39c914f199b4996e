/** Text from the prompt, drawn into a picture. */
import type { SKRSContext2D } from '@napi-rs/canvas';
import { css, hex, mix, shade } from './colour.ts';
import { fontOf } from './fonts.ts';
import type { Scene } from './scene.ts';

/** Draws up to four quoted texts of the prompt, large and centred in the upper half. */
export function drawWords(context: SKRSContext2D, scene: Scene, width: number, height: number): void {
  if (scene.words.length === 0) return;
  const lines = scene.words.slice(0, 4);
  context.save();
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  // Measured at a fixed size, then scaled to fit.
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
