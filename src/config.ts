import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { RoutingConfig } from './accounts.ts';
import type { BodyLimits } from './admission/bodies.ts';
import type { RateLimit } from './admission/rate.ts';
import type { WaitingLimits } from './admission/waiting-places.ts';
import { parseS3Address, type S3Place } from './blobs/s3-place.ts';
import type { Catalog } from './catalog/catalog.ts';
import { ConfigFault } from './config-fault.ts';
import { seconds } from './domain/clock.ts';
import type { Prices } from './domain/prices.ts';
import { readModels } from './read-models.ts';
import { pricesSchema, readPrices } from './read-prices.ts';
import { type Issue, readRouting } from './read-routing.ts';

export type Role = 'api' | 'worker' | 'all';
const roles = ['api', 'worker', 'all'] as const;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

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
  readonly s3: S3Place | null;
  /** Null: made and kept in the data folder. */
  readonly secret: string | null;
  readonly adminToken: string | null;
  readonly allowPrivateNetwork: boolean;
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
  readonly modelsOff: readonly string[];
  /** Null: none are set. */
  readonly prices: Prices | null;
  readonly limits: {
    /** Of the queue operations, for each key. */
    readonly queue: RateLimit;
    /** Jobs that a key may have running, over all processes; null: any number. */
    readonly runningPerKey: number | null;
    readonly waiting: WaitingLimits;
    readonly bodies: BodyLimits;
    /** How many connections are open at one moment; more are closed at once. */
    readonly connections: number;
  };
}

export { ConfigFault };

const flag = z.enum(['0', '1'], { error: 'must be 0 or 1' }).transform(value => value === '1');
const port = z.coerce
  .number({ error: 'must be a number' })
  .pipe(z.int().min(0).max(65_535, { error: 'must be between 0 and 65535' }));
