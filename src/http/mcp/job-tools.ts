/** MCP tools for jobs: submit, status, result, cancel, generate. */

import { z } from 'zod';
import { idempotencyKey, inputOfModel, jsonOf, modelId, requestId } from './arguments.ts';
import { describeResult } from './describe-result.ts';
import { bodyOf, type GatewayClient } from './gateway-client.ts';
import { defineTool, type ToolAnswer } from './tool.ts';
import { ToolFailed } from './tool-failed.ts';
import { findJobRef, formatStatus, type JobRef, jobPath, waitForJob } from './wait-for-job.ts';

/** What callers are advised to wait between two polls. */
const pollAfterMs = 5_000;
/** A tool call is a request that is held open, and proxies close those that stay silent for long. */
const maxWaitSeconds = 25;
/** Many callers give up after a minute. */
const generateWithinSeconds = 50;

/** Arguments of the tools that create a job. */
const creation = z.strictObject({
  model: modelId,
  input: inputOfModel,
  idempotency_key: idempotencyKey,
});
/** What the tools read of a handle (Contract 2.1). */
const handle = z.looseObject({ request_id: z.string(), queue_position: z.number() });

/** Creates a job with the given idempotency key. */
async function submit(
  gateway: GatewayClient,
  { model, input, idempotency_key }: z.output<typeof creation>,
  signal: AbortSignal,
) {
  const answered = await gateway.request('POST', `/v1/queue/${encodeURIComponent(model)}`, {
    body: jsonOf(input),
    headers: idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key },
    signal,
  });
  return bodyOf(answered, handle);
}

/** Creates a job and returns at once. */
export const submitJob = defineTool({
  name: 'submit_job',
  title: 'Submit a job',
  description:
    'Creates a job of a model and returns at once with its request_id. The job may cost money; give an idempotency_key, so that a repeated call makes no second one.',
  input: creation,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run(given, { gateway }, { signal }) {
    const { request_id, queue_position } = await submit(gateway, given, signal);
    return {
      text: `Accepted as ${request_id}; ${queue_position} before it.\nNext: job_status with this request_id and wait_seconds ${maxWaitSeconds}.`,
      structured: { request_id, model: given.model, queue_position, poll_after_ms: pollAfterMs },
    };
  },
});

/** Reads the status, and can wait for the end. */
export const jobStatus = defineTool({
  name: 'job_status',
  title: 'Status of a job',
  description: `Returns the status of a job: IN_QUEUE, IN_PROGRESS or COMPLETED. With wait_seconds (at most ${maxWaitSeconds}) it answers once the job is COMPLETED or the time is over.`,
  input: z.strictObject({
    request_id: requestId,
    wait_seconds: z.int().min(0).max(maxWaitSeconds).default(0).describe('How long to wait for the end.'),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ request_id, wait_seconds }, { gateway }, call) {
    const place = await findJobRef(gateway, request_id, call.signal);
    const status = await waitForJob(gateway, place, { ...call, waitSeconds: wait_seconds });
    return statusAnswer(place, status);
  },
});

/** Reads the result. */
export const jobResult = defineTool({
  name: 'job_result',
  title: 'Result of a job',
  description: 'Gives the result of a COMPLETED job, with fresh URLs of its files, or why it failed.',
  input: z.strictObject({ request_id: requestId }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run({ request_id }, { gateway }, { signal }) {
    return describeResult(gateway, await findJobRef(gateway, request_id, signal), signal);
  },
});

/** Decisions 2, cancel: the three answers. */
const cancellation = z.looseObject({
  status: z.enum(['OK', 'CANCELLATION_REQUESTED', 'ALREADY_COMPLETED']),
  request_id: z.string(),
});

/** Cancels a job. */
export const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Cancels a waiting job, and requests a running one to stop. Costs until then are not refunded.',
  input: z.strictObject({ request_id: requestId }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  async run({ request_id }, { gateway }, { signal }) {
    const place = await findJobRef(gateway, request_id, signal);
    const answered = await gateway.request('PUT', jobPath(place, 'cancel'), { signal });
    // Its 400 says how the job stands, like the other two answers.
    const cancelled = cancellation.safeParse(answered.body).data ?? bodyOf(answered, cancellation);
    return { text: cancelledText[cancelled.status], structured: cancelled };
  },
});

const cancelledText = {
  OK: 'The job was queued and is cancelled.',
  CANCELLATION_REQUESTED:
    'The job is running and was requested to stop.\nNext: job_status returns when it ended; it may still complete successfully.',
  ALREADY_COMPLETED: 'The job was COMPLETED before.\nNext: job_result returns its result.',
} as const;

/** Creates a job and waits for its result. */
export const generate = defineTool({
  name: 'generate',
  title: 'Submit a job and wait for it',
  description: `Creates a job and waits up to ${generateWithinSeconds} seconds for its result. A job that takes longer continues, and the answer has its request_id for job_status. It may cost money, like submit_job.`,
  input: creation,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  async run(given, { gateway }, call) {
    const { request_id } = await submit(gateway, given, call.signal);
    const place = { model: given.model, requestId: request_id };
    try {
      await call.progress(0, `Accepted as ${request_id}`);
      const status = await waitForJob(gateway, place, { ...call, waitSeconds: generateWithinSeconds });
      if (status.status !== 'COMPLETED') return statusAnswer(place, status);
      return await describeResult(gateway, place, call.signal);
    } catch (failure) {
      // The job is kept, whatever happened to the wait: its id must not be lost with it.
      if (failure instanceof ToolFailed) return lostWaitAnswer(place, failure);
      throw failure;
    }
  },
});

/** A status as text and structured content, with the next tool to call. */
function statusAnswer({ model, requestId }: JobRef, status: Parameters<typeof formatStatus>[0]): ToolAnswer {
  const isFinal = status.status === 'COMPLETED';
  const next = isFinal
    ? 'Next: job_result.'
    : `Next: job_status with request_id ${requestId} and wait_seconds ${maxWaitSeconds}.`;
  return {
    text: `${formatStatus(status)}\n${next}`,
    structured: { ...status, model, ...(!isFinal && { poll_after_ms: pollAfterMs }) },
  };
}

/** The job exists although waiting for it failed: its id is the answer. */
const lostWaitAnswer = ({ model, requestId }: JobRef, { message }: ToolFailed): ToolAnswer => ({
  text: `The job ${requestId} was accepted and goes on, but waiting for it failed: ${message}\nNext: job_status with this request_id. Do not submit it again.`,
  structured: { request_id: requestId, model, poll_after_ms: pollAfterMs },
});
