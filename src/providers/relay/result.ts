/** The result of a job at another gateway, as its response body names it. */

import { z } from 'zod';
import type { JobErrorCode } from '../../domain/job.ts';
import type { PollResult, ProducedFile, Production, ProviderError } from '../../domain/provider.ts';
import { type ErrorTable, unreadableError } from '../kit/error-table.ts';
import { unreachable } from '../kit/poll.ts';
import { fileAt, lenient, readResults, readSuccess, resultUrl } from '../kit/read-success.ts';
import type { UpstreamReply } from '../kit/upstream.ts';

/** A file of a result. A type that is absent is read from the fetched bytes. */
const link = z.object({ url: resultUrl, content_type: z.string().catch('application/octet-stream') });
/** With its place among the pictures of the job. */
const picture = link.extend({ index: lenient(z.int().min(0)) });
/** With the figures that raw sound needs: Hz, and how many channels. */
const sound = link.extend({ sample_rate: lenient(z.int()), channels: lenient(z.int()) });
/** The result body of that gateway, whatever the family. */
const result = z.object({
  request_id: lenient(z.string()),
  error: z.object({ code: z.string(), message: lenient(z.string()) }).nullish(),
  video: z.unknown().optional(),
  images: z.unknown().optional(),
  audio: z.unknown().optional(),
  watermarked_url: lenient(z.string()),
  last_frame: lenient(link),
  image_url: lenient(z.string()),
  seed: lenient(z.int()),
  data: lenient(z.object({ subtitle_file: lenient(z.string()) })),
  extra_info: lenient(z.object({ bitrate: lenient(z.int()), word_count: lenient(z.int()) })),
  creations: lenient(z.array(z.object({ id: lenient(z.string()), cover_url: lenient(z.string()) }))),
});
type Result = z.output<typeof result>;

/** Reads the response body of a completed job: its files, or how it failed. */
export function readResult(reply: UpstreamReply, id: string, errors: ErrorTable): PollResult {
  if (reply.kind !== 'answered') return unreachable(reply);
  // HTML, an error, or an answer about another job says nothing of the result, which is requested again.
  if (reply.status !== 200 || reply.json === undefined) return unreachable(reply);
  const body = result.safeParse(reply.json).data;
  if (!body) return { kind: 'unreadable', error: unreadableError(reply) };
  if (body.request_id !== undefined && body.request_id !== id)
    return unreachable(reply, 'the upstream answered about another job');
  if (body.error) return { kind: 'failed', error: failureOf(body.error) };
  return readSuccess(reply, productionOf(body), errors);
}

/** Error codes that mean the same here; any other error of that gateway is a failed run to our client. */
const passedThroughCodes: readonly JobErrorCode[] = [
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
  'response_too_large',
  'submission_uncertain',
  'provider_unavailable',
];

/** The error of a failed job; the upstream's code and message are kept for the operator. */
function failureOf({ code, message = '' }: NonNullable<Result['error']>): ProviderError {
  return {
    code: passedThroughCodes.find(known => known === code) ?? 'runtime_error',
    message: message.replace(/^Runtime execution failed: /, '') || 'the upstream failed',
    retry: false,
    upstream: { code, message },
  };
}

/** The files and figures of a completed job. */
function productionOf(body: Result) {
  const videos = readResults(body.video, link);
  const images = readResults(body.images, picture);
  const sounds = readResults(body.audio, sound);
  const { seed } = body;
  const { bitrate, word_count: words } = body.extra_info ?? {};
  const production: Production = {
    files: [
      ...videos.items.slice(0, 1).map(video => videoFile(video, body)),
      ...images.items.map((image, place) => linkedFile(image, { index: image.index ?? place })),
      ...sounds.items.slice(0, 1).map(soundFile),
      ...companionsOf(body),
    ],
    ...(seed !== undefined && { seed }),
    ...(bitrate !== undefined && { bitrate }),
    ...(words !== undefined && { words }),
  };
  return { production, isWhole: videos.isWhole && images.isWhole && sounds.isWhole };
}

/** Of the type that the gateway names. */
const linkedFile = (
  { url, content_type: mimeType }: z.output<typeof link>,
  more: Pick<Partial<ProducedFile>, 'role' | 'index'> = {},
): ProducedFile => fileAt(url, { mimeType, ...more });

/** With the id by which later jobs refer to it: the creation's, else the file id in its signed address. */
function videoFile(video: z.output<typeof link>, { creations }: Result): ProducedFile {
  const upstreamId = creations?.[0]?.id ?? fileIdIn(video.url);
  return { ...linkedFile(video), ...(upstreamId && { upstreamId }) };
}

/** Raw sound needs its figures, because it has no header. */
function soundFile(audio: z.output<typeof sound>): ProducedFile {
  const pcm = pcmOf(audio);
  return { ...linkedFile(audio), ...(pcm && { pcm }) };
}

/** The files beside the result itself, where there are: watermarked copy, last frame, grid, subtitles, cover. */
function companionsOf({ watermarked_url, last_frame, image_url, data, creations }: Result) {
  const subtitles = data?.subtitle_file;
  const cover = creations?.[0]?.cover_url;
  return [
    watermarked_url !== undefined && fileAt(watermarked_url, { role: 'watermarked' }),
    last_frame !== undefined && linkedFile(last_frame, { role: 'last_frame' }),
    image_url !== undefined && fileAt(image_url, { role: 'grid' }),
    subtitles && fileAt(subtitles, { role: 'subtitle', mimeType: 'application/json' }),
    cover !== undefined && fileAt(cover, { role: 'cover' }),
  ].filter(file => typeof file === 'object');
}

/** The file id in a signed address of a gateway. */
const fileIdIn = (url: string): string | undefined => /\/v1\/f\/(file_[0-9A-Za-z]{24})\//.exec(url)?.[1];

/** The figures of raw sound; undefined for any other type. */
const pcmOf = ({ content_type, sample_rate: sampleRate, channels }: z.output<typeof sound>) =>
  /pcm|l16/i.test(content_type) && sampleRate !== undefined
    ? { sampleRate, channels: channels ?? 1 }
    : undefined;
