import { queryOptions } from '@tanstack/react-query';
import { ask, keepCsrfToken, queryOf, Refused } from './ask.ts';
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
} from './shapes.ts';

/** How often what is looked at is asked for again; TanStack Query stops while the tab is hidden. */
const liveMs = 3_000;

/** Null: nobody is logged in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await ask<Session>('GET', 'session', { signal });
      keepCsrfToken(session.csrf_token);
      return session;
    } catch (failure) {
      if (failure instanceof Refused && failure.status === 401) return null;
      throw failure;
    }
  },
  staleTime: 5 * 60_000,
});

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => ask<Setup>('GET', 'setup', { signal }),
});

export const checksQuery = queryOptions({
  queryKey: ['checks'],
  queryFn: ({ signal }) => ask<Checks>('GET', 'checks', { signal }),
});

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: ({ signal }) => ask<Overview>('GET', 'overview', { signal }),
  refetchInterval: liveMs,
});

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => ask<Page<ModelLine>>('GET', 'models', { signal }),
  staleTime: 60_000,
});

export const modelQuery = (id: string) =>
  queryOptions({
    queryKey: ['models', id],
    queryFn: ({ signal }) => ask<ModelDetail>('GET', `models/${encodeURIComponent(id)}`, { signal }),
    staleTime: 60_000,
  });

export interface JobFilter {
  readonly state?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly q?: string | undefined;
}

export const jobsPage = (filter: JobFilter, after: string | null, signal?: AbortSignal, limit = 50) =>
  ask<Page<JobLine>>('GET', `jobs${queryOf({ ...filter, after, limit })}`, signal ? { signal } : {});

/** Most jobs end soon after they were made; one that runs for long is looked at as seldom as a list. */
const paceOf = (job: JobLine | undefined): number =>
  job && Date.now() - job.created_at * 1_000 < 10_000 ? 1_000 : liveMs;

const isOver = (job: JobLine | undefined): boolean => job?.completed_at != null;

/** Looked at again until the job ended, and a little longer for its callbacks. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['job', id],
    queryFn: ({ signal }) => ask<JobDetail>('GET', `jobs/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: query => {
      const job = query.state.data;
      if (!isOver(job)) return query.state.status === 'error' ? false : paceOf(job);
      return job?.deliveries.some(({ state }) => state === 'waiting') ? liveMs : false;
    },
  });

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => ask<Page<KeyLine>>('GET', 'keys', { signal }),
});

export const filesPage = (source: string, after: string | null, signal: AbortSignal) =>
  ask<Page<FileLine>>('GET', `files${queryOf({ source, after, limit: 48 })}`, { signal });

export interface DeliveryFilter {
  readonly state?: string | undefined;
  readonly user?: string | undefined;
  readonly job?: string | undefined;
}

export const deliveriesPage = (filter: DeliveryFilter, after: string | null, signal: AbortSignal) =>
  ask<Page<Delivery>>('GET', `deliveries${queryOf({ ...filter, after, limit: 50 })}`, { signal });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => ask<DeliveryDetail>('GET', `deliveries/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: query => (query.state.data?.state === 'waiting' ? liveMs : false),
  });

export const usageQuery = (by: string, from: number) =>
  queryOptions({
    queryKey: ['usage', by, from],
    queryFn: ({ signal }) => ask<UsageReport>('GET', `usage${queryOf({ by, from })}`, { signal }),
    staleTime: 30_000,
  });

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => ask<Page<Account>>('GET', 'providers', { signal }),
  refetchInterval: liveMs,
});

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: ({ signal }) => ask<Page<Person>>('GET', 'people', { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => ask<Page<SessionLine>>('GET', 'sessions', { signal }),
});
