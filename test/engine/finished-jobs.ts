/** Jobs that the local engine ended, shared by the tests of a file. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Log } from 'node-av';
import { AV_LOG_ERROR } from 'node-av/constants';
import { type Answer, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

/** A job that ended well. */
export interface FinishedJob {
  readonly id: string;
  /** The body of its response. */
  readonly body: Answer['body'];
}

export type Input = Readonly<Record<string, unknown>>;

/** A file as a result names it, or only its address. */
export type Named =
  | string
  | { readonly url: string; readonly content_type?: string; readonly file_size?: number };

export interface StoredFile {
  readonly bytes: Buffer;
  readonly path: string;
  readonly type: string;
}

/** Each request waits for a change of status, a minute at most; the last jobs of a file wait for all others. */
const maxPolls = 20;

/** One gateway for a file of tests. Its jobs are created before the first test, and the tests share their results. */
export function openFinishedJobs() {
  const starts: (() => void)[] = [];
  const stored = new Map<string, Promise<StoredFile>>();
  let gateway: TestGateway;
  let key: string;
  let folder: string;

  before(async () => {
    // A decoder prints its progress otherwise.
    Log.setLevel(AV_LOG_ERROR);
    gateway = await startGateway();
    key = await gateway.key();
    folder = await mkdtemp(join(tmpdir(), 'atelier-engine-'));
    for (const start of starts) start();
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function finish(model: string, input: Input): Promise<FinishedJob> {
    const created = await gateway.ask('POST', `/v1/queue/${model}`, { key, body: input });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const { request_id: id, status_url, response_url } = created.body;
    const headers = { prefer: 'wait=60' };
    let status: unknown;
    for (let polls = 0; status !== 'COMPLETED' && polls < maxPolls; polls++)
      ({ status } = (await gateway.ask('GET', status_url, { key, headers })).body);
    const { body } = await gateway.ask('GET', response_url, { key });
    assert.deepEqual([body.error, body.model, body.request_id], [null, model, id]);
    return { id, body };
  }

  async function download(url: string): Promise<StoredFile> {
    assert.match(url, /\/v1\/f\/file_[0-9A-Za-z]{24}\/[^?/]+\?exp=\d+&sig=[\w-]+$/);
    const answer = await fetch(url);
    assert.equal(answer.status, 200, url);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const path = join(folder, new URL(url).pathname.split('/').slice(-2).join('-'));
    await writeFile(path, bytes);
    return { bytes, path, type: answer.headers.get('content-type') ?? '' };
  }

  return {
    /** A job that all tests of the file may use. An input that needs earlier jobs is made when they have ended. */
    job(model: string, input: Input | (() => Promise<Input>)): () => Promise<FinishedJob> {
      const { promise, resolve } = Promise.withResolvers<FinishedJob>();
      // A test that awaits it fails with its error; until then no one handles it.
      promise.catch(() => {});
      const given = async () => (typeof input === 'function' ? input() : input);
      starts.push(() => resolve(given().then(made => finish(model, made))));
      return () => promise;
    },
    /** Keeps bytes as a file of the same user, as a client does; gives its signed address and its id. */
    async upload(name: string, type: string, bytes: Uint8Array): Promise<{ url: string; asset: string }> {
      const form = new FormData();
      form.set('file', new Blob([Buffer.from(bytes)], { type }), name);
      const { status, body } = await gateway.ask('POST', '/v1/files', { key, body: form });
      assert.equal(status, 200, JSON.stringify(body));
      return { url: body.url, asset: `asset://${body.id}` };
    },
    /** The file at an address of a result, of the type and size that the result states. */
    async stored(named: Named): Promise<StoredFile> {
      const output = typeof named === 'string' ? { url: named } : named;
      const once = stored.get(output.url) ?? download(output.url);
      stored.set(output.url, once);
      const file = await once;
      if (output.content_type !== undefined) assert.equal(file.type, output.content_type);
      if (output.file_size !== undefined) assert.equal(file.bytes.length, output.file_size);
      return file;
    },
  };
}

export type FinishedJobs = ReturnType<typeof openFinishedJobs>;
