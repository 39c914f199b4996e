/** Edits a source video: its frames in the light, weather and look of a prompt. */
import { type Canvas, createCanvas, ImageData, type SKRSContext2D } from '@napi-rs/canvas';
import { prepareAir, viewAt } from '../paint/paint-scene.ts';
import type { Scene } from '../paint/scene.ts';
import { regrade } from '../picture/draw-picture.ts';
import type { Size } from '../size.ts';
import { openFrames } from './source-video.ts';
import { type Span, shareOf, type Take } from './takes.ts';

/** Levels of each colour in a drawn look. */
const levels = 6;
/** Words that choose a look. */
const looks = {
  drawn: /anime|cartoon|comic|illustration|drawing|pixar|动漫|卡通|漫画|插画/i,
  glowing: /dream|glow|neon|fairy|magic|bloom|梦|魔法|霓虹/i,
  old: /vintage|sepia|retro|old film|1920s|复古|怀旧/i,
  grey: /black and white|monochrome|grayscale|noir|黑白|单色/i,
} as const;

/** The name of a look. */
type Look = keyof typeof looks;

/** A take of the source's frames at their original times; its last frame stays when the source ends early. */
export async function editTake(
  path: string,
  scene: Scene,
  prompt: string,
  span: Span,
  size: Size,
): Promise<Take> {
  const reader = await openFrames(path, { fps: span.fps, size, pixels: 'rgba' });
  const air = prepareAir(scene, size.width, size.height);
  // A prompt may name several; they are applied in the order of the list.
  const look = (Object.keys(looks) as Look[]).filter(name => looks[name].test(prompt));
  let frame = await reader.next();
  let read = 0;
  return {
    scene,
    from: span.from,
    to: span.to,
    async draw(canvas, at) {
      const frameIndex = Math.round((at - span.from) * span.fps);
      // A source that is shorter than the film keeps its last frame.
      for (; read < frameIndex && frame !== undefined; read++) {
        const next = await reader.next();
        if (next === undefined) break;
        frame = next;
      }
      if (frame === undefined) return;
      const context = canvas.getContext('2d');
      const pixels = new Uint8ClampedArray(frame);
      if (look.includes('drawn')) posterize(pixels);
      context.putImageData(new ImageData(pixels, size.width, size.height), 0, 0);
      regrade(context, scene, size.width, size.height, 0.4);
      for (const name of look) restyle(context, canvas, name);
      air(viewAt(context, size.width, size.height, at - span.from, shareOf(span, at)));
    },
    close: () => reader.close(),
  };
}

/** Reduces each colour to a few levels, mixed with a little of the original. */
function posterize(pixels: Uint8ClampedArray): void {
  const table = Uint8Array.from({ length: 256 }, (_, value) => {
    const level = Math.round((value / 255) * (levels - 1));
    return Math.round((level / (levels - 1)) * 255 * 0.8 + value * 0.2);
  });
  for (let i = 0; i < pixels.length; i++) if (i % 4 !== 3) pixels[i] = table[pixels[i]!]!;
}

/** Blends one look over the whole canvas. */
function restyle(context: SKRSContext2D, canvas: Canvas, look: Look): void {
  const { width, height } = canvas;
  context.save();
  switch (look) {
    case 'grey':
      context.globalCompositeOperation = 'saturation';
      context.fillStyle = '#808080';
      context.fillRect(0, 0, width, height);
      break;
    case 'old':
      context.globalCompositeOperation = 'color';
      context.globalAlpha = 0.75;
      context.fillStyle = '#a98252';
      context.fillRect(0, 0, width, height);
      break;
    case 'glowing': {
      // Shrinking and stretching blurs far more cheaply than a filter.
      const small = createCanvas(Math.ceil(width / 8), Math.ceil(height / 8));
      small.getContext('2d').drawImage(canvas, 0, 0, small.width, small.height);
      context.globalCompositeOperation = 'screen';
      context.globalAlpha = 0.4;
      context.imageSmoothingQuality = 'high';
      context.drawImage(small, 0, 0, width, height);
      break;
    }
    case 'drawn':
      context.globalCompositeOperation = 'saturation';
      context.globalAlpha = 0.3;
      context.fillStyle = '#ff4000';
      context.fillRect(0, 0, width, height);
      break;
    default: {
      const impossible: never = look;
      throw new Error(`expected a known look, got ${JSON.stringify(impossible)}`);
    }
  }
  context.restore();
}
