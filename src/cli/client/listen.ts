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

export function registerListen(program: Command): void {
  withClientOptions(program.command('listen'))
    .description('sends the callbacks of your jobs on to a program on this machine, until Ctrl-C')
    .option('--forward-to <address>', 'where it listens, such as http://localhost:3000/hooks')
    .option('--model <id>', 'of one model')
    .option('--print-secret', 'only prints what they are signed with')
    .action(listenCommand);
}

interface ListenOptions extends ClientCommandOptions {
  readonly forwardTo?: string;
  readonly model?: string;
  readonly printSecret?: true;
}

const pollIntervalMs = 1_000;
const responseTimeoutMs = 15_000;

async function listenCommand(options: ListenOptions): Promise<void> {
  const { forwardTo, model = null, printSecret } = options;
  if (printSecret) return print(await (await openCommandContext(options)).client.callbacks.secret());
  if (!/^https?:\/\//.test(forwardTo ?? ''))
    throw new CommandError('--forward-to must be an http or https address');
  const operator = await openAdminExchange();
  const asked = await openCommandContext(options);
  const secret = await asked.client.callbacks.secret();
  const interrupts = openInterrupts();
  const seen = await openDeliveryLog(operator);
  asked.output.note(`Listening. Callbacks of your jobs go to ${forwardTo}, signed as ever.`);
  try {
    while (!interrupts.signal.aborted) {
      for (const delivery of await seen.next())
        await forward(asked, delivery, { url: forwardTo!, model, secret });
      await sleep(pollIntervalMs, undefined, { signal: interrupts.signal }).catch(() => {});
    }
  } finally {
    interrupts.close();
  }
  throw new CommandError('No longer listening.', exitCodes.interrupted);
}

const deliveryPage = z.object({
  data: z.array(z.object({ id: z.string(), request_id: z.string(), status: z.string() })),
  has_more: z.boolean(),
});
type Delivery = z.output<typeof deliveryPage>['data'][number];

/** The log of callbacks of all users; gives those that came since it was last asked, the oldest first. */
async function openDeliveryLog(ask: Exchange) {
  const read = async (query: string) =>
    deliveryPage.parse(
      (await ask({ method: 'GET', path: `/admin/v1/deliveries?${query}`, repeatable: 'read' })).body,
    );
  let newest = (await read('limit=1')).data[0]?.id ?? '';
  return {
    async next(): Promise<readonly Delivery[]> {
      const found: Delivery[] = [];
      let after = '';
      for (;;) {
        const { data, has_more } = await read(`limit=100${after}`);
        // Ids are made of their time.
        const young = data.filter(({ id }) => id > newest);
        found.unshift(...young.toReversed());
        if (young.length < data.length || !has_more) break;
        after = `&after=${data.at(-1)?.id}`;
      }
      newest = found.at(-1)?.id ?? newest;
      return found;
    },
  };
}

interface ForwardTarget {
  readonly url: string;
  readonly model: string | null;
  readonly secret: string;
}

/** Signed anew, under the id of the callback itself. */
async function forward(
  { client, output }: CommandContext,
  delivery: Delivery,
  { url, model, secret }: ForwardTarget,
) {
  const id = parseDeliveryId(delivery.id);
  const told = id && (await readCallbackBody(client, delivery.request_id));
  // Another user's, or of another model: no business of this receiver.
  if (!told || (model !== null && told.model !== model)) return;
  const answer = await post(url, id, told.body, secret);
  output.printResult(
    { id: delivery.id, request_id: delivery.request_id, status: delivery.status, answer },
    () => [`${delivery.status}  ${delivery.request_id}  ${answer}`],
  );
}

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

/** The code that the receiver answered, or why it did not. */
async function post(to: string, id: DeliveryId, body: string, secret: string): Promise<number | string> {
  const headers = webhookHeaders(id, Buffer.from(body), [secret], systemClock.now());
  try {
    const answer = await fetch(to, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch (failure) {
    const { cause } = failure instanceof Error ? failure : {};
    return cause instanceof Error ? cause.message : String(failure);
  }
}
