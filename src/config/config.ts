import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Catalog } from '../catalog/catalog.ts';
import { seconds } from '../domain/clock.ts';
import type { BacklogBounds, BodyLimits, RateLimit, SpoolLimits } from '../domain/limits.ts';
import type { Prices } from '../domain/prices.ts';
import type { S3Location } from '../domain/s3-location.ts';
import type { StorageLimits } from '../domain/storage-limits.ts';
import type { RoutingConfig } from '../routing/accounts.ts';
import { blobsAddress, environment, type logLevels, type Role, tracing } from './environment.ts';
import { ConfigError } from './error.ts';
import { didYouMean, issuesOf, parseSettings } from './issues.ts';
import { readModels } from './models.ts';
import { pricesSchema, readPrices } from './prices.ts';
import { readRouting } from './routing.ts';
import { readSecretFiles, secretFileVariables } from './secret-files.ts';
import { noSettingsFile, readSettingsFile } from './settings-file.ts';
import { storageSchema } from './storage-limits.ts';

export type { Role };

/** Everything that can be set, read once at start. */
export interface Config {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Without a slash at its end; null: made from the address that is listened on. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
  /** Null: SQLite in the data folder. */
  readonly databaseUrl: string | null;
  /** Null: a folder in the data folder. */
  readonly s3: S3Location | null;
  /** Null: made and kept in the data folder. */
  readonly secret: string | null;
  readonly adminToken: string | null;
  /** Null: the metrics are for this machine alone. */
  readonly metricsToken: string | null;
  /** Addresses and networks whose word on the client's address is taken. */
  readonly trustedProxies: readonly string[];
  readonly allowPrivateNetwork: boolean;
  /** Who is asked for names that users and upstreams wrote; null: the servers of the system. */
  readonly dnsServers: readonly string[] | null;
  readonly role: Role;
  /** How many processes share the port. */
  readonly processes: number;
  /** How long a process that was told to stop answers on, unready, before it closes its port. */
  readonly drainMs: number;
  /** Jobs the local engine renders at once. */
  readonly localConcurrency: number;
  readonly logLevel: (typeof logLevels)[number];
  /** Where traces of jobs are sent, and of which share of them; null: there are none. */
  readonly tracing: { readonly url: string; readonly share: number } | null;
  readonly routing: RoutingConfig;
  /** The models of the contract, and those of the operator. */
  readonly catalog: Catalog;
  /** Ids of models that are switched off. */
  readonly disabledModels: readonly string[];
  /** Null: none are set. */
  readonly prices: Prices | null;
  readonly limits: {
    /** Of the queue operations, for each key. */
    readonly queue: RateLimit;
    /** Jobs that a key may have running, over all processes; null: any number. */
    readonly runningPerKey: number | null;
    readonly waiting: BacklogBounds;
    readonly bodies: BodyLimits;
    readonly spool: SpoolLimits;
    /** Bytes of files that are kept. */
    readonly storage: StorageLimits;
    /** How many connections are open at one moment; more are closed at once. */
    readonly connections: number;
    /** The same of one client address. */
    readonly connectionsPerAddress: number;
  };
}

export { ConfigError };

const rate = (perSecond: number, burst: number) =>
  z
    .strictObject({
      per_second: z.number().positive().max(1_000_000).default(perSecond),
      burst: z.int().min(1).max(10_000_000).default(burst),
    })
    .prefault({})
    .transform(({ per_second, burst }) => ({ perSecond: per_second, burst }));

const most = 1_000_000_000;
const between = (least: number, greatest: number, usual: number) =>
  z
    .int({ error: 'must be a whole number' })
    .min(least, { error: `must be between ${least} and ${greatest}` })
    .max(greatest, { error: `must be between ${least} and ${greatest}` })
    .default(usual);
const count = (least: number, usual: number) => between(least, most, usual);

/** Every endpoint stays as quick with this many waiting jobs as with none; one key cannot fill it. */
const waiting = z
  .strictObject({ per_key: count(1, 100_000), in_all: count(1, 1_000_000) })
  .prefault({})
  .transform(({ per_key, in_all }) => ({ perKey: per_key, inAll: in_all }));

