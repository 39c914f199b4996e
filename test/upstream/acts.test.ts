/** The faults that the scripted upstream can play. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { asBytes, bytesBefore, jsonAnswer } from '../../testkit/upstream/answer.ts';
import { chargesIn, submissionsIn } from '../../testkit/upstream/ledger.ts';
import { type RuleInput, resetPoints } from '../../testkit/upstream/script.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

const model = 'theta-3.1-flash-tts-preview';
const path = `/v1/queue/${model}`;
/** A request that is never answered, or answered without end, stops here. */
const patienceMs = 300;

describe('an act', () => {
  let folder: string;
  let upstream: Upstream;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-acts-'));
    upstream = await startUpstream({ folder });
  });
  after(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  let marks = 0;
  /** Creates a job under this rule: what came over the connection, how it ended, and what the ledger contains. */
  async function createUnder(rule: Omit<RuleInput, 'on'>, options: ReceiveOptions = {}) {
    const mark = `mark-act${++marks}`;
    await upstream.play({ rules: [{ on: 'create', ...rule }] });
    const received = await receive(upstream.url, 'POST', path, JSON.stringify({ text: mark }), options);
    return { ...received, mark, ...recorded(mark) };
  }

  const recorded = (mark: string) => {
    const entries = upstream.ledger();
    const [submission] = submissionsIn(entries).filter(entry => entry.mark === mark);
    return { submission, charges: chargesIn(entries).filter(entry => entry.mark === mark) };
  };

  /** The whole answer that a job's creation has. */
  const handleBytes = (id: string) => {
    const at = `${upstream.url}/model${path}/requests/${id}`;
    return jsonAnswer(200, {
      request_id: id,
      response_url: `${at}/response`,
      status_url: `${at}/status`,
      cancel_url: `${at}/cancel`,
      queue_position: 0,
    });
  };

  for (const at of resetPoints) {
    for (const accepts of [true, false]) {
      test(`resets at ${at}, ${accepts ? 'the job made' : 'no job made'}`, async () => {
        const { bytes, end, submission, charges } = await createUnder({
          accepts,
          act: { kind: 'reset', at },
        });
        assert.equal(end, 'reset');
        assert.deepEqual(
          [submission?.act, submission?.accepts, charges.length],
          [`reset at ${at}`, accepts, accepts ? 1 : 0],
        );
        const truth = handleBytes(charges[0]?.id ?? '00000000-0000-4000-8000-000000000000');
        const expected = asBytes(truth).subarray(0, bytesBefore(at, truth));
        if (accepts) assert.deepEqual(bytes.toString(), expected.toString());
        else assert.equal(bytes.length, expected.length);
      });
    }
  }

  test('cuts where its name states', () => {
    const truth = jsonAnswer(200, { a: 1 });
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 7\r\n\r\n';
    assert.equal(asBytes(truth).toString(), `${head}{"a":1}`);
    assert.deepEqual(
      resetPoints.map(at => bytesBefore(at, truth)),
      [0, 1, head.length, head.length + 3, head.length + 6],
    );
  });

  test('answers by the script, with a job behind it or without', async () => {
    for (const accepts of [true, false]) {
      const { bytes, charges } = await createUnder({
        accepts,
        act: { kind: 'answer', status: 502, headers: { 'x-what': 'garbage' }, body: '<html>Bad gateway' },
      });
      assert.match(
        bytes.toString(),
        /^HTTP\/1\.1 502 Bad Gateway\r\n[\s\S]*x-what: garbage\r\n[\s\S]*\r\n\r\n<html>Bad gateway$/,
      );
      assert.equal(charges.length, accepts ? 1 : 0);
    }
  });

  test('sets and takes away members of the true answer', async () => {
    const { bytes, charges } = await createUnder({
      act: { kind: 'change', set: { request_id: null, queue_position: 7 } },
    });
    const truth = JSON.parse(handleBytes(charges[0]?.id ?? '').body.toString());
    assert.deepEqual(JSON.parse(bodyOf(bytes).toString()), {
      response_url: truth.response_url,
      status_url: truth.status_url,
      cancel_url: truth.cancel_url,
      queue_position: 7,
    });
  });

  test('gives half of a body as if it were all', async () => {
    const { bytes, charges, end } = await createUnder({ act: { kind: 'cut' } });
    const { body } = handleBytes(charges[0]?.id ?? '');
    assert.equal(bodyOf(bytes).toString(), body.subarray(0, body.length >> 1).toString());
    assert.match(bytes.toString(), new RegExp(`content-length: ${body.length >> 1}\r\n`));
    assert.equal(end, 'end');
  });

  test('never answers', async () => {
    const { bytes, end, charges } = await createUnder({ act: { kind: 'silence' } });
    assert.deepEqual([bytes.length, end, charges.length], [0, 'patience', 1]);
  });

  test('drips its answer', async () => {
    const { bytes, end } = await createUnder({ act: { kind: 'drip', everyMs: 20 } });
    assert.equal(end, 'patience');
    assert.match('HTTP/1.1 200 OK\r\n', new RegExp(`^${bytes}`));
    assert.ok(bytes.length > 1 && bytes.length <= patienceMs / 20 + 1, `got ${bytes.length} bytes`);
  });

  test('never ends its answer', async () => {
    const { bytes, end } = await createUnder({ act: { kind: 'endless' } }, { patienceMs: 1_000 });
    assert.equal(end, 'patience');
    assert.ok(bytes.length > 5 * 1024 * 1024, `got ${bytes.length} bytes`);
  });

  test('packs megabytes into little', async () => {
    const { bytes, end } = await createUnder({ act: { kind: 'bomb', megabytes: 8 } }, { patienceMs: 10_000 });
    assert.equal(end, 'end');
    assert.ok(bytes.length < 64 * 1024, `got ${bytes.length} bytes`);
    assert.equal(gunzipSync(joinChunks(bodyOf(bytes))).length, 8 * 1024 * 1024);
  });

  test('may become a job only after its answer', async () => {
    const { mark, charges } = await createUnder({
      acceptsAfterMs: 200,
      act: { kind: 'reset', at: 'nothing' },
    });
    assert.equal(charges.length, 0);
    const endsAt = performance.now() + 10_000;
    while (recorded(mark).charges.length === 0 && performance.now() < endsAt) await new Promise(setImmediate);
    const [charge] = recorded(mark).charges;
    assert.ok((charge?.at ?? 0) - (recorded(mark).submission?.at ?? 0) >= 199);
  });

  test('is played for the requests that its rule matches, as often as it sets', async () => {
    const reset: RuleInput = { on: 'create', act: { kind: 'reset', at: 'nothing' } };
    await upstream.play({
      rules: [
        { ...reset, mark: 'mark-named' },
        { ...reset, key: 'key-lookup' },
        { ...reset, model: 'other' },
        { ...reset, mark: 'mark-counted', after: 1, times: 2 },
      ],
    });
    const endOf = async (mark: string, to = path, key = 'key-none') =>
      (await receive(upstream.url, 'POST', to, JSON.stringify({ text: mark }), { key })).end;
    assert.equal(await endOf('mark-named'), 'reset');
    assert.equal(await endOf('mark-plain'), 'end');
    assert.equal(await endOf('mark-plain', path, 'key-lookup'), 'reset');
    assert.equal(await endOf('mark-plain', '/v1/queue/other'), 'reset');
    const counted = [];
    for (let request = 0; request < 4; request++) counted.push(await endOf('mark-counted'));
    assert.deepEqual(counted, ['end', 'reset', 'reset', 'end']);
  });

  test('takes the share that its rule sets, the same requests for the same seed', async () => {
    const play = async (seed: number) => {
      await upstream.play({
        seed,
        rules: [{ on: 'create', share: 0.5, act: { kind: 'reset', at: 'nothing' } }],
      });
      const ends = [];
      for (let request = 0; request < 40; request++) {
        const body = JSON.stringify({ text: `mark-share${request}` });
        ends.push((await receive(upstream.url, 'POST', path, body)).end);
      }
      return ends.map(end => (end === 'reset' ? 'x' : '.')).join('');
    };
    const first = await play(1);
    assert.equal(await play(1), first);
    assert.notEqual(await play(2), first);
    const taken = first.replaceAll('.', '').length;
    assert.ok(taken > 8 && taken < 32, `got ${first}`);
  });
});

