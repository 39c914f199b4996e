/** A gateway with a scripted upstream, and the end of a job there. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, seconds } from '../../src/domain/clock.ts';
import type { Connection } from '../../src/store/db/connection.ts';
import { startGateway, type TestGateway, until } from '../gateway/gateway.ts';
import type { Dedupe } from './jobs.ts';
import { chargesIn, submissionsIn } from './ledger.ts';
import { bodyOf, modelOf, routeTo } from './routing.ts';
import type { RuleInput } from './script.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** The outcome of a job in the client's view, in its rows and in the upstream's own ledger. */
export interface Ending {
  readonly error: string | null;
  readonly submissions: number;
  readonly charges: number;
  /** The answer and the calls of each attempt. */
  readonly attempts: readonly (readonly [answer: string | null, sends: number])[];
  /** Uncertain submissions on record. */
  readonly uncertain: number;
}

/** Charged once, and nothing uncertain. */
export const good = (attempts: Ending['attempts']): Ending => ({
  error: null,
  submissions: attempts.reduce((sum, [, sends]) => sum + sends, 0),
  charges: 1,
  attempts,
  uncertain: 0,
});

export interface Order {
  readonly id: string;
  readonly mark: string;
  readonly model: string;
}

export interface Wanted {
  readonly model: string;
  readonly body: (mark: string) => unknown;
}

/** A gateway whose every job goes to the scripted upstream. */
export interface Studio {
  readonly upstream: Upstream;
  readonly gateway: TestGateway;
  readonly key: string;
  /** Creates a job with its own rules for the upstream. */
  order(kind: Dedupe, rules: readonly RuleInput[], wanted?: Wanted): Promise<Order>;
  /** Several at once, each with its own rules. */
  orderAll(
    wanted: readonly { readonly kind: Dedupe; readonly rules: readonly RuleInput[] }[],
  ): Promise<readonly Order[]>;
  /** The job's end; the test clock is advanced until then. */
  ending(order: Order): Promise<Ending>;
  close(): Promise<void>;
}

export async function openStudio(): Promise<Studio> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-studio-'));
  const upstream = await startUpstream({ folder });
  const gateway = await startGateway({ env: await routeTo(upstream.url, folder) });
  const key = await gateway.key();
  let marks = 0;
  const newMark = () => `mark-s${++marks}`;
  const create = async (mark: string, { model, body }: Wanted): Promise<Order> => {
    const made = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: body(mark) });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return { id: made.body.request_id, mark, model };
  };
  const plain = (kind: Dedupe): Wanted => ({ model: modelOf[kind], body: bodyOf[kind] });
  return {
    upstream,
    gateway,
    key,
    async order(kind, rules, wanted = plain(kind)) {
      const mark = newMark();
      await upstream.play({ rules: rules.map(rule => ({ ...rule, mark })) });
      return create(mark, wanted);
    },
    async orderAll(all) {
      const marked = all.map(one => ({ ...one, mark: newMark() }));
      await upstream.play({
        rules: marked.flatMap(({ rules, mark }) => rules.map(rule => ({ ...rule, mark }))),
      });
      return Promise.all(marked.map(({ mark, kind }) => create(mark, plain(kind))));
    },
    async ending(order) {
      const error = await untilEnded(gateway, key, order);
      return readEnding(gateway.gateway.db, upstream, order, error);
    },
    async close() {
      await gateway.close();
      await upstream.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The code of the job's error; what waits is hurried on. */
export async function untilEnded(
  { ask, clock }: Pick<TestGateway, 'ask' | 'clock'>,
  key: string,
  { id, model }: Order,
  hurryMs = 1 * minutes,
): Promise<string | null> {
  const path = `/v1/queue/${model}/requests/${id}/response`;
  const ended = await until(async () => {
    const answer = await ask('GET', path, { key });
    if (answer.status === 200) return answer;
    clock.advance(answer.body.status === 'IN_QUEUE' ? hurryMs : 10 * seconds);
    return null;
  }, `the end of job ${id}`);
  return ended.body.error?.code ?? null;
}

export async function readEnding(
  db: Connection,
  upstream: Upstream,
  { id, mark }: Order,
  error: string | null,
): Promise<Ending> {
  const attempts = await db.read(
    'SELECT answer, sends, doubted_at FROM attempts WHERE job_id = $1 ORDER BY number',
    [id],
  );
  const entries = upstream.ledger();
  return {
    error,
    submissions: submissionsIn(entries).filter(entry => entry.mark === mark).length,
    charges: chargesIn(entries).filter(entry => entry.mark === mark).length,
    attempts: attempts.map(({ answer, sends }) => [answer === null ? null : String(answer), Number(sends)]),
    uncertain: attempts.filter(row => row.doubted_at !== null).length,
  };
}
