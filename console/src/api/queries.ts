/** The queries of TanStack Query: what is loaded, under which cache key, and how often it is refreshed. */
import { queryOptions } from '@tanstack/react-query';
import type {
  Account,
  Checks,
  Delivery,
  DeliveryDetail,
  FileLine,
  JobDetail,
  JobLine,
  KeyLine,
  ModelDetail,
  ModelLine,
  MoneyEntry,
  Overview,
  Page,
  Person,
  PriceBook,
  ProjectLine,
  Session,
  SessionLine,
  Setup,
  SpendBody,
  UsageReport,
} from './answers.ts';
import { ApiError, callApi, keepCsrfToken, queryOf } from './call-api.ts';

/** How often a visible page refreshes; TanStack Query pauses it while the tab is hidden. */
const liveMs = 3_000;

/** Who is logged in; null without a session. Every answer renews the CSRF token. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await callApi<Session>('GET', 'session', { signal });
      keepCsrfToken(session.csrf_token);
      return session;
    } catch (failure) {
      // No session is an answer here, not a failure.
      if (failure instanceof ApiError && failure.status === 401) return null;
      throw failure;
    }
  },
  staleTime: 5 * 60_000,
});

/** Whether the first account can still be created. Answered without a session. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => callApi<Setup>('GET', 'setup', { signal }),
});

/** The checks of the setup; the gateway writes and reads a file for them, so they are never refreshed. */
export const checksQuery = queryOptions({
  queryKey: ['checks'],
  queryFn: ({ signal }) => callApi<Checks>('GET', 'checks', { signal }),
});

/** Everything of the home page, in one request. */
export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => callApi<Overview>('GET', 'overview', { signal }),
  refetchInterval: liveMs,
});

/** The models that are served; they change with a reload of the settings only. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => callApi<Page<ModelLine>>('GET', 'models', { signal }),
  staleTime: 60_000,
});

/** One model with its schema, rules and examples. */
export const modelQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id],
    queryFn: ({ signal }) => callApi<ModelDetail>('GET', `models/${encodeURIComponent(id)}`, { signal }),
    staleTime: 60_000,
  });

/** The filter of the list of jobs, as it is written in the address of the page. */
export interface JobFilter {
  /** A state, or `unfinished`, or `problem` (failed or cancelled). */
  readonly state?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  /** Any id: of a request, an external task, a file, a key. */
  readonly q?: string | undefined;
}

/** A page of jobs, the newest first; `after` is the cursor of the page before. */
export const jobsPage = (filter: JobFilter, after: string | null, signal?: AbortSignal, limit = 50) =>
  callApi<Page<JobLine>>('GET', `jobs${queryOf({ ...filter, after, limit })}`, signal ? { signal } : {});

/** A young job is polled every second, since most end soon; an old one as seldom as a list. */
const pollMsOf = (job: JobLine | undefined): number =>
  job && Date.now() - job.created_at * 1_000 < 10_000 ? 1_000 : liveMs;

/** A job that is not loaded yet is not over. */
const isOver = (job: JobLine | undefined): boolean => job?.completed_at != null;

/** One job. Refreshed until it has ended, and then until its callbacks have. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['job', id],
    queryFn: ({ signal }) => callApi<JobDetail>('GET', `jobs/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: query => {
      const job = query.state.data;
      if (!isOver(job)) return query.state.status === 'error' ? false : pollMsOf(job);
      return job?.deliveries.some(({ state }) => state === 'waiting') ? liveMs : false;
    },
  });

/** Every key, without its secret. */
export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => callApi<Page<KeyLine>>('GET', 'keys', { signal }),
});

/** The filter of a list of files; an absent or empty member filters nothing. */
export interface FileFilter {
  readonly source?: string;
  readonly kind?: string;
  readonly user?: string;
  /** Letters of the file name. */
  readonly q?: string;
}

/** A page of files, the newest first. */
export const filesPage = (filter: FileFilter, after: string | null, signal: AbortSignal) =>
  callApi<Page<FileLine>>('GET', `files${queryOf({ ...filter, after, limit: 48 })}`, { signal });

/** The filter of the list of callbacks; `job` is a request id. */
export interface DeliveryFilter {
  readonly state?: string | undefined;
  readonly user?: string | undefined;
  readonly job?: string | undefined;
}

/** A page of callbacks, the newest first. */
export const deliveriesPage = (filter: DeliveryFilter, after: string | null, signal: AbortSignal) =>
  callApi<Page<Delivery>>('GET', `deliveries${queryOf({ ...filter, after, limit: 50 })}`, { signal });

/** One callback with its attempts. Refreshed until it is delivered or has failed. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) =>
      callApi<DeliveryDetail>('GET', `deliveries/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: query => (query.state.data?.state === 'waiting' ? liveMs : false),
  });

/** Usage since `from` (Unix seconds), broken down by model, key or user. */
export const usageQuery = (by: string, from: number) =>
  queryOptions({
    queryKey: ['usage', by, from],
    queryFn: ({ signal }) => callApi<UsageReport>('GET', `usage${queryOf({ by, from })}`, { signal }),
    staleTime: 30_000,
  });

/** Every project with its balance. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => callApi<Page<ProjectLine>>('GET', 'projects', { signal }),
  refetchInterval: liveMs,
});

/** A page of the journal, the oldest entry first; an empty `account` means every account. */
export const entriesPage = (account: string, after: string | null, signal: AbortSignal) =>
  callApi<Page<MoneyEntry>>('GET', `money/entries${queryOf({ account, after, limit: 50 })}`, { signal });

/** What jobs were charged since `from` (Unix seconds), by project, key, model, provider, day or tag. */
export const spendQuery = (by: string, from: number) =>
  queryOptions({
    queryKey: ['spend', by, from],
    queryFn: ({ signal }) => callApi<SpendBody>('GET', spendPath(by, from), { signal }),
    staleTime: 30_000,
  });

/** Of the report, relative to the admin API. */
export const spendPath = (by: string, from: number, format?: 'csv'): string =>
  `money/spend${queryOf({ by, from, format })}`;

/** The price book that counts now. */
export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: ({ signal }) => callApi<PriceBook>('GET', 'money/prices', { signal }),
});

/** Accounts with their slots in use. */
export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => callApi<Page<Account>>('GET', 'providers', { signal }),
  refetchInterval: liveMs,
});

/** The people who have an account; for admins. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => callApi<Page<Person>>('GET', 'people', { signal }),
});

/** The sessions of the person who is logged in; an admin's list has everybody's. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => callApi<Page<SessionLine>>('GET', 'sessions', { signal }),
});
