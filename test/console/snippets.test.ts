/** The code of the Request tab, run as it is copied: every model, every language, a shell with nothing set. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Language, snippet } from '../../console/src/pages/play/snippets.ts';
import { models } from '../../src/catalog/index.ts';

const execute = promisify(execFile);
const key = 'atl_the-key-of-this-test';
/** What a shell, a literal or a heredoc could take for something else. */
const hostile = `It's "quoted" $HOME \`date\` \\n true null\nINPUT\nété`;

/** One input a model: its first example, and one with a hostile text; both are valid JSON of that model. */
const inputs = models.flatMap(({ id, kind, examples }) =>
  examples.slice(0, 1).map(example => ({ model: id, kind, input: example as unknown })),
);
const hostileInput = { model: 'gamma-v3-image', kind: 'image' as const, input: { prompt: hostile, n: 2 } };
/** More bytes than Linux takes in one argument of a command, of far fewer characters. */
const longInput = { ...hostileInput, input: { prompt: '画'.repeat(60_000) } };
const all = [...inputs, hostileInput, longInput];

describe('the code of a request', () => {
  let server: Server;
  let folder: string;
  let url: string;
  let isWaitedFor = false;
  /** What was posted since the last look, and with which key. */
  let posted: { readonly path: string; readonly key: string | undefined; readonly body: unknown }[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-snippets-'));
    server = createServer(async (request, reply) => {
      const body = await text(request);
      reply.setHeader('content-type', 'application/json');
      if (request.method === 'POST') {
        posted.push({
          path: request.url ?? '',
          key: request.headers.authorization,
          body: JSON.parse(body),
        });
        return reply.end('{"request_id":"019e0000","status_url":"x"}');
      }
      assert.match(request.url ?? '', /\/requests\/019e0000\/response$/);
      // Of one job the first answer is that it is not finished: the code waits a second.
      reply.statusCode = posted.length === 2 && !isWaitedFor ? 202 : 200;
      isWaitedFor = posted.length === 2;
      return reply.end(reply.statusCode === 202 ? '{}' : '{"seen":"the result"}');
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const codeOf = (language: Language, { model, kind, input }: (typeof all)[number]) =>
    snippet(language, { url, key, model, kind }, input);
  /** Nothing of this process but the places of programs. */
  const bare = (path = '') => ({
    PATH: [path, dirname(process.execPath), '/usr/local/bin:/usr/bin:/bin'].filter(Boolean).join(':'),
  });
  const run = async (file: string, args: readonly string[], env = bare()) =>
    (await execute(file, args, { cwd: folder, env, timeout: 60_000 })).stdout;
  const wanted = () =>
    all.map(({ model, input }) => ({ path: `/v1/queue/${model}`, key: `Bearer ${key}`, body: input }));

  test('in cURL creates the job, waits for it and prints its result', async () => {
    posted = [];
    for (const one of all) {
      // From a file, as a paste: one argument of a command has a limit of its own.
      await writeFile(join(folder, 'job.sh'), codeOf('cURL', one));
      assert.match(await run('sh', ['job.sh']), /\{"seen":"the result"\}$/);
    }
    assert.deepEqual(posted, wanted());
  });

  test('in TypeScript needs no package', async () => {
    posted = [];
    const names = all.map((_, index) => `./job-${index}.ts`);
    for (const [index, one] of all.entries())
      await writeFile(join(folder, names[index]!), codeOf('TypeScript', one));
    const each = `for (const name of ${JSON.stringify(names)}) await import(name);`;
    await writeFile(join(folder, 'all.mjs'), each);
    const printed = await run(process.execPath, ['all.mjs']);
    assert.equal(printed, "{ seen: 'the result' }\n".repeat(all.length));
    assert.deepEqual(posted, wanted());
  });

  test('in Python needs no package', async () => {
    posted = [];
    for (const [index, one] of all.entries())
      await writeFile(join(folder, `job_${index}.py`), codeOf('Python', one));
    await writeFile(
      join(folder, 'all.py'),
      `import runpy\nfor index in range(${all.length}): runpy.run_path(f"job_{index}.py")\n`,
    );
    const printed = await run('/usr/bin/env', ['python3', '-I', 'all.py']);
    assert.equal(printed, '{\n  "seen": "the result"\n}\n'.repeat(all.length));
    assert.deepEqual(posted, wanted());
  });

  test('for the command line gives the command the address, the key and the whole input', async () => {
    // Stands for npx, and prints what it was called with.
    const programs = join(folder, 'bin');
    await mkdir(programs);
    const recorder = `#!/usr/bin/env node
const { ATELIER_URL: url, ATELIER_API_KEY: key } = process.env;
const stdin = process.argv.includes('@-') ? require('node:fs').readFileSync(0, 'utf8') : null;
console.log(JSON.stringify({ url, key, args: process.argv.slice(2), stdin }));
`;
    await writeFile(join(programs, 'npx'), recorder);
    await chmod(join(programs, 'npx'), 0o755);
    const textsOfJson = { ...hostileInput, input: { prompt: 'true', n: '2' } };
    // The command itself runs the code of every model in test/client/sdk-snippets.test.ts.
    const calls = [
      [hostileInput, [`prompt=${hostile}`, 'n=2', '--save'], null],
      [textsOfJson, ['prompt:="true"', 'n:="2"', '--save'], null],
      [longInput, ['--json', '@-', '--save'], longInput.input],
    ] as const;
    for (const [one, fields, stdin] of calls) {
      await writeFile(join(folder, 'cli.sh'), codeOf('CLI', one));
      const called = JSON.parse(await run('sh', ['cli.sh'], bare(programs)));
      assert.deepEqual([called.url, called.key], [url, key]);
      assert.deepEqual(called.args, ['atelier', 'run', one.model, ...fields]);
      assert.deepEqual(JSON.parse(called.stdin), stdin);
    }
  });
});
