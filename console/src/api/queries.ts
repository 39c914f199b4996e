/** The queries of TanStack Query: what is loaded, under which cache key, and how often it is refreshed. */
import { queryOptions } from '@tanstack/react-query';
import type {
  Account,
  AccountKindList,
  Checks,
  Delivery,
  DeliveryDetail,
  Endpoint,
  FileLine,
  JobDetail,
  JobLine,
  JobLineage,
  KeyLine,
  Login,
  ModelDetail,
  ModelLine,
  MoneyEntry,
  Overview,
  Page,
  Person,
  PriceBook,
  ProjectLine,
  RefusalGroup,
  Session,
  SessionLine,
  Setup,
  SpendBody,
  TagBudgetLine,
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

/** Ways to log in, and the sentence of a refusal whose code the address has. Answered without a session. */
export const loginQuery = (refused: string | null) =>
  queryOptions({
    queryKey: ['login', refused],
    queryFn: ({ signal }) => callApi<Login>('GET', `login${queryOf({ refused })}`, { signal }),
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
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
  readonly user?: string | undefined;
  readonly project?: string | undefined;
  readonly account?: string | undefined;
  /** The code of an error. */
  readonly error?: string | undefined;
  /** `name` or `name=value`. */
  readonly tag?: string | undefined;
  /** Run times in seconds. */
  readonly min_run?: string | undefined;
  readonly max_run?: string | undefined;
  /** Created in a time until now, such as `24h` or `7d`. */
  readonly within?: string | undefined;
  /** Days of the reader's calendar, both included: `2026-11-23`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Any id, of a request, an external task, a file or a key; or words of the prompt. */
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
}

/** A page of jobs, the newest first; `after` is the cursor of the page before. */
export const jobsPage = (filter: JobFilter, after: string | null, signal?: AbortSignal, limit = 50) =>
  callApi<JobPage>(
    'GET',
    `jobs${queryOf({ ...jobQueryOf(filter), after, limit })}`,
    signal ? { signal } : {},
  );

/** `indexing`: old jobs are still being indexed, and a search by words misses some. */
export interface JobPage extends Page<JobLine> {
  readonly indexing?: boolean;
}

/** The list as CSV, relative to the admin API. */
export const jobsCsvPath = (filter: JobFilter): string => `jobs.csv${queryOf(jobQueryOf(filter))}`;

/** The filter as the admin API takes it: times are Unix seconds there. */
function jobQueryOf({ within, from, to, ...rest }: JobFilter) {
  const [, count = '', unit = ''] = /^(\d+)([hd])$/.exec(within ?? '') ?? [];
  // To the minute, so that the cursor of a page fits the next one.
  const now = Math.floor(Date.now() / 60_000) * 60;
  const since = count === '' ? dayOf(from, 0) : now - Number(count) * (unit === 'h' ? 3_600 : 86_400);
  return { ...rest, from: since, to: dayOf(to, 1) };
}

/** The beginning of a day of the reader's calendar, so many days later; null where there is none. */
function dayOf(day: string | undefined, later: number): number | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  return year === undefined
    ? null
    : new Date(Number(year), Number(month) - 1, Number(date) + later).getTime() / 1_000;
}

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

/** What a job was made from, and what was made from it; renewed whenever its page is opened. */
export const lineageQuery = (id: string) =>
  queryOptions({
    queryKey: ['lineage', id],
    queryFn: ({ signal }) => callApi<JobLineage>('GET', `jobs/${encodeURIComponent(id)}/lineage`, { signal }),
  });

/** Refused requests in groups; empty members do not filter. */
export const refusalsQuery = (filter: {
  readonly hours: string;
  readonly status: string;
  readonly caller: string;
}) =>
  queryOptions({
    queryKey: ['refusals', filter],
    queryFn: ({ signal }) => callApi<Page<RefusalGroup>>('GET', `refusals${queryOf(filter)}`, { signal }),
    refetchInterval: 5_000,
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

/** The receivers of the newest callbacks. */
export const endpointsQuery = queryOptions({
  queryKey: ['deliveries', 'endpoints'],
  queryFn: ({ signal }) => callApi<Page<Endpoint>>('GET', 'webhook-endpoints', { signal }),
  refetchInterval: 10_000,
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

/** Every tag with a budget, and its balance. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: ({ signal }) => callApi<Page<TagBudgetLine>>('GET', 'tags', { signal }),
  refetchInterval: liveMs,
});

/** A page of the journal, the oldest entry first; an empty `account` means every account. */
export const entriesPage = (account: string, after: string | null, signal: AbortSignal) =>
  callApi<Page<MoneyEntry>>('GET', `money/entries${queryOf({ account, after, limit: 50 })}`, { signal });

/** Of a report of spent money, in Unix seconds; `to` is exclusive. */
export interface SpendPeriod {
  readonly from: number;
  readonly to: number;
}

/** What jobs were charged in a period, by project, key, model, provider, day or tag. */
export const spendQuery = (by: string, period: SpendPeriod) =>
  queryOptions({
    queryKey: ['spend', by, period],
    queryFn: ({ signal }) => callApi<SpendBody>('GET', spendPath(by, period), { signal }),
    staleTime: 30_000,
  });

/** Of the report, relative to the admin API. */
export const spendPath = (by: string, { from, to }: SpendPeriod, format?: 'csv'): string =>
  `money/spend${queryOf({ by, from, to, format })}`;

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

/** Every provider with the form of an account; for admins. */
export const accountKindsQuery = queryOptions({
  queryKey: ['provider-kinds'],
  queryFn: ({ signal }) => callApi<AccountKindList>('GET', 'provider-kinds', { signal }),
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
