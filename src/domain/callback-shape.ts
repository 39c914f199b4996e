/**
 * Which protocol's body a callback has. It stands in the fragment of the stored address, which HTTP never sends
 * (RFC 9110, 7.1), so that the job and each of its deliveries carry it without a column.
 */
import type { JobStatus } from './job.ts';

/** Notices of Replicate; we have none of `output` and `logs` before the end. */
export const replicateEvents = ['start', 'output', 'logs', 'completed'] as const;
export type ReplicateEvent = (typeof replicateEvents)[number];

/** The body of our own protocol, or that of a mount. */
export type CallbackShape =
  | { readonly of: 'atelier' }
  | { readonly of: 'fal' }
  | { readonly of: 'openai' }
  | { readonly of: 'replicate'; readonly events: readonly ReplicateEvent[] };

const mark = '#atelier-callback=';

/** The address with its shape; a fragment of the client's own is dropped, as every sender drops it. */
export function markCallbackUrl(url: string, shape: CallbackShape): string {
  const bare = url.split('#', 1)[0]!;
  switch (shape.of) {
    case 'atelier':
      return bare;
    case 'fal':
    case 'openai':
      return `${bare}${mark}${shape.of}`;
    case 'replicate':
      return `${bare}${mark}${['replicate', ...shape.events].join(',')}`;
  }
}

/** The address as the client gave it, and as it is called. */
export const withoutCallbackMark = (url: string): string => url.split(mark, 1)[0]!;

/** Every address without a mark has our own shape. */
export function callbackShapeOf(url: string): CallbackShape {
  const at = url.indexOf(mark);
  const [of, ...events] = at === -1 ? [] : url.slice(at + mark.length).split(',');
  if (of === 'fal' || of === 'openai') return { of };
  if (of === 'replicate') return { of, events: replicateEvents.filter(event => events.includes(event)) };
  return { of: 'atelier' };
}

/** Whether a client of that shape is to be notified of that status. */
export function wantsNotice(shape: CallbackShape, status: Exclude<JobStatus, 'IN_QUEUE'>): boolean {
  switch (shape.of) {
    case 'atelier':
      return true;
    case 'fal':
    case 'openai':
      return status === 'COMPLETED';
    case 'replicate': {
      const wanted: readonly ReplicateEvent[] = status === 'COMPLETED' ? ['completed', 'output'] : ['start'];
      return wanted.some(event => shape.events.includes(event));
    }
  }
}
