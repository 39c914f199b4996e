/** The axis of a lane of the timeline: where a moment stands, with long idle times folded. */
import type { Span } from './spans.ts';

/** A stretch in which nothing was recorded, drawn shorter than it was. Shares are of the whole axis. */
export interface Fold {
  readonly left: number;
  readonly width: number;
  readonly ms: number;
}

/** From the first moment to the last. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  /** 0 to 1, for a moment between both. */
  readonly shareOf: (at: number) => number;
  readonly folds: readonly Fold[];
}

/** A gap is folded where it lasts longer than this many times all that happened. */
const foldedTimes = 2;
/** Width of a fold, by all that happened. */
const foldedShare = 0.25;
/** Shorter gaps stay as they are. */
const shortestFoldMs = 1_000;

/** A run of time with its width before all widths are scaled to 1. */
interface Piece {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly isFold: boolean;
}

/** Of at least one span. */
export function axisOf(spans: readonly Span[]): Axis {
  const blocks = busyBlocks(spans);
  // At least 1 ms, so that no bar is divided by zero.
  const busyMs = Math.max(
    1,
    blocks.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const pieces = blocks.flatMap((block, index): readonly Piece[] => {
    const busy = { ...block, width: block.to - block.from, isFold: false };
    const next = blocks[index + 1];
    if (!next) return [busy];
    const gapMs = next.from - block.to;
    const isFold = gapMs > Math.max(shortestFoldMs, foldedTimes * busyMs);
    return [busy, { from: block.to, to: next.from, width: isFold ? foldedShare * busyMs : gapMs, isFold }];
  });
  return placed(pieces);
}

/** Stretches in which at least one span lasts, in order. */
function busyBlocks(spans: readonly Span[]): readonly Pick<Piece, 'from' | 'to'>[] {
  const blocks: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = blocks.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else blocks.push({ from, to });
  }
  return blocks;
}

/** Scales the widths to 1. */
function placed(pieces: readonly Piece[]): Axis {
  const whole = Math.max(
    1,
    pieces.reduce((sum, { width }) => sum + width, 0),
  );
  let left = 0;
  const stops = pieces.map(piece => {
    const stop = { ...piece, left: left / whole, share: piece.width / whole };
    left += piece.width;
    return stop;
  });
  return {
    from: stops[0]?.from ?? 0,
    to: stops.at(-1)?.to ?? 0,
    shareOf(at) {
      const stop = stops.find(({ to }) => at <= to) ?? stops.at(-1);
      if (!stop) return 0;
      const within = stop.to === stop.from ? 0 : (at - stop.from) / (stop.to - stop.from);
      return stop.left + Math.min(1, Math.max(0, within)) * stop.share;
    },
    folds: stops
      .filter(({ isFold }) => isFold)
      .map(({ from, to, left: start, share }) => ({ left: start, width: share, ms: to - from })),
  };
}
