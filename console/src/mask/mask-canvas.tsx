import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { drawMask, type Operation, type Point } from './operations.ts';
import type { Tools } from './tools.ts';

const colours: Readonly<Record<Tools['tint'], string>> = {
  red: '#ff2d20',
  blue: '#2563ff',
  white: '#ffffff',
};
/** How near to its first corner a click closes a polygon, in pixels of the screen. */
const closingDistance = 12;

interface CanvasParts {
  readonly picture: HTMLImageElement;
  readonly operations: readonly Operation[];
  readonly tools: Tools;
  readonly add: (operation: Operation) => void;
}

/** The picture with the mask over it, which takes strokes and corners. */
export function MaskCanvas({ picture, operations, tools, add }: CanvasParts) {
  const view = useRef<HTMLCanvasElement>(null);
  const [stroke, setStroke] = useState<readonly Point[] | null>(null);
  const [corners, setCorners] = useState<readonly Point[]>([]);
  const [zoom, setZoom] = useState(1);
  const frame = useRef<HTMLDivElement>(null);
  const isMoving = useRef(false);
  const { naturalWidth: width, naturalHeight: height } = picture;
  const erases = tools.tool === 'Eraser';
  const open: readonly Operation[] = stroke
    ? [{ kind: 'stroke', erases, size: tools.size, points: stroke }]
    : [];

  useEffect(() => {
    const canvas = view.current;
    if (canvas) show(canvas, picture, [...operations, ...open], colours[tools.tint], corners);
  });
  useEffect(() => {
    const held = (event: KeyboardEvent) => {
      if (event.code !== 'Space') return;
      isMoving.current = event.type === 'keydown';
      if (frame.current?.contains(document.activeElement)) event.preventDefault();
    };
    document.addEventListener('keydown', held);
    document.addEventListener('keyup', held);
    return () => {
      document.removeEventListener('keydown', held);
      document.removeEventListener('keyup', held);
    };
  }, []);
  useEffect(() => {
    const shown = frame.current;
    // By hand: a listener of React's cannot keep the page from scrolling.
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      setZoom(before => Math.max(1, Math.min(8, before * (event.deltaY < 0 ? 1.2 : 1 / 1.2))));
    };
    shown?.addEventListener('wheel', turn, { passive: false });
    return () => shown?.removeEventListener('wheel', turn);
  }, []);

  const pointOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point => {
    const box = view.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    return { x: ((clientX - box.left) / box.width) * width, y: ((clientY - box.top) / box.height) * height };
  };
  function press(event: PointerEvent<HTMLCanvasElement>) {
    if (isMoving.current || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (tools.tool === 'Polygon') putCorner(pointOf(event));
    else setStroke([pointOf(event)]);
  }
  function move(event: PointerEvent<HTMLCanvasElement>) {
    if (isMoving.current && event.buttons === 1) frame.current?.scrollBy(-event.movementX, -event.movementY);
    if (!stroke) return;
    // A fast hand is told in more points than the page is drawn for.
    const told = event.nativeEvent.getCoalescedEvents?.() ?? [event.nativeEvent];
    setStroke([...stroke, ...told.map(pointOf)]);
  }
  function release() {
    if (stroke) add({ kind: 'stroke', erases, size: tools.size, points: stroke });
    setStroke(null);
  }
  function putCorner(point: Point) {
    const [first] = corners;
    const scale = width / (view.current?.getBoundingClientRect().width ?? width);
    const isClosed = first && Math.hypot(point.x - first.x, point.y - first.y) < closingDistance * scale;
    if (!isClosed) return setCorners([...corners, point]);
    if (corners.length >= 3) add({ kind: 'polygon', points: corners });
    setCorners([]);
  }

  return (
    <div ref={frame} className="mask-frame">
      <canvas
        ref={view}
        width={width}
        height={height}
        tabIndex={0}
        role="img"
        aria-label={`The picture with its mask, ${width} by ${height} pixels`}
        style={{ width: `${zoom * 100}%` }}
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
      />
    </div>
  );
}

function show(
  canvas: HTMLCanvasElement,
  picture: HTMLImageElement,
  operations: readonly Operation[],
  colour: string,
  corners: readonly Point[],
): void {
  const pen = canvas.getContext('2d');
  if (!pen) return;
  const mask = document.createElement('canvas');
  mask.width = canvas.width;
  mask.height = canvas.height;
  drawMask(mask, operations);
  const tint = mask.getContext('2d');
  if (!tint) return;
  tint.globalCompositeOperation = 'source-in';
  tint.fillStyle = colour;
  tint.fillRect(0, 0, mask.width, mask.height);
  pen.globalAlpha = 1;
  pen.drawImage(picture, 0, 0);
  pen.globalAlpha = 0.55;
  pen.drawImage(mask, 0, 0);
  pen.globalAlpha = 1;
  drawCorners(pen, corners, canvas.width / 400);
}

/** A polygon that is not closed yet. */
function drawCorners(pen: CanvasRenderingContext2D, corners: readonly Point[], size: number): void {
  if (corners.length === 0) return;
  pen.strokeStyle = '#fff';
  pen.lineWidth = size;
  pen.beginPath();
  for (const { x, y } of corners) pen.lineTo(x, y);
  pen.stroke();
  pen.fillStyle = '#111';
  for (const { x, y } of corners) {
    pen.beginPath();
    pen.arc(x, y, size * 2, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
}
