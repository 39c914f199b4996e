/** The code of the Request tab for our command and for the packages of others, run as it is copied: every model, against a gateway. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Language, snippet } from '../../console/src/pages/play/snippets.ts';
import { findModel, models } from '../../src/catalog/index.ts';
import type { Kind } from '../../src/catalog/model.ts';
import { seconds } from '../../src/domain/clock.ts';
import { type ExampleMedia, exampleBody, uploadExampleMedia } from '../../testkit/clients/example-jobs.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { programPath } from '../../testkit/run/programs.ts';
import { routeTo } from '../../testkit/upstream/routing.ts';
import { untilEnded } from '../../testkit/upstream/studio.ts';
import { startUpstream, type Upstream } from '../../testkit/upstream/upstream.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);
const packages = ['OpenAI SDK', 'fal SDK', 'Replicate SDK', 'AI SDK'] as const satisfies readonly Language[];
/** What is printed between the outputs of two programs: JSON has no such character. */
const mark = '\f';
/** How the files of the upstream begin. */
const startOf: Readonly<Record<Kind, RegExp>> = {
  video: /^.{4}ftyp/s,
  image: /^.PNG/s,
  speech: /^RIFF.{4}WAVE/s,
};

let upstream: Upstream;
let gateway: TestGateway;
let folder: string;
before(async () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build-client.js'], { cwd: root });
  assert.equal(status, 0, String(stderr));
  folder = await mkdtemp(join(tmpdir(), 'atelier-sdk-snippets-'));
  upstream = await startUpstream({ folder });
  gateway = await startGateway({ env: await routeTo(upstream.url, folder) });
  await installPackages();
  await installCommand();
});
after(async () => {
  await gateway.close();
  await upstream.close();
  await rm(folder, { recursive: true, force: true });
});

/** What npm does with the packages, without its look at a registry. */
async function installPackages(): Promise<void> {
  const installed = join(folder, 'node_modules/atelier-ai-sdk');
  await mkdir(installed, { recursive: true });
  for (const name of ['openai', '@fal-ai', 'replicate', 'ai', '@ai-sdk'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  const packed = await fetch(`${gateway.url}/ai-sdk.tgz`);
  await writeFile(join(folder, 'ai-sdk.tgz'), new Uint8Array(await packed.arrayBuffer()));
  await execute('tar', ['xzf', join(folder, 'ai-sdk.tgz'), '-C', installed, '--strip-components=1']);
}

/** Stands for the npx of the folder of Atelier: it starts the command that is there. */
async function installCommand(): Promise<void> {
  const npx = join(folder, 'bin/npx');
  await mkdir(dirname(npx));
  await writeFile(
    npx,
    `#!/bin/sh\nshift\nexec '${process.execPath}' '${programPath('bin/atelier.js')}' "$@"\n`,
  );
  await chmod(npx, 0o755);
}

/** The code for every model, of one user who has the files and the job that examples name. */
async function codeOf(language: Language) {
  const userName = `user of ${language}`;
  const key = await gateway.key({ userName });
  const media = await uploadExampleMedia(gateway, key);
  const pictures = await makePictures(key, media);
  const programs = await Promise.all(
    models.map(async each => {
      const input = exampleBody(each, media, pictures);
      const place = join(folder, language, each.id);
      await mkdir(place, { recursive: true });
      const { id, kind } = each;
      // A key a job: a key has its rate.
      const target = { url: gateway.url, key: await gateway.key({ userName }), model: id, kind };
      return { model: id, kind, input, place, code: snippet(language, target, input) };
    }),
  );
  return { key, pictures, programs };
}

/** A job for inputs that name an earlier one, at the account of their models. */
async function makePictures(key: string, media: ExampleMedia): Promise<string> {
  const model = findModel('gamma-v2-multi-image2image')!;
  const made = await gateway.ask('POST', `/v1/queue/${model.id}`, {
    key,
    body: exampleBody(model, media, ''),
  });
  const id = made.body.request_id;
  assert.equal(await untilEnded(gateway, key, { id, model: model.id, mark: '' }), null);
  return id;
}

type Written = Awaited<ReturnType<typeof codeOf>>;

/** Runs a program of all of them, with nothing set; jobs are polled each second, for which the clock is advanced. */
async function run(file: string, args: readonly string[]): Promise<readonly string[]> {
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` };
  const running = execute(file, args, { cwd: folder, env, timeout: 120_000 });
  const hurrying = setInterval(() => gateway.clock.advance(1 * seconds), 50);
  const { stdout } = await running.finally(() => clearInterval(hurrying));
  return stdout.split(mark).slice(1);
}

/** One job a model with the input as it is, and its result where the code left or named it. */
async function check({ key, pictures, programs }: Written, printed: readonly string[]): Promise<void> {
  const { body } = await gateway.ask('GET', '/v1/jobs?limit=100', { key });
  const ids: string[] = body.data.map((job: { request_id: string }) => job.request_id).toReversed();
  assert.equal(ids[0], pictures);
  assert.deepEqual([ids.length - 1, printed.length], [programs.length, programs.length]);
  for (const [index, { model, kind, input, place }] of programs.entries()) {
    const job = await gateway.ask('GET', `/v1/jobs/${ids[index + 1]}`, { key });
    assert.equal(job.body.model, model);
    // The others are defaults of the model.
    assert.partialDeepStrictEqual(job.body.input, input, model);
    const bytes = await resultOf(printed[index]!, place);
    assert.match(bytes.toString('latin1', 0, 12), startOf[kind], model);
  }
}

/** The file that the code saved, else the one at the address that it printed. */
async function resultOf(printed: string, place: string): Promise<Buffer> {
  const answer = JSON.parse(printed);
  const name = [answer.saved].flat()[0] ?? (answer.object === 'video' ? 'result.mp4' : undefined);
  if (name !== undefined) return readFile(join(place, name));
  const [address = ''] = printed.match(/http:[^"]*\/v1\/f\/[^"]*/) ?? [];
  return Buffer.from(await (await fetch(address)).arrayBuffer());
}

// Beside each other: their programs mostly wait.
describe('the code of every model makes one job with the input as it is', { concurrency: true }, () => {
  for (const language of packages)
    test(`for the ${language}`, async () => {
      const written = await codeOf(language);
      // In one process: loading the package takes longer than all else.
      const lines: string[] = [];
      for (const { place, code } of written.programs) {
        const program = join(place, 'job.mjs');
        await writeFile(program, code);
        lines.push(`process.chdir(${JSON.stringify(place)});`, `console.log(${JSON.stringify(mark)});`);
        lines.push(`await import(${JSON.stringify(program)});`);
      }
      const all = join(folder, language, 'all.mjs');
      await writeFile(all, lines.join('\n'));
      await check(written, await run(process.execPath, [all]));
    });

  test('for the command line', async () => {
    const written = await codeOf('CLI');
    const lines = ['set -e'];
    for (const { place, code } of written.programs) {
      await writeFile(join(place, 'job.sh'), code);
      lines.push(`cd '${place}'`, `printf '\\f'`, 'sh job.sh');
    }
    const all = join(folder, 'all.sh');
    await writeFile(all, lines.join('\n'));
    await check(written, await run('sh', [all]));
  });
});
