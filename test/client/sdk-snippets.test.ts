/** The code of the Request tab for the packages of others, run as it is copied against a gateway. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SnippetTarget } from '../../console/src/pages/play/snippet-target.ts';
import { type Language, snippet } from '../../console/src/pages/play/snippets.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);
const languages = ['OpenAI SDK', 'fal SDK', 'Replicate SDK', 'AI SDK'] as const satisfies readonly Language[];

/** One of each kind; the text of the video is inside a list, that of the picture could be taken for code. */
const requests: readonly (Pick<SnippetTarget, 'model' | 'kind'> & { readonly input: unknown })[] = [
  {
    model: 'alpha-1-5-pro',
    kind: 'video',
    input: {
      content: [{ type: 'text', text: 'A lighthouse' }],
      ...{ resolution: '480p', ratio: '16:9', duration: 4, generate_audio: false },
    },
  },
  {
    model: 'gamma-v3-image',
    kind: 'image',
    input: { prompt: 'It\'s "quoted" `date` $HOME \\n true', aspect_ratio: '1:1' },
  },
  {
    model: 'theta-3.1-flash-tts-preview',
    kind: 'speech',
    input: { text: 'Good morning.', voice_name: 'Puck' },
  },
];

let gateway: TestGateway;
let folder: string;
before(async () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-client.js'], { cwd: root });
  assert.equal(status, 0, String(stderr));
  gateway = await startGateway();
  folder = await mkdtemp(join(tmpdir(), 'atelier-sdk-snippets-'));
  // What npm does with the packages, without its look at a registry.
  const installed = join(folder, 'node_modules/atelier-ai-sdk');
  await mkdir(installed, { recursive: true });
  for (const name of ['openai', '@fal-ai', 'replicate', 'ai', '@ai-sdk'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  const packed = await fetch(`${gateway.url}/ai-sdk.tgz`);
  await writeFile(join(folder, 'ai-sdk.tgz'), new Uint8Array(await packed.arrayBuffer()));
  await execute('tar', ['xzf', join(folder, 'ai-sdk.tgz'), '-C', installed, '--strip-components=1']);
});
after(async () => {
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the code, and gives what it printed and the job that it made. */
async function run(code: string, key: string) {
  await writeFile(join(folder, 'job.mjs'), code);
  const { stdout } = await execute(process.execPath, ['job.mjs'], { cwd: folder, env: {}, timeout: 60_000 });
  const { body } = await gateway.ask('GET', '/v1/jobs', { key });
  assert.equal(body.data.length, 1, 'one job');
  const job = await gateway.ask('GET', `/v1/jobs/${body.data[0].request_id}`, { key });
  return { printed: JSON.parse(stdout), model: job.body.model, input: job.body.input };
}

/** What the first bytes of a saved file say. */
const startOf = async (name: string) => (await readFile(join(folder, name))).toString('latin1', 0, 12);

for (const language of languages)
  test(`${language}: a video, a picture and a sound, each by one job with the input as it is`, async () => {
    for (const { model, kind, input } of requests) {
      const key = await gateway.key();
      const made = await run(snippet(language, { url: gateway.url, key, model, kind }, input), key);
      assert.equal(made.model, model);
      // The others are defaults of the model.
      assert.partialDeepStrictEqual(made.input, input);
      const { saved } = made.printed;
      if (saved !== undefined)
        assert.match(await startOf(saved), { video: /ftyp/, image: /PNG/, speech: /RIFF.*WAVE/s }[kind]);
      else if (language === 'OpenAI SDK' && kind === 'video') {
        assert.equal(made.printed.status, 'completed');
        assert.match(await startOf('result.mp4'), /ftyp/);
      } else {
        const [address] = JSON.stringify(made.printed).match(/http:[^"]*\/v1\/f\/[^"]*/) ?? [];
        const answer = await fetch(address ?? '');
        assert.equal(answer.headers.get('content-type')?.split('/')[0], kind === 'speech' ? 'audio' : kind);
        await answer.arrayBuffer();
      }
    }
  });
