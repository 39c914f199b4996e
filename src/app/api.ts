/** The HTTP side of a process: the API, or the health checks alone in a worker. */
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { openAdmission } from '../admission/admit.ts';
import { openAuthenticate } from '../admission/authenticate.ts';
import { openBacklogLimit } from '../admission/backlog-limit.ts';
import { openLoginThrottle } from '../admission/login-throttle.ts';
import { openOidcLogin } from '../admission/oidc-login.ts';
import { openPasswords, type Passwords } from '../admission/passwords.ts';
import { openRateLimit, type TakeFromRate } from '../admission/rate-limit.ts';
import { openRefusedLogins } from '../admission/refused-logins.ts';
import { openSpool } from '../admission/spool.ts';
import { openStorageQuota } from '../admission/storage-quota.ts';
import { openMemoryBudget } from '../body/memory-budget.ts';
import { sendTestEvent } from '../callbacks/send-test-event.ts';
import type { Config } from '../config/config.ts';
import { readPriceBook } from '../config/price-book.ts';
import type { RateLimit } from '../domain/limits.ts';
import type { SettingsEditor } from '../domain/settings-editor.ts';
import { openTrustedProxies } from '../domain/trusted-proxies.ts';
import { createApp, createHealthApp } from '../http/app.ts';
import { readBuiltConsole } from '../http/console/built-console.ts';
import { type Drain, openDrain } from '../http/drain.ts';
import type { HttpContext } from '../http/http-context.ts';
import { openJobWatch } from '../http/job-watch.ts';
import { openPackages } from '../http/packages/open-packages.ts';
import { openRequestLog } from '../http/request-log.ts';
import { openOutbound } from '../media/outbound.ts';
import { openAccountStatus } from '../routing/account-status.ts';
import { candidatesOf, verifyIngressSignature } from '../routing/accounts.ts';
import { ping } from '../store/db/ping.ts';
import type { Worker } from '../worker/claim-loop.ts';
import type { AppContext } from './context.ts';
import { diskBytesAt, rejectWritesWhenFull } from './disk-reserve.ts';
import { listen } from './listen.ts';
import { connectionsWithinFileLimit, readOpenFileLimit } from './open-file-limit.ts';

/** The editor of the settings, and replacements for tests. */
export interface HttpOptions {
  /** Null: the console can only show accounts. */
  readonly editor: SettingsEditor | null;
  readonly openPasswords?: typeof openPasswords;
  /** See `HttpContext`. */
  readonly verifiesDeclarations?: boolean;
}

/** Serves what the role has to serve; returns the URL at which this machine reaches it. */
export async function openHttp(
  context: AppContext,
  worker: Worker | null,
  resources: AsyncDisposableStack,
  { editor, openPasswords: open = openPasswords, verifiesDeclarations = false }: HttpOptions,
): Promise<string> {
  const { config, clock } = context;
  // A load balancer sends no requests to a process of the role worker, so it has nothing to drain.
  const drain = openDrain(clock, config.role === 'worker' ? 0 : config.drainMs);
  const shared = { ...sharedOf(context, worker, drain), verifiesDeclarations };
  const app =
    config.role === 'worker'
      ? createHealthApp({ ...context, ...shared })
      : await openApi(context, { ...shared, settingsEditor: editor }, open());
  drain.attach(app);
  resources.adopt(app, async opened => {
    if (opened.server.listening) await drain.begin();
    await opened.close();
  });
  return listen(app, config, { isShared: config.processes > 1 });
}

/** What both the API and the health checks need. */
type SharedDependencies = Pick<
  HttpContext,
  | 'metrics'
  | 'metricsToken'
  | 'onAnswered'
  | 'onRefused'
  | 'connectionLimits'
  | 'whyNotReady'
  | 'settingsFaults'
  | 'verifiesDeclarations'
>;

/** Metrics, connection limits and readiness. */
function sharedOf(
  context: AppContext,
  worker: Worker | null,
  drain: Drain,
): Omit<SharedDependencies, 'verifiesDeclarations'> {
  const { config, metrics, log } = context;
  const { connections, connectionsPerAddress } = config.limits;
  return {
    metrics: metrics.text,
    onAnswered: metrics.requestAnswered,
    onRefused: metrics.refused,
    metricsToken: config.metricsToken,
    connectionLimits: {
      maxConnections: connectionsWithinFileLimit(readOpenFileLimit(), connections, log),
      connectionsPerAddress,
      isTrustedProxy: openTrustedProxies(config.trustedProxies),
    },
    settingsFaults: context.settings.faults,
    whyNotReady: () =>
      drain.whyNotReady(async () => (await whyStorageIsNotReady(context)) ?? worker?.whyNotReady() ?? null),
  };
}

/** Where the build of the console puts it. */
const consoleFolder = fileURLToPath(new URL('../../console/dist/', import.meta.url));
/** Where the packages that are served have their sources, and what is built of them. */
const packagesRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Upstreams report few states of a job; one that calls more often is refused. */
const webhookRate: RateLimit = { perSecond: 1, burst: 10 };