const mebibyte = 1024 * 1024;
/** Whatever is set, the largest body of the contract has room when it comes alone. */
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

/** Of the local disk, for files on their way in. */
const spoolBytes = (usual: number) => between(largestBody, mebibyte * mebibyte, usual);
const spool = z
  .strictObject({ bytes_in_all: spoolBytes(4096 * mebibyte), bytes_per_key: spoolBytes(512 * mebibyte) })
  .prefault({})
  .transform(({ bytes_in_all, bytes_per_key }) => ({ bytesInAll: bytes_in_all, bytesPerKey: bytes_per_key }));

/** `atelier.yaml`; `models`, `accounts` and `routes` are read on their own. */
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
  models: z.unknown().optional(),
  accounts: z.unknown().optional(),
  routes: z.unknown().optional(),
});

/** Of the commands that ask a gateway, which read them themselves. */
const clientVariables = ['ATELIER_URL', 'ATELIER_API_KEY', 'ATELIER_PROFILE'];
const knownNames = [...Object.keys(environment.shape), ...secretFileVariables, ...clientVariables];
const defaultFile = 'atelier.yaml';
/** Other servers than Amazon's take any region, and this one is the usual. */
const defaultRegion = 'us-east-1';

/** Reads the environment and `atelier.yaml`; throws one ConfigFault that names everything wrong. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable is an unset one: so shells and compose files mean it.
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const faults = Object.keys(set)
    .filter(name => name.startsWith('ATELIER_') && !knownNames.includes(name))
    .map(name => `${name}: unknown setting${didYouMean(name, knownNames)}`);
  const given = readSecretFiles(set, faults);
  const settings = environment.safeParse(given);
  faults.push(...issuesOf(settings).map(noSettingsFile.describeIssue));
  const traces = tracing.safeParse(given);
  faults.push(...issuesOf(traces).map(noSettingsFile.describeIssue));
  if (settings.data?.ATELIER_ROLE === 'worker' && settings.data.ATELIER_PUBLIC_URL === undefined) {
    faults.push('ATELIER_PUBLIC_URL: must be set for the role worker, whose callbacks name addresses');
  }
  const s3 = readS3Settings(given, faults);
  if ((settings.data?.ATELIER_PROCESSES ?? 1) > 1 && settings.data?.ATELIER_DATABASE_URL === undefined) {
    faults.push(
      'ATELIER_PROCESSES: several processes need PostgreSQL (ATELIER_DATABASE_URL), one alone can have an SQLite file',
    );
  }
  const path = given.ATELIER_CONFIG ?? (existsSync(defaultFile) ? defaultFile : null);
  const file = path === null ? noSettingsFile : readSettingsFile(path);
  faults.push(...file.faults);
  const written = parseSettings(fileSchema, file.value);
  const members = z.looseObject({}).safeParse(file.value).data ?? {};
  const models = readModels(members.models, dirname(path ?? defaultFile));
  const routing = readRouting(members, given, models);
  const { prices, issues } = readPrices(written.data?.prices, models.catalog);
  const all = [...issuesOf(written), ...models.issues, ...routing.issues, ...issues];
  faults.push(...all.map(issue => file.describeIssue(issue)));
  if (faults.length > 0 || !settings.success || !written.success) throw new ConfigError(faults.join('\n'));

  const { data } = settings;
  return Object.freeze({
    host: data.ATELIER_HOST,
    port: data.ATELIER_PORT,
    publicUrl: data.ATELIER_PUBLIC_URL ?? null,
    dataDir: resolve(data.ATELIER_DATA_DIR),
    databaseUrl: data.ATELIER_DATABASE_URL ?? null,
    s3,
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
    tracing: traces.data ?? null,
    routing: routing.config,
    catalog: models.catalog,
    disabledModels: models.disabled,
    prices,
    limits: limitsOf(written.data.limits),
  });
}

const limitsOf = ({
  running_per_key,
  connections_per_address,
  ...limits
}: z.output<typeof fileSchema>['limits']): Config['limits'] => ({
  ...limits,
  runningPerKey: running_per_key,
  connectionsPerAddress: connections_per_address,
});

/** What the address leaves open is told by the usual variables; where they are silent, the SDK looks for credentials. */
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
