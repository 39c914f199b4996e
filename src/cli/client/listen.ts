/** `atelier listen`: forwards webhooks (callbacks) of the user's jobs to a local address, for development. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Callback, type Client, NotFoundError } from '../../../client/src/index.ts';
import { systemClock } from '../../domain/clock.ts';
import { webhookHeaders } from '../../domain/delivery.ts';
import { type DeliveryId, parseDeliveryId } from '../../domain/ids.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { print } from '../print.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, type CommandContext, openCommandContext } from './command-context.ts';
import { openInterrupts } from './interrupts.ts';

/** Adds `listen`. Its key needs the scopes `jobs:read` and `webhook-secret`; an operator needs nothing more. */
export function registerListen(program: Command): void {
  withClientOptions(program.command('listen'))
    .description('forward the callbacks (webhooks) of your jobs to a local address until Ctrl-C')
    .option('--forward-to <address>', 'address of the receiver, such as http://localhost:3000/hooks')
    .option('--model <id>', 'only jobs of this model')
    .option('--print-secret', 'print the signing secret and exit')
    .action(listenCommand);
}

/** Options of `listen`. */
interface ListenOptions extends ClientCommandOptions {
  /** Required unless printSecret is set. */
  readonly forwardTo?: string;
  readonly model?: string;
  readonly printSecret?: true;
}

/** Time between two reads of the list of callbacks. */
const pollIntervalMs = 1_000;
/** The receiver has as long as with a real delivery. */
const responseTimeoutMs = 15_000;

/** Runs until Ctrl-C, which is reported as an interrupt. */
async function listenCommand(options: ListenOptions): Promise<void> {
  const { forwardTo, model = null, printSecret } = options;
  if (printSecret) return print(await (await openCommandContext(options)).client.callbacks.secret());
  if (!/^https?:\/\//.test(forwardTo ?? ''))
    throw new CommandError('--forward-to must be an http or https address');
  const context = await openCommandContext(options);
  const secret = await context.client.callbacks.secret();
  const interrupts = openInterrupts();
  const log = await openCallbackLog(context.client);
  context.output.note(`Listening. Callbacks of your jobs go to ${forwardTo}, with the usual signature.`);
  try {
    while (!interrupts.signal.aborted) {
      for (const callback of await log.next())
        await forward(context, callback, { url: forwardTo!, model, secret });
      await sleep(pollIntervalMs, undefined, { signal: interrupts.signal }).catch(() => {});
    }
  } finally {
    interrupts.close();
  }
  throw new CommandError('Stopped listening.', exitCodes.interrupted);
}

/**
 * Ids are made in the processes of a gateway, and rows appear as they are committed: a younger id may be there before an
 * older one. Each read goes this far back, and what was seen is skipped.
 */
const overlapSeconds = 60;
/** Pages of one read: more callbacks than a gateway makes within the overlap. */
const maxPages = 100;

/** The log of the user's callbacks; `next` returns those since its last call, oldest first. */
async function openCallbackLog(client: Client) {
  const seen = new Map<string, number>();
  let newest: number | null = null;
  const next = async (): Promise<readonly Callback[]> => {
    const since = newest === null ? undefined : newest - overlapSeconds;
    for (const [id, at] of seen) if (since !== undefined && at < since) seen.delete(id);
    const found = (await readSince(client, since)).filter(({ id }) => !seen.has(id));
    for (const { id, created_at } of found) {
      seen.set(id, created_at);
      newest = Math.max(newest ?? 0, created_at);
    }
    return found.toReversed();
  };
  newest = (await client.callbacks.list({ limit: 1 })).data[0]?.created_at ?? null;
  // What is there before the start is not forwarded.
  if (newest !== null) await next();
  return { next };
}

/** Every page of the callbacks since a time (Unix seconds), newest first; from the beginning where it is undefined. */
async function readSince(client: Client, since: number | undefined): Promise<readonly Callback[]> {
  const found: Callback[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await client.callbacks.list({ since, limit: 100, after });
    found.push(...page.data);
    if (!page.has_more) break;
    after = page.last_id ?? undefined;
  }
  return found;
}

/** Where and how callbacks are forwarded. */
interface ForwardTarget {
  readonly url: string;
  /** Only jobs of this model; null: all. */
  readonly model: string | null;
  /** Signing secret of the user. */
  readonly secret: string;
}

/** Sends the body of now, signed again under the id of the callback. */
async function forward(
  { client, output }: CommandContext,
  { id, request_id, status, model: ofModel }: Callback,
  { url, model, secret }: ForwardTarget,
) {
  if (model !== null && ofModel !== model) return;
  const body = await readBody(client, id);
  const parsed = parseDeliveryId(id);
  // Nothing is sent any more of what is gone, or was followed by the end of its job.
  if (body === null || parsed === null) return;
  const answer = await post(url, parsed, body, secret);
  output.printResult({ id, request_id, status, answer }, () => [`${status}  ${request_id}  ${answer}`]);
}

/** Null where nothing is to be sent any more. */
async function readBody(client: Client, id: string): Promise<string | null> {
  try {
    return (await client.callbacks.get(id)).body;
  } catch (failure) {
    if (failure instanceof NotFoundError) return null;
    throw failure;
  }
}

/** The status of the receiver's answer, or the reason of a failed connection. */
async function post(to: string, id: DeliveryId, body: string, secret: string): Promise<number | string> {
  const headers = webhookHeaders(id, Buffer.from(body), [secret], systemClock.now());
  try {
    const response = await fetch(to, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    await response.body?.cancel();
    return response.status;
  } catch (failure) {
    const { cause } = failure instanceof Error ? failure : {};
    return cause instanceof Error ? cause.message : String(failure);
  }
}
