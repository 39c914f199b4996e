import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import type { RateLimit } from './admission/rate.ts';

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
  /** Null: made and kept in the data folder. */
  readonly secret: string | null;
  readonly adminToken: string | null;
  readonly allowPrivateNetwork: boolean;
  readonly role: Role;
  /** Jobs the local engine renders at once. */
  readonly localConcurrency: number;
  readonly logLevel: (typeof logLevels)[number];
  readonly limits: {
    /** Of the queue operations, for each key. */
    readonly queue: RateLimit;
  };
}

/** Thrown once, with every fault of the settings. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
}

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
const secret = z.string().min(16, { error: 'must have at least 16 characters' });

const environment = z.object({
  ATELIER_HOST: z.string().min(1).default('127.0.0.1'),
  ATELIER_PORT: port.default(8080),
  ATELIER_PUBLIC_URL: webAddress.optional(),
  ATELIER_DATA_DIR: z.string().min(1).default('./data'),
  ATELIER_DATABASE_URL: databaseAddress.optional(),
  ATELIER_BLOBS_URL: z.never({ error: 'is not supported yet: blobs lie in the data folder' }).optional(),
  ATELIER_CONFIG: z.string().min(1).optional(),
  ATELIER_SECRET: secret.optional(),
  ATELIER_ADMIN_TOKEN: secret.optional(),
  ATELIER_ALLOW_PRIVATE_NETWORK: flag.default(false),
  ATELIER_ROLE: z.enum(roles, { error: `must be one of ${roles.join(', ')}` }).default('all'),
  ATELIER_LOCAL_CONCURRENCY: z.coerce
    .number({ error: 'must be a number' })
    .pipe(z.int().min(1).max(256, { error: 'must be between 1 and 256' }))
    .default(availableParallelism()),
  ATELIER_LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

const rate = (perSecond: number, burst: number) =>
  z
    .strictObject({
      per_second: z.number().positive().max(1_000_000).default(perSecond),
      burst: z.int().min(1).max(10_000_000).default(burst),
    })
    .prefault({})
    .transform(({ per_second, burst }) => ({ perSecond: per_second, burst }));

/** `atelier.yaml`. */
const file = z.strictObject({
  limits: z.strictObject({ queue: rate(200, 2_000) }).prefault({}),
});

const knownNames = Object.keys(environment.shape);
const defaultFile = 'atelier.yaml';

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
  const path = given.ATELIER_CONFIG ?? (existsSync(defaultFile) ? defaultFile : null);
  const written = file.safeParse(path === null ? {} : readYaml(path, faults));
  faults.push(...faultsOf(`${path} `, written));
  if (faults.length > 0 || !settings.success || !written.success) throw new ConfigFault(faults.join('\n'));

  const { data } = settings;
  return Object.freeze({
    host: data.ATELIER_HOST,
    port: data.ATELIER_PORT,
    publicUrl: data.ATELIER_PUBLIC_URL ?? null,
    dataDir: resolve(data.ATELIER_DATA_DIR),
    databaseUrl: data.ATELIER_DATABASE_URL ?? null,
    secret: data.ATELIER_SECRET ?? null,
    adminToken: data.ATELIER_ADMIN_TOKEN ?? null,
    allowPrivateNetwork: data.ATELIER_ALLOW_PRIVATE_NETWORK,
    role: data.ATELIER_ROLE,
    localConcurrency: data.ATELIER_LOCAL_CONCURRENCY,
    logLevel: data.ATELIER_LOG_LEVEL,
    limits: written.data.limits,
  });
}

function readYaml(path: string, faults: string[]): unknown {
  try {
    return parseYaml(readFileSync(path, 'utf8')) ?? {};
  } catch (failure) {
    faults.push(`${path}: ${failure instanceof Error ? failure.message.split('\n')[0] : String(failure)}`);
    return {};
  }
}

function faultsOf(prefix: string, parsed: z.ZodSafeParseResult<unknown>): readonly string[] {
  return (parsed.error?.issues ?? []).map(
    issue => `${prefix}${issue.path.join('.') || 'file'}: ${issue.message}`,
  );
}
