import { openRenderEngine } from '../../engine/src/engine.ts';
import { type CallbackDispatcher, startCallbackDispatcher } from '../callbacks/dispatcher.ts';
import { extensionByMimeType, resultUrlLifeMs } from '../domain/file.ts';
import { localAccount } from '../domain/provider.ts';
import { openOutbound } from '../media/outbound.ts';
import type { ProviderDependencies } from '../providers/kit/definition.ts';
import { openLocalProvider } from '../providers/local/index.ts';
import { openAccounts } from '../routing/accounts.ts';
import type { Account } from '../routing/routes.ts';
import { openCircuitBreaker } from '../worker/circuit-breaker.ts';
import { startWorker, type Worker } from '../worker/claim-loop.ts';
import type { WorkerContext } from '../worker/context.ts';
import type { Closers } from './closers.ts';
import type { AppContext } from './context.ts';

export async function openWorker(foundation: AppContext, closers: Closers): Promise<Worker> {
  const { config, settings, clock, scratchDir, metrics } = foundation;
  const outbound = closers.add(outboundOf(foundation), opened => opened.close());
  const engine = closers.add(openRenderEngine({ concurrency: config.localConcurrency }), opened =>
    opened.close(),
  );
  const { catalog } = settings;
  const provider = openLocalProvider({ catalog, engine, clock, folder: await scratchDir.makeDir('render') });
  const ownEngine: Account = {
    id: localAccount,
    provider,
    slots: config.localConcurrency,
    sharedLimits: null,
    resultsClient: outbound,
  };
  const routing = closers.add(
    openAccounts(config, ownEngine, {
      catalog,
      clock,
      outbound,
      linkTo: linker(foundation),
      folder: await scratchDir.makeDir('made'),
    }),
    opened => opened.close(),
  );
  const parts = {
    ...foundation,
    catalog,
    outbound,
    probeVideo: engine.probe,
    routing,
    runningPerKey: () => settings.current().limits.runningPerKey,
    breaker: openCircuitBreaker(foundation),
    callbackUrlFor: callbackUrls(foundation),
    workDir: await scratchDir.makeDir('work'),
    onSettled: metrics.jobSettled,
  };
  const worker = closers.add(await startWorker(parts), opened => opened.stop());
  settings.onChange(next => {
    routing.replace(next);
    worker.checkAccounts();
  });
  return worker;
}

/** The way to addresses that users and upstreams wrote. */
const outboundOf = ({ config, nameResolver }: AppContext) =>
  openOutbound({ allowPrivate: config.allowPrivateNetwork, resolve: nameResolver.resolve });

/** Signed addresses of our files for upstreams, where the operator says under which name this gateway is reached. */
const linker =
  ({ config, signer, clock }: AppContext): ProviderDependencies['linkTo'] =>
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
  ({ config, ingress }: AppContext): WorkerContext['callbackUrlFor'] =>
  calledFor => {
    const { publicUrl, allowPrivateNetwork } = config;
    const isFit = publicUrl !== null && (publicUrl.startsWith('https:') || allowPrivateNetwork);
    return isFit ? publicUrl + ingress.pathOf(calledFor) : null;
  };

/** Callbacks begin once the addresses in their bodies are known; what ends them stands ready before. */
export function openCallbacks(foundation: AppContext, closers: Closers): () => void {
  const { settings, metrics } = foundation;
  const outbound = closers.add(outboundOf(foundation), opened => opened.close());
  let deliveries: CallbackDispatcher | null = null;
  closers.add(null, () => deliveries?.stop());
  return () => {
    deliveries = startCallbackDispatcher({
      ...foundation,
      catalog: settings.catalog,
      outbound,
      onAttempt: metrics.deliveryAttempted,
    });
  };
}
