/** The limits of a media field as text, and the check of a file before its upload. */
import type { FileLine } from '../api/answers.ts';
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

/** Why a stored file does not fit the field, as far as its line says; null where nothing speaks against it. */
export function storedFileFault(
  { mime_type, bytes, dimensions }: Pick<FileLine, 'mime_type' | 'bytes' | 'dimensions'>,
  { formats, otherFormats, maxBytes, sides, ratio }: MediaLimits,
): string | null {
  if (!otherFormats && !formats.includes(mime_type))
    return `not ${formats.map(format => format.split('/')[1]).join(', ')}`;
  if (maxBytes !== undefined && bytes > maxBytes) return `over ${formatBytes(maxBytes)}`;
  if (dimensions === null) return null;
  const { width, height } = dimensions;
  if (sides?.min != null && Math.min(width, height) < sides.min) return `a side under ${sides.min} px`;
  if (sides?.max != null && Math.max(width, height) > sides.max) return `a side over ${sides.max} px`;
  if (ratio && (width / height < ratio.min || width / height > ratio.max))
    return `ratio not ${round(ratio.min)} to ${round(ratio.max)}`;
  return null;
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
