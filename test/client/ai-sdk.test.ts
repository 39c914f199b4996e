/** The provider of the AI SDK as the gateway serves it, used by the published `ai` package. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { APICallError, NoSuchModelError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import {
  generateImage,
  generateSpeech,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  uploadFile,
} from 'ai';
import { publint } from 'publint';
import type { AtelierProvider } from '../../ai-sdk/src/index.ts';
import { thrown } from '../../testkit/clients/thrown.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';
import { picture } from '../../testkit/media/media-maker.ts';
import { openReceiver, type Receiver } from '../../testkit/net/receiver.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);
const video = 'gamma-v3-turbo-t2v';

describe('the provider of the AI SDK', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let folder: string;
  let installed: string;
  let key: string;
  let atelier: AtelierProvider;
  let provider: typeof import('../../ai-sdk/src/index.ts');
  before(async () => {
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const { status, stderr } = spawnSync(process.execPath, ['scripts/build-client.js'], { cwd: root });
    assert.equal(status, 0, String(stderr));
    gateway = await startGateway();
    receiver = await openReceiver();
    key = await gateway.key();
    folder = await mkdtemp(join(tmpdir(), 'atelier-ai-sdk-'));
    installed = join(folder, 'node_modules/atelier-ai-sdk');
    await mkdir(installed, { recursive: true });
    for (const name of ['ai', '@ai-sdk'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    const response = await fetch(`${gateway.url}/ai-sdk.tgz`);
    await writeFile(join(folder, 'ai-sdk.tgz'), new Uint8Array(await response.arrayBuffer()));
    // What npm does with it, without its look at a registry for packages that are there.
    await execute('tar', ['xzf', join(folder, 'ai-sdk.tgz'), '-C', installed, '--strip-components=1']);
    provider = await import(pathToFileURL(join(installed, 'dist/index.js')).href);
    atelier = provider.createAtelier({ baseUrl: gateway.url, apiKey: key });
  });
  after(async () => {
    await receiver.close();
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  const jobsOf = async () => (await gateway.ask('GET', '/v1/jobs', { key })).body.data;
  const inputOf = async (id: string) => (await gateway.ask('GET', `/v1/jobs/${id}`, { key })).body.input;

  test('is a package that linters accept, with the client in it', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    assert.deepEqual(messages, []);
    const packed = new Uint8Array(await readFile(join(folder, 'ai-sdk.tgz')));
    const checked = await checkPackage(createPackageFromTarballData(packed));
    const problems = 'problems' in checked ? checked.problems : null;
    // It is ESM alone: the resolution of old Node, and require, are not supported.
    const meant = problems?.filter(
      problem => !('resolutionKind' in problem) || !/^node1(?:0|6-cjs)$/.test(problem.resolutionKind),
    );
    assert.deepEqual(meant, []);
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(
      [manifest.private, manifest.bundleDependencies, Object.keys(manifest.dependencies)],
      [undefined, ['atelier-client'], ['atelier-client']],
    );
    const bundled = JSON.parse(
      await readFile(join(installed, 'node_modules/atelier-client/package.json'), 'utf8'),
    );
    assert.equal(bundled.version, manifest.version);
  });

  test('the program of its README prints what it promises', async () => {
    const page = await readFile(join(root, 'ai-sdk/README.md'), 'utf8');
    const [, program = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
    await writeFile(join(folder, 'program.mts'), program.replaceAll('http://127.0.0.1:8080', gateway.url));
    const env = { ATELIER_API_KEY: key };
    const { stdout } = await execute(process.execPath, ['program.mts'], { cwd: folder, env });
    assert.match(stdout, /^image\/png \d{4,}\n$/);
  });

  test('generateImage makes as many jobs as images, with pictures of the call and own fields', async () => {
    const before = (await jobsOf()).length;
    const { images, providerMetadata } = await generateImage({
      model: atelier.imageModel('gamma-v2-image'),
      prompt: { text: 'A boat', images: [new Uint8Array(await picture('png', 320, 320))] },
      n: 2,
      aspectRatio: '1:1',
      providerOptions: { atelier: { external_task_id: null } },
    });
    assert.deepEqual(
      images.map(({ mediaType, uint8Array }) => [mediaType, uint8Array.length > 1000]),
      [
        ['image/png', true],
        ['image/png', true],
      ],
    );
    assert.equal(providerMetadata.atelier?.images.length, 2);
    const jobs = await jobsOf();
    assert.equal(jobs.length, before + 2);
    const { prompt, aspect_ratio, image } = await inputOf(jobs[0].request_id);
    assert.deepEqual([prompt, aspect_ratio, typeof image], ['A boat', '1:1', 'string']);
  });

  test('generateSpeech speaks with the voice that it is given', async () => {
    const { audio, providerMetadata } = await generateSpeech({
      model: atelier.speechModel('theta-3.1-flash-tts-preview'),
      text: 'The tide is out.',
      voice: 'Puck',
    });
    assert.equal(audio.mediaType, 'audio/wav');
    const { requestId } = providerMetadata.atelier as { readonly requestId: string };
    assert.deepEqual(await inputOf(requestId), { text: 'The tide is out.', voice_name: 'Puck' });
  });

  test('uploadFile gives a reference, whose metadata can be read and which can be deleted', async () => {
    const text = { type: 'text' as const, text: 'one,two\n' };
    const file = await uploadFile({ api: atelier, data: text, mediaType: 'text/csv', filename: 'table.csv' });
    const { atelier: id = '' } = file.providerReference;
    assert.match(id, /^file_/);
    assert.deepEqual([file.filename, file.byteSize, file.mediaType], ['table.csv', 8, 'text/csv']);
    const files = atelier.files();
    const reference = { atelier: id };
    assert.equal((await files.getFileMetadata!({ file: reference })).byteSize, 8);
    assert.equal((await files.deleteFile!({ file: reference })).deleted, true);
    const gone = await thrown(Promise.resolve(files.getFileMetadata!({ file: reference })), APICallError);
    assert.deepEqual([gone.statusCode, gone.isRetryable], [404, false]);
  });

  test('generateVideo waits for the webhook that the package verifies, and gives the bytes', async () => {
    const result = await generateVideo({
      model: atelier.videoModel('alpha-1-5-pro'),
      prompt: 'A lighthouse',
      resolution: '854x480',
      aspectRatio: '16:9',
      duration: 4,
      generateAudio: false,
      webhook: async () => ({
        url: receiver.url,
        received: until(async () => receiver.notices[0], 'the callback').then(({ body, headers }) => ({
          body,
          headers,
        })),
      }),
    });
    assert.equal(result.video.mediaType, 'video/mp4');
    assert.ok(result.video.uint8Array.length > 10_000);
    const { requestId } = result.providerMetadata.atelier as { readonly requestId: string };
    // The others are defaults of the model.
    assert.partialDeepStrictEqual(await inputOf(requestId), {
      content: [{ type: 'text', text: 'A lighthouse' }],
      resolution: '480p',
      ratio: '16:9',
      duration: 4,
      generate_audio: false,
      callback_url: receiver.url,
    });
    const secret = (await gateway.ask('GET', '/v1/webhooks/default/secret', { key })).body.key;
    const { text, headers } = receiver.notices[0]!;
    const event = await provider.verify(text, headers, secret);
    assert.equal(event.request_id, requestId);
  });

  test('a start that is repeated under its key is one job, whose failure is its status', async () => {
    const start = () =>
      startVideo({
        model: atelier.videoModel(video),
        prompt: 'A harbour [atelier:fail=content_policy_violation]',
        resolution: '720x1280',
        seed: undefined as never,
        headers: { 'Idempotency-Key': 'once' },
      });
    const { operation } = await start();
    assert.deepEqual((await start()).operation, operation);
    const { request_id } = operation as { readonly request_id: string };
    assert.deepEqual((await inputOf(request_id)).settings, {
      resolution: '720p',
      aspect_ratio: '9:16',
      duration: 5,
    });
    const ended = await until(async () => {
      const status = await getVideoStatus(atelier.videoModel(video), { operation });
      return status.status === 'pending' ? undefined : status;
    }, 'the end of the job');
    assert.equal(ended.status, 'error');
    assert.match(ended.status === 'error' ? ended.error : '', /^content_policy_violation: /);
  });

  test('a start of a job that runs is pending, and it can be cancelled by its id', async () => {
    const { operation } = await startVideo({
      model: atelier.videoModel(video),
      prompt: 'A harbour [atelier:slow=60]',
    });
    const { model, request_id } = operation as { readonly model: string; readonly request_id: string };
    assert.equal((await getVideoStatus(atelier.videoModel(video), { operation })).status, 'pending');
    const { status } = await gateway.ask('PUT', `/v1/queue/${model}/requests/${request_id}/cancel`, { key });
    assert.ok([200, 202].includes(status), String(status));
  });

  test('the routes of the recipe start a video, report it and take its webhook', async t => {
    const page = await readFile(join(root, 'docs/recipes/ai-sdk.md'), 'utf8');
    const routeOf = async (path: string) => {
      const [, code = ''] =
        new RegExp(`\`${path}\`:\\n\\n\`\`\`ts\\n(.*?)\`\`\``, 's').exec(page) ?? assert.fail(path);
      const file = join(folder, path.replaceAll('/', '-'));
      await writeFile(file, code);
      return import(pathToFileURL(file).href);
    };
    const videos = await routeOf('app/api/videos/route.ts');
    const done = await routeOf('app/api/videos/done/route.ts');
    const secret = (await gateway.ask('GET', '/v1/webhooks/default/secret', { key })).body.key;
    const printed = t.mock.method(console, 'log', () => {});
    const app = await openReceiver();
    const env = {
      ATELIER_URL: gateway.url,
      ATELIER_API_KEY: key,
      APP_URL: new URL(app.url).origin,
      CALLBACK_SECRET: secret,
    };
    Object.assign(process.env, env);
    t.after(async () => {
      for (const name of Object.keys(env)) delete process.env[name];
      await app.close();
    });
    const start = () =>
      videos.POST(
        new Request('https://app.example.com/api/videos', {
          method: 'POST',
          headers: { 'idempotency-key': 'click-1' },
          body: JSON.stringify({ prompt: 'A lighthouse' }),
        }),
      );
    const started: Response = await start();
    const operation = await started.json();
    assert.equal(started.status, 202);
    assert.deepEqual(await (await start()).json(), operation);
    const notice = await until(
      async () => app.notices.find(({ body }) => body.status === 'COMPLETED'),
      'the end',
    );
    const sent = (body: string) =>
      new Request(`${env.APP_URL}/api/videos/done`, { method: 'POST', headers: { ...notice.headers }, body });
    assert.equal((await done.POST(sent(`${notice.text} `))).status, 400);
    assert.equal((await done.POST(sent(notice.text))).status, 204);
    assert.deepEqual(
      printed.mock.calls.map(({ arguments: words }) => words),
      [[operation.request_id, 'done']],
    );
    const query = new URLSearchParams({ operation: JSON.stringify(operation) });
    const asked = await videos.GET(new Request(`https://app.example.com/api/videos?${query}`));
    const { status, url } = await asked.json();
    assert.equal(status, 'completed');
    assert.equal((await fetch(url)).headers.get('content-type'), 'video/mp4');
  });

  test('a word without a field is refused before a job exists, as is a model of another kind', async () => {
    const before = (await jobsOf()).length;
    const refused = generateSpeech({
      model: atelier.speechModel('theta-3.1-flash-tts-preview'),
      text: 'Hello.',
      speed: 2,
    });
    const { message } = await thrown(refused, UnsupportedFunctionalityError);
    assert.equal(
      message,
      'theta-3.1-flash-tts-preview has no field for speed. Its own fields are given in providerOptions.atelier.',
    );
    assert.throws(() => atelier.languageModel('gamma-v3-image'), NoSuchModelError);
    assert.equal((await jobsOf()).length, before);
  });

  test('a refusal of the gateway is an APICallError that the SDK does not repeat', async () => {
    const refused = generateImage({
      model: atelier.imageModel('gamma-v3-image'),
      prompt: 'A boat',
      aspectRatio: '7:1',
    });
    const error = await thrown(refused, APICallError);
    assert.deepEqual([error.statusCode, error.isRetryable], [422, false]);
    assert.match(error.message, /^aspect_ratio: /);
  });
});
