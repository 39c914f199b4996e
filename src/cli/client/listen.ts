/** `atelier listen`: forwards webhooks (callbacks) of the user's jobs to a local address, for development. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Exchange } from '../../../client/src/exchange.ts';
import { type Client, NotFoundError, NotReadyError } from '../../../client/src/index.ts';
import { systemClock } from '../../domain/clock.ts';
import { webhookHeaders } from '../../domain/delivery.ts';
import { type DeliveryId, parseDeliveryId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { print } from '../print.ts';
import { withClientOptions } from './client-options.ts';
import { type ClientCommandOptions, type CommandContext, openCommandContext } from './command-context.ts';
import { openInterrupts } from './interrupts.ts';
import { openAdminExchange } from './open-admin-exchange.ts';

/** Adds `listen`, which needs both a key and the admin API. */
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

/** Time between two reads of the callback log. */
const pollIntervalMs = 1_000;
/** The receiver has as long as with a real delivery. */
const responseTimeoutMs = 15_000;

/** Runs until Ctrl-C, which is reported as an interrupt. */
async function listenCommand(options: ListenOptions): Promise<void> {
  const { forwardTo, model = null, printSecret } = options;
  if (printSecret) return print(await (await openCommandContext(options)).client.callbacks.secret());
  if (!/^https?:\/\//.test(forwardTo ?? ''))
    throw new CommandError('--forward-to must be an http or https address');
  const operator = await openAdminExchange();
  const context = await openCommandContext(options);
  const secret = await context.client.callbacks.secret();
  const interrupts = openInterrupts();
  const deliveries = await openDeliveryLog(operator);
  context.output.note(`Listening. Callbacks of your jobs go to ${forwardTo}, with the usual signature.`);
  try {
    while (!interrupts.signal.aborted) {
      for (const delivery of await deliveries.next())
        await forward(context, delivery, { url: forwardTo!, model, secret });
      await sleep(pollIntervalMs, undefined, { signal: interrupts.signal }).catch(() => {});
    }
  } finally {
    interrupts.close();
  }
  throw new CommandError('Stopped listening.', exitCodes.interrupted);
}

/** The members of `GET /admin/v1/deliveries` that are used here. */
const deliveryPage = z.object({
  data: z.array(z.object({ id: z.string(), request_id: z.string(), status: z.string() })),
  has_more: z.boolean(),
});
/** One callback of the list, as far as it is read. */
type Delivery = z.output<typeof deliveryPage>['data'][number];

/** The log of callbacks of all users; `next` returns those since its last call, oldest first. */
async function openDeliveryLog(exchange: Exchange) {
  const read = async (query: string) =>
    deliveryPage.parse(
      (await exchange({ method: 'GET', path: `/admin/v1/deliveries?${query}`, repeatable: 'read' })).body,
    );
  let newest = (await read('limit=1')).data[0]?.id ?? '';
  return {
    async next(): Promise<readonly Delivery[]> {
      const found: Delivery[] = [];
      let after = '';
      for (;;) {
        const { data, has_more } = await read(`limit=100${after}`);
        // Ids sort by their time.
        const recent = data.filter(({ id }) => id > newest);
        found.unshift(...recent.toReversed());
        if (recent.length < data.length || !has_more) break;
        after = `&after=${data.at(-1)?.id}`;
      }
      newest = found.at(-1)?.id ?? newest;
      return found;
    },
  };
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
  delivery: Delivery,
  { url, model, secret }: ForwardTarget,
) {
  const id = parseDeliveryId(delivery.id);
  const callback = id && (await readCallbackBody(client, delivery.request_id));
  // A callback of another user or of another model is skipped.
  if (!callback || (model !== null && callback.model !== model)) return;
  const answer = await post(url, id, callback.body, secret);
  output.printResult(
    { id: delivery.id, request_id: delivery.request_id, status: delivery.status, answer },
    () => [`${delivery.status}  ${delivery.request_id}  ${answer}`],
  );
}

/** Null where the job belongs to another user. */
async function readCallbackBody(client: Client, requestId: string) {
  try {
    const job = await client.jobs.get(requestId);
    const body = await client.queue.result(job).catch(failure => {
      if (failure instanceof NotReadyError) return failure.jobStatus;
      throw failure;
    });
    return { model: job.model, body: toJson(body) };
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
