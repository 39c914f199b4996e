import type { MediaLimits } from '../api/answers.ts';
import { formatBytes } from '../components/format.ts';

/** What the file endpoint takes, whatever a model would. */
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

const round = (value: number): number => Math.round(value * 100) / 100;

/** Told before a byte is sent; null when it may be tried. */
export function uploadFault(file: File, { formats, maxBytes = mostUploadBytes }: MediaLimits): string | null {
  const most = Math.min(maxBytes, mostUploadBytes);
  if (file.size === 0) return `${file.name} is empty.`;
  if (file.size > most)
    return `${file.name} has ${formatBytes(file.size)}; at most ${formatBytes(most)} can be uploaded.`;
  if (file.type !== '' && !formats.includes(file.type))
    return `${file.name} is ${file.type}; this takes ${formats.map(format => format.split('/')[1]).join(', ')}.`;
  return null;
}
