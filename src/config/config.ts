/** The configuration: reads the environment and `atelier.yaml` once, and reports every fault at once. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import { seconds } from '../domain/clock.ts';
import type { BacklogBounds, BodyLimits, RateLimit, SpoolLimits } from '../domain/limits.ts';
import type { Mounts } from '../domain/mounts.ts';
import type { LoginSettings } from '../domain/oidc.ts';
import type { Prices } from '../domain/prices.ts';
import type { S3Location } from '../domain/s3-location.ts';
import type { StorageLimits } from '../domain/storage-limits.ts';
import type { RoutingConfig } from '../routing/accounts.ts';
import { blobsAddress, environment, type logLevels, type Role, tracing } from './environment.ts';
import { ConfigError } from './error.ts';
import { didYouMean, issuesOf, parseSettings } from './issues.ts';
import { readLogin } from './login.ts';
import { readModels } from './models.ts';
import { mountsSchema, readMounts } from './mounts.ts';
import { pricesSchema, readPrices } from './prices.ts';
import { readRouting } from './routing.ts';
import { readSecretFiles, secretFileVariables } from './secret-files.ts';
import { noSettingsFile, readSettingsFile } from './settings-file.ts';
import { storageSchema } from './storage-limits.ts';

export type { Role };

/** Everything that can be set. */
export interface Config {
  /** The address to listen on. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Without a slash at its end; null: the address that the gateway listens on. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
  /** Null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Null: a folder in the data folder. */
  readonly s3: S3Location | null;
  /** Master of every signature; null: generated once and stored in the data folder. */
  readonly secret: string | null;
  /** Null: generated once and stored in the data folder. */
  readonly adminToken: string | null;
  /** Null: only this machine may read the metrics. */
  readonly metricsToken: string | null;
  /** Addresses and networks whose X-Forwarded-For names the client. */
  readonly trustedProxies: readonly string[];
  /** Whether media and callbacks may use private addresses. */
  readonly allowPrivateNetwork: boolean;
  /** Servers for host names that users and upstreams wrote; null: those of the system. */
  readonly dnsServers: readonly string[] | null;
  readonly role: Role;
  /** How many processes share the port. */
  readonly processes: number;
  /** How long a stopping process still serves requests, reported as not ready, before it closes its port. */
  readonly drainMs: number;
  /** Jobs the local engine renders at once. */
  readonly localConcurrency: number;
  readonly logLevel: (typeof logLevels)[number];
  /** Where traces of jobs are sent, and the share of jobs that is traced (0 to 1); null: no tracing. */
  readonly tracing: { readonly url: string; readonly share: number } | null;
  /** Accounts and routes. */
  readonly routing: RoutingConfig;
  /** The models of the contract, and those of the operator. */
  readonly catalog: Catalog;
  /** Ids of models that are switched off. */
  readonly disabledModels: readonly string[];
  /** Null: no prices are set. */
  readonly prices: Prices | null;
  /** Other protocols that are spoken. */
  readonly mounts: Mounts;
  /** Ways to log in to the console beside the admin token and passwords. */
  readonly login: LoginSettings;
  readonly limits: {
    /** Rate of the queue operations of each key. */
    readonly queue: RateLimit;
    /** Running jobs of a key, over all processes; null: unlimited. */
    readonly runningPerKey: number | null;
    readonly waiting: BacklogBounds;
    readonly bodies: BodyLimits;
    readonly spool: SpoolLimits;
    /** Bytes of stored files. */
    readonly storage: StorageLimits;
    /** Open connections; further ones are closed at once. */
    readonly connections: number;
    /** Open connections of one client address. */
    readonly connectionsPerAddress: number;
  };
}

export { ConfigError };

/** A rate with defaults. */
const rate = (perSecond: number, burst: number) =>
  z
    .strictObject({
      per_second: z.number().positive().max(1_000_000).default(perSecond),
      burst: z.int().min(1).max(10_000_000).default(burst),
    })
    .prefault({})
    .transform(({ per_second, burst }) => ({ perSecond: per_second, burst }));

/** A larger count is a mistake in any setting. */
const maxCount = 1_000_000_000;
/** A whole number with a default. */
const between = (least: number, greatest: number, usual: number) =>
  z
    .int({ error: 'must be a whole number' })
    .min(least, { error: `must be between ${least} and ${greatest}` })
    .max(greatest, { error: `must be between ${least} and ${greatest}` })
    .default(usual);
