import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Exchange } from '../../../client/src/exchange.ts';
import { type Client, NotFoundError, NotReadyError } from '../../../client/src/index.ts';
import { systemClock } from '../../domain/clock.ts';
import { webhookHeaders } from '../../domain/delivery.ts';
import { type DeliveryId, parseDeliveryId } from '../../domain/ids.ts';
import { toJson } from '../../domain/json.ts';
import { CommandFault } from '../command-fault.ts';
import { exitCodes } from '../exit-code.ts';
import { print } from '../print.ts';
import { asking } from './asking.ts';
import { openInterrupts } from './interrupts.ts';
import { type Asking, type AskingOptions, openAsking } from './open-client.ts';
import { openOperator } from './open-operator.ts';

export function registerListen(program: Command): void {
  asking(program.command('listen'))
    .description('sends the callbacks of your jobs on to a program on this machine, until Ctrl-C')
    .option('--forward-to <address>', 'where it listens, such as http://localhost:3000/hooks')
    .option('--model <id>', 'of one model')
    .option('--print-secret', 'only prints what they are signed with')
    .action(listenCommand);
}

interface ListenOptions extends AskingOptions {
  readonly forwardTo?: string;
  readonly model?: string;
  readonly printSecret?: true;
}

const lookEveryMs = 1_000;
const answerWithinMs = 15_000;

async function listenCommand(options: ListenOptions): Promise<void> {
  const { forwardTo, model = null, printSecret } = options;
  if (printSecret) return print(await (await openAsking(options)).client.callbacks.secret());
  if (!/^https?:\/\//.test(forwardTo ?? ''))
    throw new CommandFault('--forward-to must be an http or https address');
  const operator = await openOperator();
  const asked = await openAsking(options);
  const secret = await asked.client.callbacks.secret();
  const interrupts = openInterrupts();
  const seen = await openDeliveryLog(operator);
  asked.talk.say(`Listening. Callbacks of your jobs go to ${forwardTo}, signed as ever.`);
  try {
    while (!interrupts.signal.aborted) {
      for (const delivery of await seen.next())
        await forward(asked, delivery, { to: forwardTo!, model, secret });
      await sleep(lookEveryMs, undefined, { signal: interrupts.signal }).catch(() => {});
    }
  } finally {
    interrupts.end();
  }
  throw new CommandFault('No longer listening.', exitCodes.interrupted);
}

const page = z.object({
  data: z.array(z.object({ id: z.string(), request_id: z.string(), status: z.string() })),
  has_more: z.boolean(),
});
type Delivery = z.output<typeof page>['data'][number];

/** The log of callbacks of all users; gives those that came since it was last asked, the oldest first. */
async function openDeliveryLog(ask: Exchange) {
  const read = async (query: string) =>
    page.parse(
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

interface Forwarding {
  readonly to: string;
  readonly model: string | null;
  readonly secret: string;
}

/** Signed anew, under the id of the callback itself. */
async function forward({ client, talk }: Asking, delivery: Delivery, { to, model, secret }: Forwarding) {
  const id = parseDeliveryId(delivery.id);
  const told = id && (await readBody(client, delivery.request_id));
  // Another user's, or of another model: no business of this receiver.
  if (!told || (model !== null && told.model !== model)) return;
  const answer = await post(to, id, told.body, secret);
  talk.give({ id: delivery.id, request_id: delivery.request_id, status: delivery.status, answer }, () => [
    `${delivery.status}  ${delivery.request_id}  ${answer}`,
  ]);
}

async function readBody(client: Client, requestId: string) {
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
      signal: AbortSignal.timeout(answerWithinMs),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch (failure) {
    const { cause } = failure instanceof Error ? failure : {};
    return cause instanceof Error ? cause.message : String(failure);
  }
}