const webAddress = z
  .string()
  .refine(text => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''), {
    error: 'must be an http or https URL',
  })
  .refine(text => !/[?#]/.test(text), { error: 'must not have a query' })
  .transform(text => text.replace(/\/+$/, ''));
const databaseAddress = z
  .string()
  .refine(text => ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? ''), {
    error: 'must be a postgres:// URL',
  });
const blobsAddress = z.string().transform((text, context) => {
  const address = parseS3Address(text);
  if (!('faults' in address)) return address;
  for (const message of address.faults) context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
const secret = z.string().min(16, { error: 'must have at least 16 characters' });
const adminToken = z
  .string()
  .min(32, { error: 'must have at least 32 characters; openssl rand -hex 32 makes some' });

const environment = z.object({
  ATELIER_HOST: z.string().min(1).default('127.0.0.1'),
  ATELIER_PORT: port.default(8080),
  ATELIER_PUBLIC_URL: webAddress.optional(),
  ATELIER_DATA_DIR: z.string().min(1).default('./data'),
  ATELIER_DATABASE_URL: databaseAddress.optional(),
  ATELIER_BLOBS_URL: blobsAddress.optional(),
  ATELIER_CONFIG: z.string().min(1).optional(),
  ATELIER_SECRET: secret.optional(),
  ATELIER_ADMIN_TOKEN: adminToken.optional(),
  ATELIER_ALLOW_PRIVATE_NETWORK: flag.default(false),
  ATELIER_ROLE: z.enum(roles, { error: `must be one of ${roles.join(', ')}` }).default('all'),
  ATELIER_PROCESSES: z.coerce
    .number({ error: 'must be a number' })
    .pipe(z.int().min(1).max(256, { error: 'must be between 1 and 256' }))
    .default(1),
  ATELIER_DRAIN_SECONDS: z.coerce
    .number({ error: 'must be a number' })
    .pipe(z.number().min(0).max(10, { error: 'must be between 0 and 10' }))
    .default(0),
  ATELIER_LOCAL_CONCURRENCY: z.coerce
    .number({ error: 'must be a number' })
    .pipe(z.int().min(1).max(256, { error: 'must be between 1 and 256' }))
    .default(availableParallelism()),
  ATELIER_LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

/** Names of OpenTelemetry, which are the same for every program. */
const tracing = z
  .object({
    OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webAddress.optional(),
    OTEL_SDK_DISABLED: z.string().optional(),
    OTEL_TRACES_SAMPLER_ARG: z.coerce
      .number({ error: 'must be a number' })
      .pipe(z.number().min(0).max(1, { error: 'must be between 0 and 1' }))
      .default(1),
  })
  .transform(env => {
    const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
    const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base === undefined ? null : `${base}/v1/traces`);
    const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
    return url === null || isOff ? null : { url, share: env.OTEL_TRACES_SAMPLER_ARG };
  });

const rate = (perSecond: number, burst: number) =>
  z
    .strictObject({
      per_second: z.number().positive().max(1_000_000).default(perSecond),
      burst: z.int().min(1).max(10_000_000).default(burst),
    })
    .prefault({})
    .transform(({ per_second, burst }) => ({ perSecond: per_second, burst }));

const most = 1_000_000_000;
const count = (least: number, usual: number) =>
  z
    .int({ error: 'must be a whole number' })
    .min(least, { error: `must be between ${least} and ${most}` })
    .max(most, { error: `must be between ${least} and ${most}` })
    .default(usual);

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

/** `atelier.yaml`; `models`, `accounts` and `routes` are read on their own. */
export const fileSchema = z.strictObject({
  limits: z
    .strictObject({
      queue: rate(200, 2_000),
      waiting,
      bodies,
      connections: count(1, 10_000),
      running_per_key: z.int().min(1).max(1_000_000).nullable().default(null),
    })
    .prefault({}),
  prices: pricesSchema.optional(),
  models: z.unknown().optional(),
  accounts: z.unknown().optional(),
  routes: z.unknown().optional(),
});

/** Of the commands that ask a gateway, which read them themselves. */
const namesOfClients = ['ATELIER_URL', 'ATELIER_API_KEY', 'ATELIER_PROFILE'];
const knownNames = [...Object.keys(environment.shape), ...namesOfClients];
const defaultFile = 'atelier.yaml';
/** Other servers than Amazon's take any region, and this one is the usual. */
const anyRegion = 'us-east-1';

/** Reads the environment and `atelier.yaml`; throws one ConfigFault that names everything wrong. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable is an unset one: so shells and compose files mean it.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const faults = Object.keys(given)
    .filter(name => name.startsWith('ATELIER_') && !knownNames.includes(name))
    .map(name => `${name}: unknown setting`);
  const settings = environment.safeParse(given);
  faults.push(...faultsOf('', settings));
  const traces = tracing.safeParse(given);
  faults.push(...faultsOf('', traces));
  if (settings.data?.ATELIER_ROLE === 'worker' && settings.data.ATELIER_PUBLIC_URL === undefined) {
    faults.push('ATELIER_PUBLIC_URL: must be set for the role worker, whose callbacks name addresses');
  }
  const s3 = placeOf(given, faults);
  if ((settings.data?.ATELIER_PROCESSES ?? 1) > 1 && settings.data?.ATELIER_DATABASE_URL === undefined) {
    faults.push(
      'ATELIER_PROCESSES: several processes need PostgreSQL (ATELIER_DATABASE_URL), one alone can have an SQLite file',
    );
  }
  const path = given.ATELIER_CONFIG ?? (existsSync(defaultFile) ? defaultFile : null);
  const text = path === null ? {} : readYaml(path, faults);
  const written = fileSchema.safeParse(text);
  faults.push(...faultsOf(`${path} `, written));
  const members = z.looseObject({}).safeParse(text).data ?? {};
  const models = readModels(members.models, dirname(path ?? defaultFile));
  const routing = readRouting(members, given, models);
  const { prices, issues } = readPrices(written.data?.prices, models.catalog);
  faults.push(...[...models.issues, ...routing.issues, ...issues].map(issue => faultOf(`${path} `, issue)));
  if (faults.length > 0 || !settings.success || !written.success) throw new ConfigFault(faults.join('\n'));

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
    allowPrivateNetwork: data.ATELIER_ALLOW_PRIVATE_NETWORK,
    role: data.ATELIER_ROLE,
    processes: data.ATELIER_PROCESSES,
    drainMs: data.ATELIER_DRAIN_SECONDS * seconds,
    localConcurrency: data.ATELIER_LOCAL_CONCURRENCY,
    logLevel: data.ATELIER_LOG_LEVEL,
    tracing: traces.data ?? null,
    routing: routing.config,
    catalog: models.catalog,
    modelsOff: models.off,
    prices,
    limits: limitsOf(written.data.limits),
  });
}

const limitsOf = ({
  running_per_key,
  ...limits
}: z.output<typeof fileSchema>['limits']): Config['limits'] => ({
  ...limits,
  runningPerKey: running_per_key,
});

/** What the address leaves open is told by the usual variables; where they are silent, the SDK looks for credentials. */
function placeOf(given: Readonly<Record<string, string | undefined>>, faults: string[]): S3Place | null {
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
  return { ...address, region: region ?? anyRegion, credentials };
}

function readYaml(path: string, faults: string[]): unknown {
  try {
    return parseYaml(readFileSync(path, 'utf8')) ?? {};
  } catch (failure) {
    faults.push(`${path}: ${failure instanceof Error ? failure.message.split('\n')[0] : String(failure)}`);
    return {};
  }
}

const faultsOf = (prefix: string, parsed: z.ZodSafeParseResult<unknown>): readonly string[] =>
  (parsed.error?.issues ?? []).map(issue => faultOf(prefix, issue));

const faultOf = (prefix: string, { path, message }: Issue): string =>
  `${prefix}${path.join('.') || 'file'}: ${message}`;