/** A whole number with its least and its usual value. */
const count = (least: number, usual: number) => between(least, maxCount, usual);

/** With this many waiting jobs every endpoint is as fast as with none; one key alone cannot reach the total. */
const waiting = z
  .strictObject({ per_key: count(1, 100_000), in_all: count(1, 1_000_000) })
  .prefault({})
  .transform(({ per_key, in_all }) => ({ perKey: per_key, inAll: in_all }));

/** Bytes: what the contract calls a megabyte (decisions 7). */
const mebibyte = 1024 * 1024;
/** The least for each budget of bytes: the largest body of the contract always fits when it arrives alone. */
const largestBody = 64 * mebibyte;
const bodies = z
  .strictObject({
    bytes_in_all: count(largestBody, 256 * mebibyte),
    bytes_per_key: count(largestBody, 128 * mebibyte),
    in_all: count(1, 10_000),
    per_key: count(1, 5_000),
  })
  .prefault({})
  .transform(({ bytes_in_all, bytes_per_key, in_all, per_key }) => ({
    bytesInAll: bytes_in_all,
    bytesPerKey: bytes_per_key,
    inAll: in_all,
    perKey: per_key,
  }));

/** Bytes on the local disk for incoming files. */
const spoolBytes = (usual: number) => between(largestBody, mebibyte * mebibyte, usual);
const spool = z
  .strictObject({ bytes_in_all: spoolBytes(4096 * mebibyte), bytes_per_key: spoolBytes(512 * mebibyte) })
  .prefault({})
  .transform(({ bytes_in_all, bytes_per_key }) => ({ bytesInAll: bytes_in_all, bytesPerKey: bytes_per_key }));

/** `atelier.yaml`; `login`, `models`, `accounts` and `routes` have readers of their own. */
export const fileSchema = z.strictObject({
  limits: z
    .strictObject({
      queue: rate(200, 2_000),
      waiting,
      bodies,
      spool,
      storage: storageSchema,
      connections: count(1, 10_000),
      connections_per_address: count(1, 200),
      running_per_key: z.int().min(1).max(1_000_000).nullable().default(null),
    })
    .prefault({}),
  prices: pricesSchema.optional(),
  mounts: mountsSchema.optional(),
  login: z.unknown().optional(),
  models: z.unknown().optional(),
  accounts: z.unknown().optional(),
  routes: z.unknown().optional(),
});

/** Variables that only the client commands read. */
const clientVariables = ['ATELIER_URL', 'ATELIER_API_KEY', 'ATELIER_PROFILE'];
const knownNames = [...Object.keys(environment.shape), ...secretFileVariables, ...clientVariables];
/** In the working directory, unless `ATELIER_CONFIG` names another. */
const defaultFile = 'atelier.yaml';
/** S3 servers other than Amazon's accept any region; this is the usual one. */
const defaultRegion = 'us-east-1';

type Variables = Readonly<Record<string, string | undefined>>;

/** Throws one ConfigError with a line for each fault of the environment and of `atelier.yaml`. */
export function readConfig(env: Variables): Config {
  const faults: string[] = [];
  const given = readSecretFiles(setVariables(env, faults), faults);
  const variables = readVariables(given, faults);
  const s3 = readS3Settings(given, faults);
  refuseProcessesWithSqlite(variables.data, faults);
  const file = readFile(given, faults);
  if (faults.length > 0 || !variables.data || !file.data) throw new ConfigError(faults.join('\n'));
  return Object.freeze({
    ...configOfVariables(variables.data),
    s3,
    tracing: variables.tracing,
    routing: file.routing,
    catalog: file.models.catalog,
    disabledModels: file.models.disabled,
    prices: file.prices,
    mounts: file.mounts,
    login: file.login,
    limits: limitsOf(file.data.limits),
  });
}

/** The variables with a value: shells and compose files write an unset variable as an empty one. */
function setVariables(env: Variables, faults: string[]): Variables {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  for (const name of Object.keys(set))
    if (name.startsWith('ATELIER_') && !knownNames.includes(name))
      faults.push(`${name}: unknown setting${didYouMean(name, knownNames)}`);
  return set;
}

