/** The environment variables of the gateway: their types, bounds and defaults. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseS3Address } from '../domain/s3-location.ts';
import { isNetwork } from '../domain/trusted-proxies.ts';

/** What a process serves: the HTTP API, the jobs, or both. */
export type Role = 'api' | 'worker' | 'all';
/** In the order in which an error lists them. */
const roles = ['api', 'worker', 'all'] as const;
/** Levels of pino, from the most to the least. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** 0 or 1. */
const flag = z.enum(['0', '1'], { error: 'must be 0 or 1' }).transform(value => value === '1');
const port = z.coerce
  .number({ error: 'must be a number' })
  .pipe(z.int().min(0).max(65_535, { error: 'must be between 0 and 65535' }));
/** Without a slash at its end, so that paths can be appended. */
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
/** `s3://bucket/prefix` or `https://server/bucket`; every fault of it is an issue. */
export const blobsAddress = z.string().transform((text, context) => {
  const address = parseS3Address(text);
  if (!('faults' in address)) return address;
  for (const message of address.faults) context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
const dnsServers = z
  .string()
  .transform(text => text.split(',').map(server => server.trim()))
  .refine(servers => servers.every(isDnsServer), {
    error: 'must be IP addresses, each with an optional port, joined by commas',
  });
/** Addresses and networks, joined by commas. */
const networks = z.string().transform((text, context) => {
  const each = text.split(',').map(part => part.trim());
  for (const wrong of each.filter(part => !isNetwork(part)))
    context.addIssue({
      code: 'custom',
      message: `${wrong || 'nothing'} is neither an IP address nor a network`,
    });
  return each;
});
/** Of signatures; a short one could be guessed. */
const secret = z.string().min(16, { error: 'must have at least 16 characters' });
const adminToken = z
  .string()
  .min(32, { error: 'must have at least 32 characters; create one with: openssl rand -hex 32' });

/** Every variable of the gateway. */
export const environment = z.object({
  ATELIER_HOST: z.string().min(1).default('127.0.0.1'),
  ATELIER_PORT: port.default(8080),
  ATELIER_PUBLIC_URL: webAddress.optional(),
  ATELIER_DATA_DIR: z.string().min(1).default('./data'),
  ATELIER_DATABASE_URL: databaseAddress.optional(),
  ATELIER_BLOBS_URL: blobsAddress.optional(),
  ATELIER_CONFIG: z.string().min(1).optional(),
  ATELIER_SECRET: secret.optional(),
  ATELIER_ADMIN_TOKEN: adminToken.optional(),
  ATELIER_METRICS_TOKEN: secret.optional(),
  ATELIER_TRUSTED_PROXIES: networks.optional(),
  ATELIER_ALLOW_PRIVATE_NETWORK: flag.default(false),
  ATELIER_DNS_SERVERS: dnsServers.optional(),
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

/** The standard variables of OpenTelemetry; null without an endpoint. */
export const tracing = z
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

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`. */
function isDnsServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six = '', four = '', port = ''] = /^(?:\[(.+)\]|([\d.]+))(?::(\d+))?$/.exec(text) ?? [];
  const isPort = port === '' || (Number(port) >= 1 && Number(port) <= 65_535);
  return isPort && (isIPv6(six) || isIPv4(four));
}
