/** Waiting for a job over the API, with progress for the MCP client. */

import { z } from 'zod';
import { seconds } from '../../domain/clock.ts';
import { bodyOf, type GatewayClient } from './gateway-client.ts';
import type { ToolCall } from './tool.ts';

/** What the tools read of a status body (decisions 2). */
const statusBody = z.looseObject({
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED']),
  request_id: z.string(),
  queue_position: z.number().optional(),
  progress: z.number().optional(),
});
/** A status, with whatever else it has. */
export type StatusBody = z.output<typeof statusBody>;

/** The job by its id alone: the paths of the queue need its model. */
const ownJob = z.looseObject({ request_id: z.string(), model: z.string() });

/** Which job, as the paths of the queue name it. */
export interface JobRef {
  readonly model: string;
  readonly requestId: string;
}

/** The queue names a job by its model too; a caller has its id alone. */
export async function findJobRef(
  gateway: GatewayClient,
  requestId: string,
  signal: AbortSignal,
): Promise<JobRef> {
  const path = `/v1/jobs/${encodeURIComponent(requestId)}`;
  const { request_id, model } = bodyOf(await gateway.request('GET', path, { signal }), ownJob);
  return { model, requestId: request_id };
}

/** The path of a job below its model. */
export const jobPath = ({ model, requestId }: JobRef, what: 'status' | 'response' | 'cancel'): string =>
  `/v1/queue/${encodeURIComponent(model)}/requests/${encodeURIComponent(requestId)}/${what}`;

/** How long to wait, and how progress is reported. */
export interface WaitOptions extends ToolCall {
  readonly waitSeconds: number;
}

/** How often progress is reported during a wait. */
const pollWaitSeconds = 5;

/** The status once the job is COMPLETED or the time is over; at once where there is none. */
export async function waitForJob(
  gateway: GatewayClient,
  place: JobRef,
  { waitSeconds, signal, progress }: WaitOptions,
): Promise<StatusBody> {
  const path = jobPath(place, 'status');
  const beganAt = performance.now();
  let before: StatusBody['status'] | null = null;
  for (;;) {
    const askedAt = performance.now();
    const pollSeconds = Math.min(pollWaitSeconds, Math.ceil(waitSeconds - (askedAt - beganAt) / seconds));
    const now = bodyOf(await gateway.request('GET', path, { waitSeconds: pollSeconds, signal }), statusBody);
    const answeredAt = performance.now();
    if (now.status === 'COMPLETED' || answeredAt - beganAt >= waitSeconds * seconds) return now;
    // A gateway that stops answers at once: polling on would be polling without a pause.
    const wasHeld = answeredAt - askedAt >= (pollSeconds * seconds) / 2;
    if (now.status === before && !wasHeld) return now;
    before = now.status;
    await progress((answeredAt - beganAt) / seconds, formatStatus(now));
  }
}

/** One line on a status. */
export function formatStatus({ status, queue_position, progress }: StatusBody): string {
  if (status === 'IN_QUEUE' && queue_position !== undefined) return `IN_QUEUE, ${queue_position} before it`;
  if (status === 'IN_PROGRESS' && progress !== undefined)
    return `IN_PROGRESS, ${Math.round(progress * 100)} %`;
  return status;
}
