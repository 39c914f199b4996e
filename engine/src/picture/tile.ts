/** Seamless tiles: a picture that continues at its opposite edges. */
import { type Canvas, createCanvas, ImageData } from '@napi-rs/canvas';
import type { Size } from '../size.ts';

/** Share that is drawn in addition: over it the far end is blended into the near one. */
const overlap = 0.3;

/** The size to draw at, for `wrapEdges` to cut a tile of the given size from it. */
export const sizeToWrap = ({ width, height }: Size): Size => ({
  width: width + Math.round(width * overlap),
  height: height + Math.round(height * overlap),
});

/** Cuts the larger picture to the size and blends its overhang into the opposite edges. */
export function wrapEdges(larger: Canvas, { width, height }: Size): Canvas {
  const from = larger.getContext('2d').getImageData(0, 0, larger.width, larger.height).data;
  const right = larger.width - width;
  const below = larger.height - height;
  const target = new ImageData(width, height);
  for (let y = 0; y < height; y++) {
    const fromBelow = farShare(y, below);
    for (let x = 0; x < width; x++) {
      const fromRight = farShare(x, right);
      for (let part = 0; part < 4; part++) {
        // Up to four pixels are blended: here, right, below, and both.
        const at = (column: number, row: number) => from[(row * larger.width + column) * 4 + part]!;
        let value = at(x, y) * (1 - fromRight);
        if (fromRight > 0) value += at(x + width, y) * fromRight;
        if (fromBelow > 0) {
          let low = at(x, y + height) * (1 - fromRight);
          if (fromRight > 0) low += at(x + width, y + height) * fromRight;
          value += (low - value) * fromBelow;
        }
        target.data[(y * width + x) * 4 + part] = value;
      }
    }
  }
  const canvas = createCanvas(width, height);
  canvas.getContext('2d').putImageData(target, 0, 0);
  return canvas;
}

/** Weight of the overhang: 1 at the edge, where its pixel continues the opposite side, 0 beyond `reach`. */
function farShare(at: number, reach: number): number {
  if (at >= reach) return 0;
  const share = 1 - at / reach;
  return share * share * (3 - 2 * share);
}
