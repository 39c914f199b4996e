import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { candidatesOf, isSignedCall } from './accounts.ts';
import { openAdmission } from './admission/admit.ts';
import { openAuthenticate } from './admission/authenticate.ts';
import { openBodies } from './admission/bodies.ts';
import { openMediaGate } from './admission/keep-media.ts';
import { openLoginThrottle } from './admission/login-throttle.ts';
import { openPasswords, type Passwords } from './admission/passwords.ts';
import { openRate, type RateLimit } from './admission/rate.ts';
import { openRefusedLogins } from './admission/refused-logins.ts';
import { openWaitingPlaces } from './admission/waiting-places.ts';
import { whileRoom } from './ballast.ts';
import type { Closers } from './closers.ts';
import type { Foundation } from './foundation.ts';
import { createApp, createHealthApp } from './http/app.ts';
import { readBuiltConsole } from './http/console/built-console.ts';
import { openDeparture } from './http/departure.ts';
import { openJobWatch } from './http/job-watch.ts';
import type { HttpParts } from './http/parts.ts';
import { openKnownAccounts } from './known-accounts.ts';
import { listen } from './listen.ts';
import { openOutbound } from './media/connect.ts';
import type { Worker } from './worker/worker.ts';
/** Serves what the role has to serve; returns where it listens. */
export async function openHttp(
  foundation: Foundation,
  worker: Worker | null,
  closers: Closers,
  open = openPasswords,
): Promise<string> {
  const { config, clock, metrics } = foundation;
  // Nobody is sent to a process that only works.
  const departure = openDeparture(clock, config.role === 'worker' ? 0 : config.drainMs);
  const parts = {
    ...foundation,
    metrics: metrics.text,
    onRefused: metrics.refused,
    maxConnections: config.limits.connections,
    whyNotReady: async () =>
      departure.whyNotReady() ?? (await whyStorageIsNotReady(foundation)) ?? worker?.whyNotReady() ?? null,
  };
  const app = config.role === 'worker' ? createHealthApp(parts) : await openApi(parts, foundation, open());
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestAnswered(route, request.method, reply.statusCode, reply.elapsedTime / 1000);
  });
  departure.attend(app);
  closers.add(app, async opened => {
    if (opened.server.listening) await departure.begin();
    await opened.close();
  });
  return listen(app, config, { isShared: config.processes > 1 });
}

/** Where the build of the console puts it. */
const consoleFolder = fileURLToPath(new URL('../console/dist/', import.meta.url));

/** Upstreams tell of a few states; whoever calls more often is asked to come later. */
const callsOfJob: RateLimit = { perSecond: 1, burst: 10 };

type OpenParts = Pick<HttpParts, 'metrics' | 'onRefused' | 'maxConnections' | 'whyNotReady'>;

async function openApi(
  open: OpenParts,
  foundation: Foundation,
  passwords: Passwords,
): Promise<FastifyInstance> {
  const { config, live, db, clock, metrics, positions, local, ballast, sessionKey, log } = foundation;
  const base = { ...foundation, ...open, spool: await local.make('spool') };
  const mediaGate = openMediaGate(base);
  const watch = openJobWatch(db);
  const bodies = openBodies(config.limits.bodies);
  const outbound = openOutbound({ allowPrivate: config.allowPrivateNetwork });
  const refusedLogins = openRefusedLogins(db, clock, log);
  let takeFromRate = openRate(config.limits.queue, clock);
  live.heed(({ limits }) => {
    takeFromRate = openRate(limits.queue, clock);
  });
  metrics.watchBodies(bodies.bytesInFlight);
  const app = createApp({
    ...base,
    catalog: live.catalog,
    served: live.served,
    prices: () => live.now().prices,
    console: onlyOnce(() => readBuiltConsole(consoleFolder)),
    accounts: openKnownAccounts({ ...foundation, routing: () => live.now().routing, served: live.served }),
    watch,
    bodies,
    outbound,
    passwords,
    refusedLogins,
    throttle: openLoginThrottle(db, clock, sessionKey),
    authenticate: openAuthenticate(db, clock),
    takeFromRate: keyId => takeFromRate(keyId),
    takeFromCalls: openRate(callsOfJob, clock),
    isSigned: (account, call) => isSignedCall(live.now().routing, account, call),
    admission: openAdmission({
      db: whileRoom(db, ballast),
      clock,
      tracing: foundation.tracing,
      positions,
      mediaGate,
      bodies,
      waitingPlaces: openWaitingPlaces({
        db,
        clock,
        limits: config.limits.waiting,
        hasNeighbours: db.dialect !== 'sqlite',
      }),
      served: live.served,
      candidatesOf: model => candidatesOf(live.now().routing, model),
      allowPrivateNetwork: config.allowPrivateNetwork,
    }),
  });
  app.addHook('preClose', () => watch.close());
  app.addHook('onClose', async () => bodies.close());
  app.addHook('onClose', () => passwords.close());
  app.addHook('onClose', () => refusedLogins.close());
  app.addHook('onClose', () => outbound.close());
  return app;
}

/** Begun when it is first asked for. */
function onlyOnce<T>(begin: () => Promise<T>): () => Promise<T> {
  let begun: Promise<T> | null = null;
  return () => {
    begun ??= begin();
    return begun;
  };
}

async function whyStorageIsNotReady({ db, blobs, ballast, log }: Foundation): Promise<string | null> {
  try {
    await db.read('SELECT 1 AS one');
  } catch {
    return 'the database is away';
  }
  try {
    await blobs.check();
    return ballast.whyFull();
  } catch (failure) {
    log.warn({ err: failure }, 'the blobs cannot be written');
    return 'the blobs cannot be written';
  }
}
