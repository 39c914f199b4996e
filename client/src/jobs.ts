/** Lists and reads the user's jobs of all models. */

import type { JobStatus, ListedJob, Page } from './bodies.ts';
import type { CallOptions, Exchange } from './exchange.ts';
import { queryText } from './query-text.ts';
import type { ModelId } from './queue.ts';

/** Filters and the page of a list of jobs. */
export interface JobFilters extends CallOptions {
  readonly model?: ModelId | undefined;
  readonly status?: JobStatus['status'] | undefined;
  readonly externalTaskId?: string | undefined;
  /** Those created since: Unix seconds, or ISO 8601. */
  readonly since?: string | number | undefined;
  /** Default: 20; at most 100. */
  readonly limit?: number | undefined;
  /** The `last_id` of the page before. */
  readonly after?: string | undefined;
}

/** A job whole: its status, and the input that was kept of its creation. */
export type JobRecord = ListedJob & {
  /** Media that came with it stand in it as `file_…` ids. */
  readonly input: Readonly<Record<string, unknown>>;
};

/** One's own jobs, whatever their model. */
export interface Jobs {
  /** The newest first, a page a call. */
  list(options?: JobFilters): Promise<Page<ListedJob>>;
  /** One of them by its id alone. */
  get(requestId: string, options?: CallOptions): Promise<JobRecord>;
}

/** Calls about jobs of all models. */
export function openJobs(ask: Exchange): Jobs {
  return {
    async list({ externalTaskId, signal, ...filters } = {}) {
      const path = `/v1/jobs${queryText({ external_task_id: externalTaskId, ...filters })}`;
      return (await ask({ method: 'GET', path, repeatable: 'read', signal })).body as Page<ListedJob>;
    },
    async get(requestId, { signal } = {}) {
      const path = `/v1/jobs/${encodeURIComponent(requestId)}`;
      return (await ask({ method: 'GET', path, repeatable: 'read', signal })).body as JobRecord;
    },
  };
}
