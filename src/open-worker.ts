import { openAccounts } from './accounts.ts';
import type { Closers } from './closers.ts';
import { extensionByMimeType, resultUrlLifeMs } from './domain/file.ts';
import type { Foundation } from './foundation.ts';
import { openOutbound } from './media/connect.ts';
import type { ProviderParts } from './providers/definition.ts';
import { openLocalProvider } from './providers/local.ts';
import type { Account } from './providers/routing.ts';
import { openRenderEngine } from './render/engine.ts';
import { localAccount } from './store/claims.ts';
import { openBreaker } from './worker/breaker.ts';
import { type Deliveries, startDeliveries } from './worker/deliver.ts';
import type { WorkerParts } from './worker/parts.ts';
import { startWorker, type Worker } from './worker/worker.ts';

export async function openWorker(foundation: Foundation, closers: Closers): Promise<Worker> {
  const { config, live, clock, local, metrics } = foundation;
  const outbound = closers.add(outboundOf(foundation), opened => opened.close());
  const engine = closers.add(openRenderEngine({ concurrency: config.localConcurrency }), opened =>
    opened.close(),
  );
  const { catalog } = live;
  const provider = openLocalProvider({ catalog, engine, clock, folder: await local.make('render') });
  const ownEngine: Account = {
    id: localAccount,
    provider,
    slots: config.localConcurrency,
    shared: null,
    results: outbound,
  };
  const routing = closers.add(
    openAccounts(config, ownEngine, {
      catalog,
      clock,
      outbound,
      linkTo: linker(foundation),
      folder: await local.make('made'),
    }),
    opened => opened.close(),
  );
  const parts = {
    ...foundation,
    catalog,
    outbound,
    probeVideo: engine.probe,
    routing,
    runningPerKey: () => live.now().limits.runningPerKey,
    breaker: openBreaker(foundation),
    callbackUrlFor: callbackUrls(foundation),
    workFolder: await local.make('work'),
    onSettled: metrics.jobSettled,
  };
  const worker = closers.add(await startWorker(parts), opened => opened.stop());
  live.heed(next => {
    routing.replace(next);
    worker.tryAccounts();
  });
  return worker;
}

/** The way to addresses that users and upstreams wrote. */
const outboundOf = ({ config, names }: Foundation) =>
  openOutbound({ allowPrivate: config.allowPrivateNetwork, resolve: names.resolve });

/** Signed addresses of our files for upstreams, where the operator says under which name this gateway is reached. */
const linker =
  ({ config, signer, clock }: Foundation): ProviderParts['linkTo'] =>
  (id, mimeType) => {
    if (config.publicUrl === null) return null;
    const fileName = `input.${extensionByMimeType[mimeType] ?? 'bin'}`;
    return config.publicUrl + signer.sign({ id, fileName }, clock.now() + resultUrlLifeMs);
  };

/**
 * Where upstreams may call. The path is a secret that must not travel in the open, and an upstream may refuse an
 * address that is not https: another one serves only where the operator allows the private network.
 */
const callbackUrls =
  ({ config, ingress }: Foundation): WorkerParts['callbackUrlFor'] =>
  calledFor => {
    const { publicUrl, allowPrivateNetwork } = config;
    const isFit = publicUrl !== null && (publicUrl.startsWith('https:') || allowPrivateNetwork);
    return isFit ? publicUrl + ingress.pathOf(calledFor) : null;
  };

/** Callbacks begin once the addresses in their bodies are known; what ends them stands ready before. */
export function openCallbacks(foundation: Foundation, closers: Closers): () => void {
  const { live, metrics } = foundation;
  const outbound = closers.add(outboundOf(foundation), opened => opened.close());
  let deliveries: Deliveries | null = null;
  closers.add(null, () => deliveries?.stop());
  return () => {
    deliveries = startDeliveries({
      ...foundation,
      catalog: live.catalog,
      outbound,
      onTried: metrics.deliveryTried,
    });
  };
}
