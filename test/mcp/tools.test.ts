/** Every tool of the MCP server, over each transport. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { models } from '../../src/catalog/index.ts';
import { openProber } from '../../src/media/prober.ts';
import { image, pathOf, speech, unknownId, uuidv7, video } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { call, ways, withoutHandshake } from './ways.ts';

const cheap = { prompt: 'A red balloon', aspect_ratio: '1:1' };

describe('the tools', () => {
  let gateway: TestGateway;
  let key: string;
  let site: Server;
  let png: Buffer;
  let pngAt: string;
  before(async () => {
    gateway = await startGateway();
    key = await gateway.key();
    png = await picture('png', 24, 16);
    site = createServer((request, response) => {
      response.writeHead(request.url === '/balloon.png' ? 200 : 404).end(png);
    });
    await once(site.listen(0, '127.0.0.1'), 'listening');
    pngAt = `http://127.0.0.1:${(site.address() as AddressInfo).port}/balloon.png`;
  });
  after(async () => {
    site.close();
    await gateway.close();
  });

  for (const way of ways) {
    describe(way.name, () => {
      let client: Client;
      before(async () => {
        client = await way.connect(gateway, key);
      });
      after(() => client.close());

      test('are nine, and state which of them change something', async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name, annotations }) => [
            name,
            annotations?.readOnlyHint ?? false,
            annotations?.destructiveHint ?? true,
            annotations?.idempotentHint ?? false,
            annotations?.openWorldHint ?? true,
          ]),
          [
            ['list_models', true, true, false, false],
            ['describe_model', true, true, false, false],
            ['estimate_cost', true, true, false, false],
            ['upload_file', false, false, false, true],
            ['submit_job', false, false, false, true],
            ['job_status', true, true, false, false],
            ['job_result', true, true, false, false],
            ['cancel_job', false, true, true, true],
            ['generate', false, false, false, true],
          ],
        );
        for (const { inputSchema } of tools) assert.equal(inputSchema.type, 'object');
      });

      test('list_models: every model, or those of a kind', async () => {
        const all = await call(client, 'list_models', {});
        assert.deepEqual(
          all.structured.models.map(({ id }: { id: string }) => id),
          models.map(({ id }) => id),
        );
        const speechModels = await call(client, 'list_models', { kind: 'speech' });
        assert.deepEqual(
          speechModels.structured.models.map(({ id }: { id: string }) => id),
          models.filter(({ kind }) => kind === 'speech').map(({ id }) => id),
        );
        assert.match(speechModels.text, new RegExp(`^${speech} \\(speech\\): Speaks a text`, 'm'));
      });

      test('describe_model: what GET /v1/models/{id} answers', async () => {
        const { text, structured } = await call(client, 'describe_model', { model: image });
        const { body } = await gateway.ask('GET', `/v1/models/${image}`, { key });
        assert.deepEqual(structured, body);
        for (const { says } of body.rules) assert.ok(text.includes(`Rule: ${says}`), says);
        assert.ok(text.includes(`Schema: ${JSON.stringify(body.input_schema)}`));
      });

      test('estimate_cost: as how many jobs an input is billed, and nothing is made', async () => {
        const { text, structured } = await call(client, 'estimate_cost', { model: image, input: cheap });
        assert.match(text, /^The input would be accepted and billed as one job\./);
        assert.deepEqual(structured, {
          object: 'validation',
          model: image,
          valid: true,
          billed_jobs: 1,
          quote: null,
        });
      });

      test('generate: a picture, by a link to its file', async () => {
        const messages: string[] = [];
        const { text, links, structured, isError } = await call(
          client,
          'generate',
          { model: image, input: cheap },
          ({ message }) => messages.push(message ?? ''),
        );
        assert.equal(isError, false, text);
        assert.equal(structured.status, 'COMPLETED');
        assert.equal(structured.error, null);
        assert.equal(messages[0], `Accepted as ${structured.request_id}`);
        const [shown] = structured.images;
        assert.deepEqual(links, [
          {
            type: 'resource_link',
            uri: shown.url,
            name: shown.file_name,
            mimeType: 'image/png',
            size: shown.file_size,
          },
        ]);
        assert.ok(text.includes(shown.url));
        const facts = await probe(shown.url);
        assert.deepEqual(facts, {
          mimeType: 'image/png',
          bytes: shown.file_size,
          image: { width: shown.width, height: shown.height },
        });
      });

      test('submit_job, job_status, job_result: the same in three steps, and once for each idempotency_key', async () => {
        const request = {
          model: speech,
          input: { text: 'Hello.' },
          idempotency_key: `${way.name.length}-once`,
        };
        const { structured: handle, text } = await call(client, 'submit_job', request);
        assert.match(handle.request_id, uuidv7);
        assert.deepEqual(Object.keys(handle), ['request_id', 'model', 'queue_position', 'poll_after_ms']);
        assert.match(text, /\nNext: job_status with this request_id and wait_seconds 25\.$/);
        const again = await call(client, 'submit_job', request);
        assert.equal(again.structured.request_id, handle.request_id);
        const { request_id } = handle;
        const status = await call(client, 'job_status', { request_id, wait_seconds: 25 });
        assert.equal(status.text, 'COMPLETED\nNext: job_result.');
        assert.equal(status.structured.model, speech);
        const result = await call(client, 'job_result', { request_id });
        const { body } = await gateway.ask('GET', pathOf(request_id, '/response'), { key });
        assert.deepEqual(
          result.links.map(link => link.type === 'resource_link' && link.mimeType),
          ['audio/wav'],
        );
        assert.equal(result.isError, false);
        assert.deepEqual(Object.keys(result.structured).toSorted(), Object.keys(body).toSorted());
      });

      test('cancel_job: ends a job that runs; its result reports it, and a second cancel that it is too late', async () => {
        const input = { ...cheap, prompt: 'A red balloon [atelier:slow=600]' };
        const { structured: handle } = await call(client, 'submit_job', { model: image, input });
        const { request_id } = handle;
        const early = await call(client, 'job_result', { request_id });
        assert.deepEqual(
          [early.isError, early.text],
          [true, 'The job is not finished.\nNext: job_status with wait_seconds 25.'],
        );
        const cancelled = await call(client, 'cancel_job', { request_id });
        assert.ok(['OK', 'CANCELLATION_REQUESTED'].includes(cancelled.structured.status));
        const status = await call(client, 'job_status', { request_id, wait_seconds: 25 });
        assert.equal(status.structured.status, 'COMPLETED');
        const { isError, text, structured } = await call(client, 'job_result', { request_id });
        assert.equal(isError, true);
        assert.match(text, /^The job failed \(cancelled\): /);
        assert.equal(structured.error.code, 'cancelled');
        const late = await call(client, 'cancel_job', { request_id });
        assert.deepEqual(late.structured, { status: 'ALREADY_COMPLETED', request_id });
      });

      test('upload_file: bytes or an address become a file that an input takes', async () => {
        const data = `data:image/png;base64,${png.toString('base64')}`;
        const { structured: sent } = await call(client, 'upload_file', { data });
        assert.deepEqual(
          [sent.mime_type, sent.bytes, sent.dimensions],
          ['image/png', png.length, { width: 24, height: 16 }],
        );
        const { structured: fetched } = await call(client, 'upload_file', { url: pngAt });
        assert.deepEqual(
          [fetched.filename, fetched.mime_type, fetched.bytes],
          ['balloon.png', 'image/png', png.length],
        );
        const { body } = await gateway.ask('GET', `/v1/files/${fetched.id}`, { key });
        assert.equal(body.id, fetched.id);
      });

      test('upload_file: refused with the message of the file endpoint, or of the address', async () => {
        const none = await call(client, 'upload_file', {});
        assert.deepEqual([none.isError, none.text], [true, 'Exactly one of data and url is required.']);
        const wrong = await call(client, 'upload_file', { data: '%%%', mime_type: 'image/png' });
        assert.match(wrong.text, /^data is empty or not valid base64\n/);
        assert.equal(wrong.structured.error.code, 'invalid_base64');
        const gone = await call(client, 'upload_file', { url: `${pngAt}.gone` });
        assert.equal(gone.text, 'url: The address answered with status 404.');
      });

      test('a wrong input is refused in the words of the contract', async () => {
        const input = { promt: 'A red balloon' };
        const { body } = await gateway.ask('POST', `/v1/queue/${image}`, { key, body: input });
        for (const tool of ['submit_job', 'generate', 'estimate_cost']) {
          const { isError, text, structured } = await call(client, tool, { model: image, input });
          assert.equal(isError, true);
          assert.equal(
            text,
            `${body.detail}\nNothing was stored. describe_model describes the input of the model.`,
          );
          assert.deepEqual(structured, { http_status: 422, detail: body.detail });
        }
      });

      test('a model or a job that is not there is refused in the words of the contract', async () => {
        const model = await call(client, 'submit_job', { model: 'nobody', input: {} });
        assert.match(model.text, /^App not found: nobody\n/);
        for (const tool of ['job_status', 'job_result', 'cancel_job']) {
          const { isError, structured } = await call(client, tool, { request_id: unknownId });
          assert.equal(isError, true);
          assert.deepEqual(structured, { http_status: 404, detail: 'Request not found' });
        }
      });

      test('a job of another user is as unknown as one that is not there', async () => {
        const others = await gateway.key();
        const { body } = await gateway.ask('POST', `/v1/queue/${video}`, {
          key: others,
          body: { prompt: 'A red balloon [atelier:slow=600]', duration: 2 },
        });
        const { structured } = await call(client, 'job_status', { request_id: body.request_id });
        assert.deepEqual(structured, { http_status: 404, detail: 'Request not found' });
        await gateway.ask('PUT', `/v1/queue/${video}/requests/${body.request_id}/cancel`, { key: others });
      });

      test('an input as JSON text keeps the digits of a 64-bit id', async () => {
        const input =
          '{"prompt":"A boat [atelier:fail=expired]","element_list":[{"element_id":9007199254740993}]}';
        const { structured } = await call(client, 'submit_job', { model: image, input });
        const answer = await fetch(`${gateway.url}/v1/jobs/${structured.request_id}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        assert.match(await answer.text(), /"element_id":9007199254740993\b/);
      });

      test('an argument that no tool has is refused before anything is requested', async () => {
        const answer = call(client, 'job_status', { request_id: unknownId, wait_seconds: 26 });
        const { isError, text } = await answer;
        assert.equal(isError, true);
        assert.match(text, /wait_seconds/);
        const request = { model: speech, input: { text: 'Hello.' }, idempotency_key: 'ü' };
        const wrong = await call(client, 'submit_job', request);
        assert.equal(wrong.isError, true);
        assert.match(wrong.text, /idempotency_key: must be 1 to 255 printable ASCII characters/);
      });
    });
  }

  describe(withoutHandshake.name, () => {
    let client: Client;
    before(async () => {
      client = await withoutHandshake.connect(gateway, key);
    });
    after(() => client.close());

    test('generate: a sound, and its progress', async () => {
      const messages: string[] = [];
      const request = { model: speech, input: { text: 'Hello.' } };
      const { structured, isError } = await call(client, 'generate', request, ({ message }) =>
        messages.push(message ?? ''),
      );
      assert.equal(isError, false);
      assert.equal(structured.audio.content_type, 'audio/wav');
      assert.equal(messages[0], `Accepted as ${structured.request_id}`);
    });

    test('a wrong input is refused in the words of the contract', async () => {
      const { isError, structured } = await call(client, 'generate', { model: speech, input: {} });
      assert.equal(isError, true);
      assert.deepEqual(structured, { http_status: 422, detail: 'text: is required' });
    });
  });
});

/** The facts of what a signed address gives. */
async function probe(url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-mcp-test-'));
  const prober = openProber({ timeoutMs: 60_000 });
  try {
    const path = join(folder, 'result');
    await writeFile(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
    const found = await prober.probe(path);
    assert.equal(found.kind, 'read');
    return found.kind === 'read' ? found.facts : null;
  } finally {
    await prober.close();
    await rm(folder, { recursive: true });
  }
}