interface ReceiveOptions {
  readonly key?: string;
  readonly patienceMs?: number;
}

/** Every byte that comes, and what ended it: the answer, a reset, or our own timeout. */
function receive(url: string, method: string, to: string, body: string, options: ReceiveOptions = {}) {
  const { key = 'key-none', patienceMs: longestMs = patienceMs } = options;
  const { hostname, port } = new URL(url);
  return new Promise<{ bytes: Buffer; end: 'end' | 'reset' | 'patience' }>(resolve => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const patience = setTimeout(() => finish('patience'), longestMs);
    const finish = (end: 'end' | 'reset' | 'patience') => {
      clearTimeout(patience);
      socket.destroy();
      resolve({ bytes: Buffer.concat(chunks), end });
    };
    socket.on('data', chunk => void chunks.push(chunk));
    socket.on('end', () => finish('end'));
    socket.on('error', failure =>
      finish('code' in failure && failure.code === 'ECONNRESET' ? 'reset' : 'end'),
    );
    socket.write(
      `${method} ${to} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\nconnection: close\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

const bodyOf = (bytes: Buffer): Buffer => bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);

/** The content of a chunked body. */
function joinChunks(body: Buffer): Buffer {
  const joined: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    joined.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
  return Buffer.concat(joined);
}
