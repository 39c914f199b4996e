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
  Overview,
  Page,
  Person,
  Session,
  SessionLine,
  Setup,
  UsageReport,
} from './answers.ts';
import { ApiError, callApi, keepCsrfToken, queryOf } from './call-api.ts';

/** How often what is looked at is query for again; TanStack Query stops while the tab is hidden. */
const liveMs = 3_000;

/** Null: nobody is logged in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await callApi<Session>('GET', 'session', { signal });
      keepCsrfToken(session.csrf_token);
      return session;
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 401) return null;
      throw failure;
    }
  },
  staleTime: 5 * 60_000,
});

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => callApi<Setup>('GET', 'setup', { signal }),
});

export const checksQuery = queryOptions({
  queryKey: ['checks'],
  queryFn: ({ signal }) => callApi<Checks>('GET', 'checks', { signal }),
});

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => callApi<Overview>('GET', 'overview', { signal }),
  refetchInterval: liveMs,
});

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => callApi<Page<ModelLine>>('GET', 'models', { signal }),
  staleTime: 60_000,
});

export const modelQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id],
    queryFn: ({ signal }) => callApi<ModelDetail>('GET', `models/${encodeURIComponent(id)}`, { signal }),
    staleTime: 60_000,
  });

export interface JobFilter {
  readonly state?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly q?: string | undefined;
}

export const jobsPage = (filter: JobFilter, after: string | null, signal?: AbortSignal, limit = 50) =>
  callApi<Page<JobLine>>('GET', `jobs${queryOf({ ...filter, after, limit })}`, signal ? { signal } : {});

/** Most jobs end soon after they were made; one that runs for long is looked at as seldom as a list. */
const paceOf = (job: JobLine | undefined): number =>
  job && Date.now() - job.created_at * 1_000 < 10_000 ? 1_000 : liveMs;

const isOver = (job: JobLine | undefined): boolean => job?.completed_at != null;

/** Looked at again until the job ended, and a little longer for its callbacks. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['job', id],
    queryFn: ({ signal }) => callApi<JobDetail>('GET', `jobs/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: query => {
      const job = query.state.data;
      if (!isOver(job)) return query.state.status === 'error' ? false : paceOf(job);
      return job?.deliveries.some(({ state }) => state === 'waiting') ? liveMs : false;
    },
  });

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => callApi<Page<KeyLine>>('GET', 'keys', { signal }),
});

export const filesPage = (source: string, after: string | null, signal: AbortSignal) =>
  callApi<Page<FileLine>>('GET', `files${queryOf({ source, after, limit: 48 })}`, { signal });

export interface DeliveryFilter {
  readonly state?: string | undefined;
  readonly user?: string | undefined;
  readonly job?: string | undefined;
}

export const deliveriesPage = (filter: DeliveryFilter, after: string | null, signal: AbortSignal) =>
  callApi<Page<Delivery>>('GET', `deliveries${queryOf({ ...filter, after, limit: 50 })}`, { signal });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) =>
      callApi<DeliveryDetail>('GET', `deliveries/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: query => (query.state.data?.state === 'waiting' ? liveMs : false),
  });

export const usageQuery = (by: string, from: number) =>
  queryOptions({
    queryKey: ['usage', by, from],
    queryFn: ({ signal }) => callApi<UsageReport>('GET', `usage${queryOf({ by, from })}`, { signal }),
    staleTime: 30_000,
  });

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => callApi<Page<Account>>('GET', 'providers', { signal }),
  refetchInterval: liveMs,
});

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => callApi<Page<Person>>('GET', 'people', { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => callApi<Page<SessionLine>>('GET', 'sessions', { signal }),
});
