/** The limits of a media field as text, and the check of a file before its upload. */
import type { MediaLimits } from '../api/input-schema.ts';
import { formatBytes } from '../components/format.ts';

/** The limit of the upload endpoint, for every model. */
const mostUploadBytes = 40 * 1024 * 1024;

/** "png, jpeg · at most 50 MB · sides 300 to 6000 px". */
export function describeLimits({ formats, maxBytes, sides, ratio, seconds }: MediaLimits): string {
  const names = formats.map(format => format.split('/')[1]?.replace('quicktime', 'mov')).join(', ');
  return [
    names,
    maxBytes !== undefined && `at most ${formatBytes(Math.min(maxBytes, mostUploadBytes))}`,
    sides &&
      (sides.max === null ? `sides from ${sides.min} px` : `sides ${sides.min ?? 1} to ${sides.max} px`),
    ratio && `ratio ${round(ratio.min)} to ${round(ratio.max)}`,
    seconds && `${seconds.min} to ${seconds.max} s`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Two digits behind the point are enough for a person. */
const round = (value: number): number => Math.round(value * 100) / 100;

/** Why a file would be refused, known before a byte is sent; null where it may be uploaded. */
export function uploadFault(file: File, { formats, maxBytes = mostUploadBytes }: MediaLimits): string | null {
  const most = Math.min(maxBytes, mostUploadBytes);
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size > most)
    return `${file.name} has ${formatBytes(file.size)}; at most ${formatBytes(most)} can be uploaded.`;
  if (file.type !== '' && !formats.includes(file.type))
    return `${file.name} is ${file.type}; this takes ${formats.map(format => format.split('/')[1]).join(', ')}.`;
  return null;
}