/** The API with everything that serves it; closed by the hooks of the app. */
async function openApi(
  context: AppContext,
  shared: SharedDependencies & Pick<HttpContext, 'settingsEditor'>,
  passwords: Passwords,
): Promise<FastifyInstance> {
  const { config, settings, db, clock, nameResolver, metrics, sessionKey, log } = context;
  const limited = { ...context, ...shared, ...(await openLimits(context)) };
  metrics.watchBodies(limited.memoryBudget.bytesInFlight);
  metrics.watchSpool(limited.spool.bytesInUse);
  const jobWatch = openJobWatch(db);
  metrics.watchWaiting(jobWatch.waiting);
  const outbound = openOutbound({ allowPrivate: config.allowPrivateNetwork, resolve: nameResolver.resolve });
  // The operator wrote the address of the identity provider, so it may be a private one, like those of accounts.
  const trusted = openOutbound({ allowPrivate: true });
  const refusedLogins = openRefusedLogins(db, clock, log);
  const closing = new AbortController();
  const authenticate = openAuthenticate(db, clock);
  const requestLog = openRequestLog({ db, clock, authenticate, log });
  const app = createApp({
    ...limited,
    catalog: settings.catalog,
    servedModels: settings.servedModels,
    prices: () => settings.current().prices,
    readPriceBook: written => readPriceBook(written, 'book', settings.catalog),
    mounts: () => settings.current().mounts,
    console: memoize(() => readBuiltConsole(consoleFolder)),
    packages: openPackages(packagesRoot),
    accounts: openAccountStatus({
      ...context,
      routing: () => settings.current().routing,
      catalog: settings.servedModels,
    }),
    jobWatch,
    outbound,
    sendTestEvent: to => sendTestEvent({ ...context, outbound }, to, closing.signal),
    passwords,
    refusedLogins,
    oidc: openOidcLogin(() => settings.current().login.oidc, trusted, clock),
    loginThrottle: openLoginThrottle(db, clock, sessionKey),
    authenticate,
    recordRefusal: requestLog.record,
    takeFromRate: openReloadableRate(context),
    takeFromWebhookRate: openRateLimit(webhookRate, clock),
    isSigned: (account, call) => verifyIngressSignature(settings.current().routing, account, call),
    admission: openAdmission(admissionContextOf(limited)),
  });
  app.addHook('preClose', () => jobWatch.close());
  app.addHook('preClose', async () => closing.abort());
  app.addHook('onClose', async () => limited.memoryBudget.close());
  for (const opened of [passwords, refusedLogins, requestLog, outbound, trusted])
    app.addHook('onClose', () => opened.close());
  return app;
}

/** What bounds incoming bytes: memory, local disk and stored files. */
async function openLimits({ config, db, clock, scratchDir }: AppContext) {
  const { limits } = config;
  return {
    memoryBudget: openMemoryBudget(limits.bodies),
    spool: openSpool(await scratchDir.makeDir('spool'), limits.spool),
    storage: openStorageQuota({
      db,
      clock,
      bounds: limits.storage,
      maxTotalBytes: await maxStoredBytes(config),
    }),
  };
}

type Limits = Awaited<ReturnType<typeof openLimits>>;

/** Creations are written through a connection that rejects them while the disk is full. */
function admissionContextOf(
  context: Omit<AppContext, 'metrics'> & Limits,
): Parameters<typeof openAdmission>[0] {
  const { config, settings, db, clock, diskReserve } = context;
  const backlog = openBacklogLimit({
    db,
    clock,
    limits: config.limits.waiting,
    hasSiblingProcesses: db.dialect !== 'sqlite',
  });
  return {
    ...context,
    db: rejectWritesWhenFull(db, diskReserve),
    media: context,
    backlog,
    servedModels: settings.servedModels,
    candidatesOf: model => candidatesOf(settings.current().routing, model),
    prices: () => settings.current().prices,
    allowPrivateNetwork: config.allowPrivateNetwork,
  };
}

/** The rate of the current settings; a reload starts to count anew. */
function openReloadableRate({ config, settings, clock }: AppContext): TakeFromRate {
  let take = openRateLimit(config.limits.queue, clock);
  settings.onChange(({ limits }) => {
    take = openRateLimit(limits.queue, clock);
  });
  return keyId => take(keyId);
}

/** A share of the disk; null for a bucket, which has no disk and is unlimited unless a number of bytes is set. */
async function maxStoredBytes({ limits, dataDir, s3 }: Config): Promise<number | null> {
  const { inAll } = limits.storage;
  if ('bytes' in inAll) return inAll.bytes;
  return s3 === null ? Math.floor((await diskBytesAt(dataDir)) * inAll.shareOfDisk) : null;
}

/** Runs once, at the first call. */
function memoize<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= run();
    return result;
  };
}

/** The reason that /readyz and the admin overview report; null while rows and bytes can be written. */
async function whyStorageIsNotReady({ db, blobs, diskReserve, log }: AppContext): Promise<string | null> {
  try {
    await ping(db);
  } catch {
    return 'database unavailable';
  }
  try {
    await blobs.check();
    return diskReserve.whyFull();
  } catch (failure) {
    log.warn({ err: failure }, 'blob storage not writable');
    return 'blob storage not writable';
  }
}
