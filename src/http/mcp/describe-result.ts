/** The result of a job as text, structured content and links for an MCP client. */

import { z } from 'zod';
import { bodyOf, type GatewayClient } from './gateway-client.ts';
import type { ToolAnswer } from './tool.ts';
import { ToolFailed } from './tool-failed.ts';
import { type JobRef, jobPath } from './wait-for-job.ts';

/** A file of a result. `url` is null where the file was deleted. */
const output = z.looseObject({
  url: z.string().nullable(),
  content_type: z.string(),
  file_name: z.string().optional(),
  file_size: z.number().optional(),
  width: z.number().optional(),
  height: z.number().optional(),
  duration: z.number().optional(),
});
/** A file of a result. */
type Output = z.output<typeof output>;

/** Decisions 4: the keys that every model's result has. */
const coreKeys = {
  request_id: z.string(),
  status: z.literal('COMPLETED'),
  error: z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() }).nullable(),
  model: z.string(),
  external_task_id: z.string().optional(),
  created_at: z.number(),
  started_at: z.number().optional(),
  completed_at: z.number().optional(),
  metrics: z.looseObject({}).optional(),
  duration: z.number().optional(),
  video: output.optional(),
  images: z.array(output).optional(),
  audio: output.optional(),
  watermarked_url: z.string().nullish(),
  last_frame: output.optional(),
};
/** Drops the keys of families. */
const core = z.object(coreKeys);
/** Keeps the keys of families. */
const result = z.looseObject(coreKeys);

/** A longer result is reduced to its core: it may contain sound, written as digits. */
const maxCharacters = 64 * 1024;

/** What became of a job, with a link to each of its files; a job that is not finished is refused. */
export async function describeResult(
  gateway: GatewayClient,
  place: JobRef,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const answered = await gateway.request('GET', jobPath(place, 'response'), { signal });
  if (answered.status === 202) {
    throw new ToolFailed('The job is not finished.', {
      next: 'Next: job_status with wait_seconds 25.',
      structured: { request_id: place.requestId, model: place.model },
    });
  }
  const body = bodyOf(answered, result);
  const structured = JSON.stringify(body).length > maxCharacters ? core.parse(body) : body;
  // Decisions 2: a failed job is answered with 200; to a tool it is an error.
  if (body.error) return { ...failureAnswer(body.error), structured };
  const outputs = [body.video, ...(body.images ?? []), body.audio, body.last_frame].filter(each => !!each);
  const lines = outputs.map(each => `${formatOutput(each)}: ${each.url ?? 'the file was deleted'}`);
  if (body.watermarked_url) lines.push(`with watermark: ${body.watermarked_url}`);
  const kept =
    'The URLs are valid for 24 hours; job_result returns new ones as long as the result is stored.';
  return {
    text: [`COMPLETED ${body.request_id} (${body.model})`, ...lines, kept].join('\n'),
    structured,
    links: outputs.flatMap(linkTo),
  };
}

/** A failed job as the answer of a tool, with what to do next. */
function failureAnswer({ code, message, retryable }: { code: string; message: string; retryable: boolean }) {
  const next = retryable
    ? 'The same may succeed when it is submitted again, under another idempotency_key.'
    : 'The same would fail again: change the input first.';
  return { text: `The job failed (${code}): ${message}\n${next}`, isError: true };
}

/** One line on a file: type, size in pixels, duration. */
function formatOutput({ content_type, width, height, duration }: Output): string {
  const sides = width === undefined || height === undefined ? [] : [`${width}x${height}`];
  const length = duration === undefined ? [] : [`${duration} s`];
  return [content_type, ...sides, ...length].join(', ');
}

/** A link to a file that is not deleted. */
function linkTo({ url, content_type, file_name, file_size }: Output) {
  if (url === null) return [];
  const name = file_name ?? 'last frame';
  const size = file_size !== undefined && { size: file_size };
  return [{ type: 'resource_link' as const, uri: url, name, mimeType: content_type, ...size }];
}
