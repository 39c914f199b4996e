/** Checks a probed file against the limits of its field. */

import type { MediaFacts } from '../domain/media.ts';
import type { MediaLimits, Range } from './media.ts';

/** Frame rates of real files are averages: 29.994 counts as 30. */
const fpsSlack = { below: 0.05, above: 0.05 };
/** An encoder pads the last packet of a sound, so that 15 s become 15.02; nothing is ever made shorter. */
const secondsSlack = { below: 0.001, above: 0.05 };

/** Which bound a probed file breaks, as a reason that follows the field's name; null when it keeps them all. */
export function brokenLimit(facts: MediaFacts, limits: MediaLimits): string | null {
  const isOther = limits.otherFormats === true && facts.video !== undefined;
  if (!isOther && !limits.formats.includes(facts.mimeType)) {
    return `must be ${limits.formats.map(format => format.split('/')[1]).join(', ')}, found ${facts.mimeType}`;
  }
  const { width, height } = facts.image ?? facts.video ?? { width: 0, height: 0 };
  const seconds = limits.kind === 'audio' ? facts.audio?.seconds : facts.video?.seconds;
  return (
    brokenBytes(facts.bytes, limits) ??
    brokenRange('width', width, 'px', limits.sides) ??
    brokenRange('height', height, 'px', limits.sides) ??
    brokenRange('width divided by height', width / height, '', limits.ratio) ??
    brokenRange('width times height', width * height, 'px', limits.pixels) ??
    brokenRange('length', seconds ?? 0, 's', limits.seconds, secondsSlack) ??
    brokenRange('frame rate', facts.video?.fps ?? 0, 'fps', limits.fps, fpsSlack)
  );
}

/** The same for the bound of bytes alone, which needs no probe. */
export function brokenBytes(
  bytes: number,
  { maxBytes, maxBytesExclusive }: Pick<MediaLimits, 'maxBytes' | 'maxBytesExclusive'>,
): string | null {
  if (maxBytes === undefined || bytes < maxBytes || (bytes === maxBytes && !maxBytesExclusive)) return null;
  return `must be ${maxBytesExclusive ? 'under' : 'at most'} ${maxBytes / (1024 * 1024)} MB`;
}

/** Why a value is outside a range; null where it is inside, or where there is no range. */
function brokenRange(
  what: string,
  value: number,
  unit: string,
  range: Range | undefined,
  slack = { below: 0, above: 0 },
): string | null {
  if (!range) return null;
  const { min, max = Number.POSITIVE_INFINITY, exclusive } = range;
  const isInside = exclusive
    ? value > min && value < max
    : value >= min - slack.below && value <= max + slack.above;
  if (isInside) return null;
  const bounds = Number.isFinite(max)
    ? `${exclusive ? 'strictly ' : ''}between ${min} and ${max}`
    : `${exclusive ? 'above' : 'at least'} ${min}`;
  return `${what} must be ${bounds}${unit && ` ${unit}`}, found ${Math.round(value * 1000) / 1000}`;
}

/** Whether a length keeps a bound that a rule sets beside the limits of its field. */
export const isAtMostSeconds = (seconds: number, max: number): boolean => seconds <= max + secondsSlack.above;
