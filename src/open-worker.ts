import { openAccounts } from './accounts.ts';
import { models } from './catalog/index.ts';
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
import { startWorker, type Worker } from './worker/worker.ts';
export async function openWorker(foundation: Foundation, closers: Closers): Promise<Worker> {
  const { config, live, clock, local, metrics } = foundation;
  const outbound = closers.add(openOutbound({ allowPrivate: config.allowPrivateNetwork }), opened =>
    opened.close(),
  );
  const engine = closers.add(openRenderEngine({ concurrency: config.localConcurrency }), opened =>
    opened.close(),
  );
  const provider = openLocalProvider({ engine, clock, folder: await local.make('render') });
  const ownEngine: Account = {
    id: localAccount,
    provider,
    slots: config.localConcurrency,
    shared: null,
    results: outbound,
  };
  const modelIds = models.map(model => model.id);
  const routing = closers.add(
    openAccounts(config.routing, modelIds, ownEngine, {
      clock,
      outbound,
      linkTo: linker(foundation),
      folder: await local.make('made'),
    }),
    opened => opened.close(),
  );
  const parts = {
    ...foundation,
    outbound,
    routing,
    runningPerKey: () => live.now().limits.runningPerKey,
    breaker: openBreaker(foundation),
    workFolder: await local.make('work'),
    onSettled: metrics.jobSettled,
  };
  const worker = closers.add(await startWorker(parts), opened => opened.stop());
  live.heed(next => {
    routing.replace(next.routing);
    worker.tryAccounts();
  });
  return worker;
}

/** Signed addresses of our files for upstreams, where the operator says under which name this gateway is reached. */
const linker =
  ({ config, signer, clock }: Foundation): ProviderParts['linkTo'] =>
  (id, mimeType) => {
    if (config.publicUrl === null) return null;
    const fileName = `input.${extensionByMimeType[mimeType] ?? 'bin'}`;
    return config.publicUrl + signer.sign({ id, fileName }, clock.now() + resultUrlLifeMs);
  };

/** Callbacks begin once the addresses in their bodies are known; what ends them stands ready before. */
export function openCallbacks(foundation: Foundation, closers: Closers): () => void {
  const { config, metrics } = foundation;
  const outbound = closers.add(openOutbound({ allowPrivate: config.allowPrivateNetwork }), opened =>
    opened.close(),
  );
  let deliveries: Deliveries | null = null;
  closers.add(null, () => deliveries?.stop());
  return () => {
    deliveries = startDeliveries({ ...foundation, outbound, onTried: metrics.deliveryTried });
  };
}
