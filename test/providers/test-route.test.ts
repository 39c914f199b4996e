/** The free calls that show whether a route can work: by a provider, and by `atelier config check --online`. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runProgram } from '../../testkit/gateway/program.ts';
import { listen } from '../../testkit/upstream/listen.ts';

/** What the upstream answers, by path; everything else is a 404 in JSON. */
const answers: Readonly<Record<string, unknown>> = {
  '/models?pageSize=1': { models: [] },
  '/models/gemini-3.1-flash-tts-preview': { name: 'models/gemini-3.1-flash-tts-preview' },
  '/health-check': { status: 'READY' },
  '/openapi.json': { components: { schemas: { Input: { properties: { prompt: {}, seed: {} } } } } },
  '/v1/models': { data: [{ id: 'kokoro' }] },
};

describe('the test of a route', () => {
  let folder: string;
  let upstream: Awaited<ReturnType<typeof listen>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-routes-'));
    upstream = await listen(async (request, response) => {
      const found = answers[request.url ?? ''];
      response
        .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(found ?? { error: { status: 'NOT_FOUND', message: 'none' } }));
    });
  });
  after(async () => {
    await upstream.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (settings: object, ...args: string[]) => {
    const file = join(folder, 'atelier.yaml');
    await writeFile(file, JSON.stringify(settings));
    return runProgram(args, {
      env: { ATELIER_CONFIG: file, KEY: 'a-key', ATELIER_ALLOW_PRIVATE_NETWORK: '1' },
    });
  };
  const speech = 'theta-3.1-flash-tts-preview';
  const gemini = (model?: string) => ({
    accounts: { voice: { provider: 'gemini', base_url: upstream.url, api_key: 'env:KEY' } },
    routes: { [speech]: [{ account: 'voice', ...(model && { model }) }] },
  });
  const accepted = 'voice: the upstream accepted the credentials. Nothing was charged.\n';

  test('names the route that the upstream has', async () => {
    assert.deepEqual(await run(gemini(), 'providers', 'test', 'voice'), {
      code: 0,
      stdout: `${accepted}  ${speech}: the upstream has the model of this route.\n`,
      stderr: '',
    });
  });

  test('ends with 1 for a model that is gone', async () => {
    assert.deepEqual(await run(gemini('gemini-1-tts'), 'providers', 'test', 'voice'), {
      code: 1,
      stdout: accepted,
      stderr: `  ${speech}: this route cannot work: the upstream has no model gemini-1-tts. Change its model or its options in atelier.yaml.\n`,
    });
  });

  test('finds the arguments that a container would drop, and a name that a server does not list', async () => {
    const settings = {
      accounts: {
        box: { provider: 'cog', base_url: upstream.url },
        kokoro: { provider: 'openai-compatible', base_url: upstream.url },
      },
      routes: {
        'eta2.6-t2v': [
          { account: 'box', input: { prompt: 'prompt', frame_count: 'frames' }, ignores: ['sound'], fps: 16 },
        ],
        [speech]: [{ account: 'kokoro', model: 'tts-9' }],
      },
    };
    const { code, stdout, stderr } = await run(settings, 'config', 'check', '--online');
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'box: eta2.6-t2v: this route cannot work: its model has no argument frame_count (it has prompt, seed). Change its model or its options in atelier.yaml.\n',
    );
    assert.ok(
      stdout.endsWith(
        `kokoro: the upstream accepted the credentials. Nothing was charged.\n  ${speech}: not shown by the test: its list of models does not name tts-9 (it has kokoro).\n`,
      ),
      stdout,
    );
  });

  test('is not needed for a model that the upstream no longer has by its documents', async () => {
    const settings = {
      accounts: { kling: { provider: 'kling', api_key: 'env:KEY' } },
      routes: { 'gamma-v2-image': [{ account: 'kling', model: 'kling-v2' }] },
    };
    const { code, stderr } = await run(settings, 'config', 'check');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /routes\.gamma-v2-image\.0\.model: the upstream no longer has the model kling-v2; write kling-v2-1/,
    );
  });
});
