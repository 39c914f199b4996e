/** The worker side of a process: accounts, the claim loop and the callback dispatcher. */
import { openRenderEngine } from '../../engine/src/engine.ts';
import { type CallbackDispatcher, startCallbackDispatcher } from '../callbacks/dispatcher.ts';
import { presentRecorder } from '../domain/exchange.ts';
import { extensionByMimeType, resultUrlLifeMs } from '../domain/file.ts';
import { localAccount } from '../domain/provider.ts';
import { type Outbound, openOutbound } from '../media/outbound.ts';
import type { ProviderDependencies } from '../providers/kit/definition.ts';
import type { ObservedOutbound } from '../providers/kit/exchange.ts';
import { openLocalProvider } from '../providers/local/index.ts';
import { openAccounts } from '../routing/accounts.ts';
import type { Account } from '../routing/routes.ts';
import { openCircuitBreaker } from '../worker/circuit-breaker.ts';
import { startWorker, type Worker } from '../worker/claim-loop.ts';
import type { WorkerContext } from '../worker/context.ts';
import type { AppContext } from './context.ts';
import { openPassedChecks } from './passed-checks.ts';

/** Opens the accounts and starts the worker; a reload replaces the accounts. */
export async function openWorker(
  context: AppContext,
  resources: AsyncDisposableStack,
  openEngine = openRenderEngine,
): Promise<Worker> {
  const { settings, scratchDir, metrics } = context;
  const { catalog } = settings;
  const outbound = resources.adopt(outboundOf(context), opened => opened.close());
  const { account, engine } = await openLocalEngine(context, outbound, resources, openEngine);
  const routing = await openRoutedAccounts(context, account, outbound, resources);
  const worker = await startWorker({
    ...context,
    catalog,
    outbound,
    probeVideo: engine.probe,
    routing,
    runningPerKey: () => settings.current().limits.runningPerKey,
    breaker: openCircuitBreaker(context),
    callbackUrlFor: callbackUrls(context),
    passedChecks: await openPassedChecks(context.config.dataDir, context.log),
    workDir: await scratchDir.makeDir('work'),
    onSettled: metrics.jobSettled,
  });
  resources.adopt(worker, opened => opened.stop());
  settings.onChange(next => {
    routing.replace(next);
    worker.checkAccounts();
  });
  return worker;
}

/**
 * The engine of this machine, as an account like any other. Its slots count in this process alone, because each process
 * has an engine of its own.
 */
async function openLocalEngine(
  { config, settings, clock, scratchDir }: AppContext,
  outbound: Outbound,
  resources: AsyncDisposableStack,
  openEngine: typeof openRenderEngine,
) {
  const concurrency = config.localConcurrency;
  const engine = resources.adopt(openEngine({ concurrency }), opened => opened.close());
  const folder = await scratchDir.makeDir('render');
  const account: Account = {
    id: localAccount,
    provider: openLocalProvider({ catalog: settings.catalog, engine, clock, folder }),
    slots: concurrency,
    sharedLimits: null,
    resultsClient: outbound,
  };
  return { account, engine };
}

/** The accounts with a route, beside the local engine. */
async function openRoutedAccounts(
  context: AppContext,
  local: Account,
  outbound: Outbound,
  resources: AsyncDisposableStack,
) {
  const { config, settings, clock, scratchDir } = context;
  const accounts = openAccounts(config, local, {
    catalog: settings.catalog,
    clock,
    outbound: observed(outbound),
    linkTo: linker(context),
    folder: await scratchDir.makeDir('made'),
  });
  return resources.adopt(accounts, opened => opened.close());
}

/** Reports a call to the recording of the attempt that makes it; read at each call. */
const observed = (outbound: Outbound): ObservedOutbound => ({
  ...outbound,
  get onExchange() {
    return presentRecorder();
  },
});

/** The client for URLs that users and upstreams wrote. */
const outboundOf = ({ config, nameResolver }: AppContext) =>
  openOutbound({ allowPrivate: config.allowPrivateNetwork, resolve: nameResolver.resolve });

/** Signed URLs of our files for upstreams; null without a public URL, for the upstream could not reach another one. */
const linker =
  ({ config, signer, clock }: AppContext): ProviderDependencies['linkTo'] =>
  (id, mimeType) => {
    if (config.publicUrl === null) return null;
    const fileName = `input.${extensionByMimeType[mimeType] ?? 'bin'}`;
    return config.publicUrl + signer.sign({ id, fileName }, clock.now() + resultUrlLifeMs);
  };

/**
 * The URLs that upstreams may call. The path is a secret, so it must not be sent unencrypted, and an upstream may refuse
 * a URL that is not https: plain http is used only where the operator allows the private network.
 */
const callbackUrls =
  ({ config, ingress }: AppContext): WorkerContext['callbackUrlFor'] =>
  calledFor => {
    const { publicUrl, allowPrivateNetwork } = config;
    const isUsable = publicUrl !== null && (publicUrl.startsWith('https:') || allowPrivateNetwork);
    return isUsable ? publicUrl + ingress.pathOf(calledFor) : null;
  };

/** Returns the start of the dispatcher, which waits until the URLs in callback bodies are known; `resources` stops it. */
export function openCallbacks(context: AppContext, resources: AsyncDisposableStack): () => void {
  const { settings, metrics } = context;
  const outbound = resources.adopt(outboundOf(context), opened => opened.close());
  const trustedOutbound = resources.adopt(openOutbound({ allowPrivate: true }), opened => opened.close());
  let dispatcher: CallbackDispatcher | null = null;
  resources.defer(() => dispatcher?.stop());
  return () => {
    dispatcher = startCallbackDispatcher({
      ...context,
      catalog: settings.catalog,
      outbound,
      trustedOutbound,
      onAttempt: metrics.deliveryAttempted,
    });
  };
}
