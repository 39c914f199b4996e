/** The notice that programs of OpenAI's Videos API read at the end of a video. */

import { toUnixSeconds } from '../domain/clock.ts';
import type { Job } from '../domain/job.ts';

/**
 * `{"id":"evt_…","object":"event","created_at","type":"video.completed","data":{"id"}}`, as that service documents its
 * webhooks; every other end is `video.failed`. The program retrieves the video by the id.
 */
export const videoEvent = ({ id, state, completedAt, createdAt }: Job) => ({
  id: `evt_${id}`,
  object: 'event',
  created_at: toUnixSeconds(completedAt ?? createdAt),
  type: state === 'completed' ? 'video.completed' : 'video.failed',
  data: { id },
});