/** Parses the variables, and checks those that depend on each other. */
function readVariables(given: Variables, faults: string[]) {
  const settings = environment.safeParse(given);
  faults.push(...issuesOf(settings).map(noSettingsFile.describeIssue));
  const traces = tracing.safeParse(given);
  faults.push(...issuesOf(traces).map(noSettingsFile.describeIssue));
  const { data } = settings;
  if (data?.ATELIER_ROLE === 'worker' && data.ATELIER_PUBLIC_URL === undefined) {
    faults.push(
      'ATELIER_PUBLIC_URL: must be set for the role worker: callbacks contain URLs of this gateway',
    );
  }
  return { data, tracing: traces.data ?? null };
}

/** A SQLite file belongs to one process at a time. */
function refuseProcessesWithSqlite(data: z.output<typeof environment> | undefined, faults: string[]): void {
  if ((data?.ATELIER_PROCESSES ?? 1) > 1 && data?.ATELIER_DATABASE_URL === undefined) {
    faults.push(
      'ATELIER_PROCESSES: several processes need PostgreSQL (ATELIER_DATABASE_URL); SQLite serves one process',
    );
  }
}

/** Reads `ATELIER_CONFIG`, or `atelier.yaml` of the working directory where there is one. */
function readFile(given: Variables, faults: string[]) {
  const path = given.ATELIER_CONFIG ?? (existsSync(defaultFile) ? defaultFile : null);
  const file = path === null ? noSettingsFile : readSettingsFile(path);
  faults.push(...file.faults);
  const parsed = parseSettings(fileSchema, file.value);
  const members = z.looseObject({}).safeParse(file.value).data ?? {};
  const models = readModels(members.models, dirname(path ?? defaultFile));
  const routing = readRouting(members, given, models);
  const { prices, issues } = readPrices(parsed.data?.prices, models.catalog);
  const { mounts, issues: mountIssues } = readMounts(parsed.data?.mounts, models.catalog);
  const { login, issues: loginIssues } = readLogin(members.login, given);
  const all = [
    ...issuesOf(parsed),
    ...models.issues,
    ...routing.issues,
    ...issues,
    ...mountIssues,
    ...loginIssues,
  ];
  faults.push(...all.map(issue => file.describeIssue(issue)));
  return { data: parsed.data, models, routing: routing.config, prices, mounts, login };
}

/** The part of the configuration that comes from variables alone. */
const configOfVariables = (data: z.output<typeof environment>) => ({
  host: data.ATELIER_HOST,
  port: data.ATELIER_PORT,
  publicUrl: data.ATELIER_PUBLIC_URL ?? null,
  dataDir: resolve(data.ATELIER_DATA_DIR),
  databaseUrl: data.ATELIER_DATABASE_URL ?? null,
  secret: data.ATELIER_SECRET ?? null,
  adminToken: data.ATELIER_ADMIN_TOKEN ?? null,
  metricsToken: data.ATELIER_METRICS_TOKEN ?? null,
  trustedProxies: data.ATELIER_TRUSTED_PROXIES ?? [],
  allowPrivateNetwork: data.ATELIER_ALLOW_PRIVATE_NETWORK,
  dnsServers: data.ATELIER_DNS_SERVERS ?? null,
  role: data.ATELIER_ROLE,
  processes: data.ATELIER_PROCESSES,
  drainMs: data.ATELIER_DRAIN_SECONDS * seconds,
  localConcurrency: data.ATELIER_LOCAL_CONCURRENCY,
  logLevel: data.ATELIER_LOG_LEVEL,
});

/** Multi-word keys of the file in the names of the code. */
const limitsOf = ({
  running_per_key,
  connections_per_address,
  ...limits
}: z.output<typeof fileSchema>['limits']): Config['limits'] => ({
  ...limits,
  runningPerKey: running_per_key,
  connectionsPerAddress: connections_per_address,
});

/** Region and credentials come from the address or the usual AWS variables; without credentials the SDK looks for some. */
function readS3Settings(
  given: Readonly<Record<string, string | undefined>>,
  faults: string[],
): S3Location | null {
  const address = blobsAddress.safeParse(given.ATELIER_BLOBS_URL).data;
  if (!address) return null;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = given;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    faults.push('AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: must be set both, or neither');
  const region = address.region ?? given.AWS_REGION ?? given.AWS_DEFAULT_REGION;
  if (region === undefined && address.endpoint === null)
    faults.push('ATELIER_BLOBS_URL: must name a region (…?region=eu-central-1), or AWS_REGION must be set');
  const sessionToken = given.AWS_SESSION_TOKEN;
  const credentials =
    accessKeyId !== undefined && secretAccessKey !== undefined
      ? { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
      : null;
  return { ...address, region: region ?? defaultRegion, credentials };
}
