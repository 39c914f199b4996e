/** The operations of a mask: what they are, how they are drawn, and what a finished mask becomes. */

/** One step of the editor. A mask is the list of its operations, so undo drops the last one. */
export type Operation =
  | {
      readonly kind: 'stroke';
      readonly erases: boolean;
      readonly size: number;
      readonly points: readonly Point[];
    }
  | { readonly kind: 'polygon'; readonly points: readonly Point[] }
  | { readonly kind: 'invert' };

/** In pixels of the picture, from its top left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A mask as white on nothing, at the size of the picture. */
export function drawMask(canvas: HTMLCanvasElement, operations: readonly Operation[]): void {
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.globalCompositeOperation = 'source-over';
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = pen.strokeStyle = '#fff';
  pen.lineCap = pen.lineJoin = 'round';
  for (const operation of operations) draw(pen, canvas, operation);
}

/** Erasing and inverting work on what the operations before have drawn. */
function draw(pen: CanvasRenderingContext2D, canvas: HTMLCanvasElement, operation: Operation): void {
  switch (operation.kind) {
    case 'invert':
      pen.globalCompositeOperation = 'xor';
      pen.fillRect(0, 0, canvas.width, canvas.height);
      return;
    case 'polygon':
      pen.globalCompositeOperation = 'source-over';
      trace(pen, operation.points);
      pen.fill();
      return;
    case 'stroke':
      pen.globalCompositeOperation = operation.erases ? 'destination-out' : 'source-over';
      pen.lineWidth = operation.size;
      trace(
        pen,
        // A path of one point draws nothing, a path from a point to itself a dot.
        operation.points.length === 1 ? [...operation.points, ...operation.points] : operation.points,
      );
      pen.stroke();
  }
}

/** A path through the points, not closed: `fill` closes it, `stroke` must not. */
function trace(pen: CanvasRenderingContext2D, points: readonly Point[]): void {
  pen.beginPath();
  for (const [index, { x, y }] of points.entries()) {
    if (index === 0) pen.moveTo(x, y);
    else pen.lineTo(x, y);
  }
}

/**
 * A PNG in black and white only: a pixel that is at least half covered is white. Rejects where the browser cannot encode
 * it.
 */
export function asPng(mask: HTMLCanvasElement): Promise<Blob> {
  const sheet = document.createElement('canvas');
  sheet.width = mask.width;
  sheet.height = mask.height;
  const pen = sheet.getContext('2d');
  const source = mask.getContext('2d');
  if (!pen || !source) return Promise.reject(new Error('This browser does not draw.'));
  const pixels = source.getImageData(0, 0, mask.width, mask.height);
  for (let at = 0; at < pixels.data.length; at += 4) {
    const value = (pixels.data[at + 3] ?? 0) >= 128 ? 255 : 0;
    pixels.data[at] = pixels.data[at + 1] = pixels.data[at + 2] = value;
    pixels.data[at + 3] = 255;
  }
  pen.putImageData(pixels, 0, 0);
  return new Promise((resolve, reject) =>
    sheet.toBlob(
      blob => (blob ? resolve(blob) : reject(new Error('The mask could not be written.'))),
      'image/png',
    ),
  );
}

/** Coordinates, where every operation is a polygon; null where anything was painted or inverted. */
export function asAreas(
  operations: readonly Operation[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly { readonly width: number; readonly height: number; readonly points: readonly number[] }[] | null {
  const polygons = operations.flatMap(operation => (operation.kind === 'polygon' ? [operation.points] : []));
  if (polygons.length === 0 || polygons.length < operations.length) return null;
  const inside = ({ x, y }: Point) => [clamp(x, width), clamp(y, height)];
  return polygons.map(points => ({ width, height, points: clockwiseFromCorner(points).flatMap(inside) }));
}

/** Whole pixels within the picture. */
const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, Math.round(value)));

/**
 * Clockwise, and starting with the vertex nearest to the top left corner: the contract asks for one order and does not
 * say which of the two it means, and this one satisfies both.
 */
export function clockwiseFromCorner(points: readonly Point[]): readonly Point[] {
  const turned = areaOf(points) < 0 ? points.toReversed() : points;
  const distances = turned.map(({ x, y }) => x + y);
  const first = distances.indexOf(Math.min(...distances));
  return [...turned.slice(first), ...turned.slice(0, first)];
}

/** Twice its area; below zero where it runs anticlockwise on a screen, whose y grows downwards. */
const areaOf = (points: readonly Point[]): number =>
  points.reduce((sum, { x, y }, index) => {
    const next = points[(index + 1) % points.length] ?? { x, y };
    return sum + x * next.y - next.x * y;
  }, 0);
