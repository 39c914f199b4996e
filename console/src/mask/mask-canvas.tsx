/** The canvas of the mask editor: the picture, the tinted mask over it, and the strokes and polygons drawn on it. */
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { drawMask, type Operation, type Point } from './operations.ts';
import type { Tools } from './tools.ts';

/** By tint, on the screen alone. */
const colours: Readonly<Record<Tools['tint'], string>> = {
  red: '#ff2d20',
  blue: '#2563ff',
  white: '#ffffff',
};
/** How near to its first corner a click closes a polygon, in pixels of the screen. */
const closingDistance = 12;
/** Eight pixels of the screen for one of the picture. */
const maxZoom = 8;

/** Controlled: the operations belong to the editor. */
interface CanvasProps {
  readonly picture: HTMLImageElement;
  /** Done so far, in order. */
  readonly operations: readonly Operation[];
  readonly tools: Tools;
  readonly add: (operation: Operation) => void;
}

/** The picture with its mask, to be painted on. A held Space and a drag move it, the wheel zooms. */
export function MaskCanvas({ picture, operations, tools, add }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  // A reference and not state: a key press must not draw the picture anew.
  const isMoving = useSpaceKey(frame);
  const zoom = useWheelZoom(frame);
  const drawing = useDrawing(canvas, picture, tools, add);
  useEffect(() => {
    if (canvas.current)
      show(
        canvas.current,
        picture,
        [...operations, ...drawing.unfinished],
        colours[tools.tint],
        drawing.corners,
      );
  });

  // The capture keeps a stroke going beyond the edge of the canvas.
  function press(event: PointerEvent<HTMLCanvasElement>) {
    if (isMoving.current || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drawing.press(event);
  }
  function move(event: PointerEvent<HTMLCanvasElement>) {
    if (isMoving.current && event.buttons === 1) frame.current?.scrollBy(-event.movementX, -event.movementY);
    drawing.move(event);
  }

  return (
    <div ref={frame} className="mask-frame">
      <canvas
        ref={canvas}
        width={picture.naturalWidth}
        height={picture.naturalHeight}
        tabIndex={0}
        role="img"
        aria-label={`The picture with its mask, ${picture.naturalWidth} by ${picture.naturalHeight} pixels`}
        // All of the picture is seen before it is zoomed: neither wider nor taller than its frame.
        style={{ width: `calc(min(100%, 58vh * ${picture.naturalWidth / picture.naturalHeight}) * ${zoom})` }}
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={drawing.release}
        onPointerCancel={drawing.release}
      />
    </div>
  );
}

/** The stroke or the polygon that is being drawn; a finished one goes to `add`. */
function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  picture: HTMLImageElement,
  tools: Tools,
  add: CanvasProps['add'],
) {
  const [stroke, setStroke] = useState<readonly Point[] | null>(null);
  const [corners, setCorners] = useState<readonly Point[]>([]);
  const strokeOf = (points: readonly Point[]): Operation => ({
    kind: 'stroke',
    erases: tools.tool === 'Eraser',
    size: tools.size,
    points,
  });
  /** From pixels of the screen to pixels of the picture. */
  const pointOf = ({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point => {
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return { x: 0, y: 0 };
    return {
      x: ((clientX - box.left) / box.width) * picture.naturalWidth,
      y: ((clientY - box.top) / box.height) * picture.naturalHeight,
    };
  };
  // Distances are compared in pixels of the picture, whatever the zoom.
  function putCorner(point: Point) {
    const [first] = corners;
    const { naturalWidth: width } = picture;
    const scale = width / (canvas.current?.getBoundingClientRect().width ?? width);
    const isClosed = first && Math.hypot(point.x - first.x, point.y - first.y) < closingDistance * scale;
    if (!isClosed) return setCorners([...corners, point]);
    // Contract 2.3: at least three points; a line is no area.
    if (corners.length >= 3) add({ kind: 'polygon', points: corners });
    setCorners([]);
  }
  return {
    /** The stroke that is being drawn, if there is one. */
    unfinished: stroke ? [strokeOf(stroke)] : [],
    /** Of the polygon that is not closed yet. */
    corners,
    press: (event: PointerEvent) => {
      if (tools.tool === 'Polygon') putCorner(pointOf(event));
      else setStroke([pointOf(event)]);
    },
    move: (event: PointerEvent) => {
      if (!stroke) return;
      // A fast pointer has more points than frames: the browser lists those between two frames.
      const events = event.nativeEvent.getCoalescedEvents?.() ?? [event.nativeEvent];
      setStroke([...stroke, ...events.map(pointOf)]);
    },
    release: () => {
      if (stroke) add(strokeOf(stroke));
      setStroke(null);
    },
  };
}

/** Whether Space is pressed; over the canvas it does not scroll the page. */
function useSpaceKey(frame: RefObject<HTMLElement | null>) {
  const isPressed = useRef(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.code !== 'Space') return;
      isPressed.current = event.type === 'keydown';
      if (frame.current?.contains(document.activeElement)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('keyup', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('keyup', onKey);
    };
  }, [frame]);
  return isPressed;
}

/** The zoom that the wheel has chosen, 1 to `maxZoom`. */
function useWheelZoom(frame: RefObject<HTMLElement | null>): number {
  const [zoom, setZoom] = useState(1);
  useEffect(() => {
    const shown = frame.current;
    // Not by `onWheel`: React listens passively, and a passive listener cannot keep the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      setZoom(before => Math.max(1, Math.min(maxZoom, before * (event.deltaY < 0 ? 1.2 : 1 / 1.2))));
    };
    shown?.addEventListener('wheel', onWheel, { passive: false });
    return () => shown?.removeEventListener('wheel', onWheel);
  }, [frame]);
  return zoom;
}

/** Draws the picture and, half transparent over it, the mask in its tint. */
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
  // Colours what is painted and leaves the rest transparent.
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
