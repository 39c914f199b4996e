import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { openAdmission } from '../admission/admit.ts';
import { openAuthenticate } from '../admission/authenticate.ts';
import { openBacklogLimit } from '../admission/backlog-limit.ts';
import { openLoginThrottle } from '../admission/login-throttle.ts';
import { openPasswords, type Passwords } from '../admission/passwords.ts';
import { openRate } from '../admission/rate.ts';
import { openRefusedLogins } from '../admission/refused-logins.ts';
import { openSpool } from '../admission/spool.ts';
import { openStorageQuota } from '../admission/storage-quota.ts';
import { openMemoryBudget } from '../body/memory-budget.ts';
import type { Config } from '../config/config.ts';
import type { RateLimit } from '../domain/limits.ts';
import { openTrustedProxies } from '../domain/trusted-proxies.ts';
import { createApp, createHealthApp } from '../http/app.ts';
import { readBuiltConsole } from '../http/console/built-console.ts';
import { openDrain } from '../http/drain.ts';
import type { HttpContext } from '../http/http-context.ts';
import { openJobWatch } from '../http/job-watch.ts';
import { openOutbound } from '../media/outbound.ts';
import { openAccountStatus } from '../routing/account-status.ts';
import { candidatesOf, verifyIngressSignature } from '../routing/accounts.ts';
import { ping } from '../store/db/ping.ts';
import type { Worker } from '../worker/claim-loop.ts';
import type { Closers } from './closers.ts';
import type { AppContext } from './context.ts';
import { diskBytesAt, rejectWritesWhenFull } from './disk-reserve.ts';
import { listen } from './listen.ts';
import { connectionsWithinFileLimit, readOpenFileLimit } from './open-file-limit.ts';

/** What tests put in place of the gateway's own. */
export interface HttpOverrides {
  readonly openPasswords?: typeof openPasswords;
  readonly verifiesDeclarations?: boolean;
}

/** Serves what the role has to serve; returns where it listens. */
export async function openHttp(
  foundation: AppContext,
  worker: Worker | null,
  closers: Closers,
  { openPasswords: open = openPasswords, verifiesDeclarations = false }: HttpOverrides = {},
): Promise<string> {
  const { config, clock, metrics, log } = foundation;
  // Nobody is sent to a process that only works.
  const departure = openDrain(clock, config.role === 'worker' ? 0 : config.drainMs);
  const parts = {
    ...foundation,
    verifiesDeclarations,
    metrics: metrics.text,
    onRefused: metrics.refused,
    metricsToken: config.metricsToken,
    connectionLimits: {
      maxConnections: connectionsWithinFileLimit(readOpenFileLimit(), config.limits.connections, log),
      connectionsPerAddress: config.limits.connectionsPerAddress,
      isTrustedProxy: openTrustedProxies(config.trustedProxies),
    },
    whyNotReady: async () =>
      departure.whyNotReady() ?? (await whyStorageIsNotReady(foundation)) ?? worker?.whyNotReady() ?? null,
  };
  const app = config.role === 'worker' ? createHealthApp(parts) : await openApi(parts, foundation, open());
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestAnswered(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
  });
  departure.attach(app);
  closers.add(app, async opened => {
    if (opened.server.listening) await departure.begin();
    await opened.close();
  });
  return listen(app, config, { isShared: config.processes > 1 });
}

/** Where the build of the console puts it. */
const consoleFolder = fileURLToPath(new URL('../../console/dist/', import.meta.url));

/** Upstreams tell of a few states; whoever calls more often is asked to come later. */
const webhookRate: RateLimit = { perSecond: 1, burst: 10 };

type OpenDependencies = Pick<
  HttpContext,
  'metrics' | 'metricsToken' | 'onRefused' | 'connectionLimits' | 'whyNotReady' | 'verifiesDeclarations'
>;

async function openApi(
  open: OpenDependencies,
  foundation: AppContext,
  passwords: Passwords,
): Promise<FastifyInstance> {
  const {
    config,
    settings,
    db,
    clock,
    nameResolver,
    metrics,
    positions,
    scratchDir,
    diskReserve,
    sessionKey,
    log,
  } = foundation;
  const spool = openSpool(await scratchDir.makeDir('spool'), config.limits.spool);
  const storage = openStorageQuota({
    db,
    clock,
    bounds: config.limits.storage,
    maxTotalBytes: await maxStoredBytes(config),
  });
  const base = { ...foundation, ...open, storage, spool };
  const jobWatch = openJobWatch(db);
  const memoryBudget = openMemoryBudget(config.limits.bodies);
  const outbound = openOutbound({ allowPrivate: config.allowPrivateNetwork, resolve: nameResolver.resolve });
  const refusedLogins = openRefusedLogins(db, clock, log);
  let takeFromRate = openRate(config.limits.queue, clock);
  settings.onChange(({ limits }) => {
    takeFromRate = openRate(limits.queue, clock);
  });
  metrics.watchBodies(memoryBudget.bytesInFlight);
  metrics.watchSpool(spool.bytesInUse);
  const app = createApp({
    ...base,
    catalog: settings.catalog,
    servedModels: settings.servedModels,
    prices: () => settings.current().prices,
    console: memoize(() => readBuiltConsole(consoleFolder)),
    accounts: openAccountStatus({
      ...foundation,
      routing: () => settings.current().routing,
      catalog: settings.servedModels,
    }),
    jobWatch,
    memoryBudget,
    outbound,
    passwords,
    refusedLogins,
    loginThrottle: openLoginThrottle(db, clock, sessionKey),
    authenticate: openAuthenticate(db, clock),
    takeFromRate: keyId => takeFromRate(keyId),
    takeFromWebhookRate: openRate(webhookRate, clock),
    isSigned: (account, call) => verifyIngressSignature(settings.current().routing, account, call),
    admission: openAdmission({
      db: rejectWritesWhenFull(db, diskReserve),
      clock,
      tracing: foundation.tracing,
      positions,
      media: base,
      memoryBudget,
      storage,
      backlog: openBacklogLimit({
        db,
        clock,
        limits: config.limits.waiting,
        hasSiblingProcesses: db.dialect !== 'sqlite',
      }),
      servedModels: settings.servedModels,
      candidatesOf: model => candidatesOf(settings.current().routing, model),
      allowPrivateNetwork: config.allowPrivateNetwork,
    }),
  });
  app.addHook('preClose', () => jobWatch.close());
  app.addHook('onClose', async () => memoryBudget.close());
  app.addHook('onClose', () => passwords.close());
  app.addHook('onClose', () => refusedLogins.close());
  app.addHook('onClose', () => outbound.close());
  return app;
}

/** A bucket is no disk: only a number of bytes bounds it. */
async function maxStoredBytes({ limits, dataDir, s3 }: Config): Promise<number | null> {
  const { inAll } = limits.storage;
  if ('bytes' in inAll) return inAll.bytes;
  return s3 === null ? Math.floor((await diskBytesAt(dataDir)) * inAll.shareOfDisk) : null;
}

/** Begun when it is first asked for. */
function memoize<T>(begin: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null;
  return () => {
    begun ??= begin();
    return begun;
  };
}

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
    log.warn({ err: failure }, 'the blobs cannot be written');
    return 'the blobs cannot be written';
  }
}
