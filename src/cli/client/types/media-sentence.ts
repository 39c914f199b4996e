/** Sentences on the limits of media fields. */

import type { MediaForm, MediaLimits, Range } from '../../../catalog/media.ts';

/** In the order in which a sentence lists them. */
const forms: Readonly<Record<MediaForm, string>> = {
  url: 'a web address',
  'data-url': 'a data URL',
  'raw-base64': 'base64 without a prefix',
};
/** Decisions 7: 1024 × 1024 bytes. */
const megabyte = 1024 * 1024;

/** What a medium may be, in a sentence or two. */
export function mediaSentence(limits: MediaLimits): string {
  const values = [...limits.forms.map(form => forms[form]), 'the id of an uploaded file'];
  const kinds = limits.formats.map(format => format.replace(/^(?:image|video|audio)\//, ''));
  const bounds = [
    kinds.join(', '),
    bytesOf(limits),
    rangeOf('sides', limits.sides, 'px'),
    rangeOf('width by height', limits.ratio, ''),
    rangeOf('pixels', limits.pixels, ''),
    rangeOf('length', limits.seconds, 's'),
    rangeOf('frames per second', limits.fps, ''),
  ].filter(text => text !== '');
  return `${capital(values.join(', ').replace(/, ([^,]*)$/, ' or $1'))}: ${bounds.join('; ')}.`;
}

/** Contract: "under" excludes the figure, "at most" includes it. */
function bytesOf({ maxBytes, maxBytesExclusive }: MediaLimits): string {
  if (maxBytes === undefined) return '';
  return `${maxBytesExclusive ? 'under' : 'at most'} ${maxBytes / megabyte} MB`;
}

/** JSON has no infinity: an upper bound that is null is none. */
function rangeOf(what: string, range: Range | undefined, unit: string): string {
  if (!range) return '';
  const { min, exclusive } = range;
  const max = Number.isFinite(range.max) && range.max !== null ? range.max : null;
  const round = (value: number) => Math.round(value * 10_000) / 10_000;
  const amount = max === null ? `at least ${round(min)}` : `${round(min)} to ${round(max)}`;
  return `${what} ${amount}${unit === '' ? '' : ` ${unit}`}${exclusive ? ', both excluded' : ''}`;
}

/** A sentence begins with a capital letter. */
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
