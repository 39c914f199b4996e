/** `atelier providers record`: makes one real job at an account and keeps its calls, without secrets, as a cassette. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '../catalog/model.ts';
import { type Config, readConfig } from '../config/config.ts';
import { localAccount } from '../domain/provider.ts';
import type { AccountConfig, RouteConfig } from '../routing/accounts.ts';
import { providerSetupOf } from '../routing/provider-setup.ts';
import { recordJob } from '../routing/record-job.ts';
import { CommandError } from './command-error.ts';
import { print } from './print.ts';
import { openPrompts } from './prompts.ts';

/** Options of the command line. */
export interface RecordOptions {
  readonly model?: string;
  /** File with the input as JSON. */
  readonly input?: string;
  /** Folder of the cassettes. */
  readonly to: string;
  readonly yes?: true;
}

/** Choose the job → say what it costs → confirm → make it → write the cassette. */
export async function recordProviderCommand(id: string, options: RecordOptions): Promise<void> {
  const config = readConfig(process.env);
  const account = accountOf(config, id);
  const { model, route } = chooseRoute(config, account, options.model);
  const input = await readInput(model, options.input);
  await confirm(account, model, options);
  const stopping = new AbortController();
  // Ends the wait; the job goes on at the upstream.
  process.once('SIGINT', () => stopping.abort());
  const { catalog, allowPrivateNetwork } = config;
  const { signal } = stopping;
  const cassette = await recordJob({ account, route, model, input, catalog, allowPrivateNetwork, signal });
  // An answer that is missing cannot be played again: what left, and what did not, is not known there.
  const unanswered = cassette.exchanges
    .map(({ answer: given }) => 'broken' in given && given.broken)
    .find(Boolean);
  if (unanswered)
    throw new CommandError(`${account.id}: a call had no answer (${unanswered}); nothing was kept.`);
  const folder = join(options.to, account.provider);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${model.id}-${cassette.outcome.kind}-${cassette.source.at}.json`);
  await writeFile(path, `${JSON.stringify(cassette, null, 2)}\n`);
  print(
    `${account.id}: ${model.id} ended as ${cassette.outcome.kind}; ${path} has its ${cassette.exchanges.length} calls.`,
  );
  print('Keys and signed queries were removed. Read the file before you share it.');
}

/** The account of that name; throws for the local engine and for an unknown one. */
function accountOf({ routing }: Config, id: string): AccountConfig {
  if (id === localAccount) throw new CommandError('local is the local engine: it has no upstream to record.');
  const account = routing.accounts.find(each => each.id === id);
  if (!account) throw new CommandError(`There is no account ${id}. See: atelier providers list`);
  return account;
}

/** The model that was named, else the provider's cheapest, else the first one that is routed there. */
function chooseRoute(
  { routing, catalog }: Config,
  { id, provider }: AccountConfig,
  wanted: string | undefined,
): { readonly model: Model; readonly route: RouteConfig } {
  const routed = new Map(
    [...routing.routes].flatMap(([model, list]) =>
      list.filter(({ account }) => account === id).map(route => [model, route] as const),
    ),
  );
  const found = providerSetupOf(provider);
  // The model that a trial costs least with, where the provider names one.
  const cheapest = found.kind === 'found' ? found.setup.trial?.model : undefined;
  const modelId =
    wanted ?? (cheapest !== undefined && routed.has(cheapest) ? cheapest : [...routed.keys()][0]);
  if (modelId === undefined)
    throw new CommandError(`No model is routed to ${id}. Add a route in atelier.yaml.`);
  const route = routed.get(modelId);
  const model = catalog.find(modelId);
  if (!route || !model)
    throw new CommandError(`${modelId} is not routed to ${id} (${[...routed.keys()].join(', ')})`);
  return { model, route };
}

/** The input of `--input`, or the first example of the model, which is its cheapest. */
async function readInput(model: Model, path: string | undefined): Promise<unknown> {
  const written: unknown = path === undefined ? model.examples[0] : JSON.parse(await readFile(path, 'utf8'));
  const parsed = model.parse(written);
  if (!parsed.ok)
    throw new CommandError(
      `--input: ${parsed.faults.map(({ path, reason }) => `${path} ${reason}`).join('; ')}`,
    );
  if (path === undefined && model.media(parsed.input).length > 0)
    throw new CommandError(
      `${model.id} needs media: give an input with public addresses by --input FILE.json`,
    );
  return parsed.input;
}

/** It costs money: only a person, or --yes, starts it. */
async function confirm(account: AccountConfig, model: Model, { yes }: RecordOptions): Promise<void> {
  const found = providerSetupOf(account.provider);
  const trial = found.kind === 'found' ? found.setup.trial : undefined;
  const cost = trial?.model === model.id ? `It costs ${trial.cost}.` : `${account.id} may be charged for it.`;
  const sentence = `This makes one real job of ${model.id} at ${account.id} (${account.provider}). ${cost}`;
  if (yes) return print(sentence);
  const prompts = openPrompts();
  try {
    if (!(await prompts.confirm(`${sentence} Go on?`))) throw new CommandError('Nothing was sent.');
  } finally {
    prompts.close();
  }
}
