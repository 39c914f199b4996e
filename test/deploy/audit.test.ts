/** npm run audit against a registry with scripted advisories. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));

type Advisories = Readonly<Record<string, { readonly severity: string; readonly title: string }>>;

describe('npm run audit', () => {
  /** What the registry knows; null: it has no such endpoint. */
  let known: Advisories | null = null;
  /** The packages of each request. */
  let requests: (readonly string[])[] = [];
  let registry: Server;
  let cache: string;
  before(async () => {
    cache = await mkdtemp(join(tmpdir(), 'atelier-audit-'));
    registry = createServer(async (request, response) => {
      const body = await buffer(request);
      const name = decodeURIComponent(request.url!.slice(1));
      if (request.method === 'GET') return void response.end(JSON.stringify(packageOf(name)));
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      const names = Object.keys(JSON.parse(text.toString()));
      requests.push(names);
      if (known === null) return void response.writeHead(405).end();
      const found = Object.entries(known).filter(([of]) => names.includes(of));
      response.end(JSON.stringify(Object.fromEntries(found.map(([of, one]) => [of, [advisory(of, one)]]))));
    }).listen(0, '127.0.0.1');
    await once(registry, 'listening');
  });
  after(async () => {
    registry.close();
    await rm(cache, { recursive: true, force: true });
  });

  async function audit(advisories: Advisories | null): Promise<{ code: number; output: string }> {
    known = advisories;
    requests = [];
    const { port } = registry.address() as AddressInfo;
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: cache,
    };
    return new Promise(done => {
      const report = (failure: Error | null, _: string, output: string) =>
        done({ code: failure && 'code' in failure ? Number(failure.code) : 0, output });
      execFile(process.execPath, ['scripts/audit.js'], { cwd: root, env, timeout: 120_000 }, report);
    });
  }

  test('checks what is shipped, the console too, and not tools of development', async () => {
    const { code, output } = await audit({});
    assert.deepEqual(
      [code, output],
      [0, 'npm run audit: no high or critical advisory about the packages that are shipped\n'],
    );
    const names = new Set(requests.flat());
    for (const name of ['fastify', 'pg', 'zod', 'undici', 'react']) assert.ok(names.has(name), name);
    for (const name of ['knip', 's3rver', '@biomejs/biome']) assert.equal(names.has(name), false, name);
  });

  test('fails on a high advisory, and names it', async () => {
    const { code, output } = await audit({ undici: { severity: 'high', title: 'A body is read twice' } });
    assert.equal(code, 1);
    assert.match(output, /^high {2}undici {2}A body is read twice {2}https:\/\/advisories\.test\/undici$/m);
  });

  test('reports a moderate one and does not fail', async () => {
    const { code, output } = await audit({ undici: { severity: 'moderate', title: 'A header is long' } });
    assert.equal(code, 0);
    assert.match(output, /^moderate {2}undici {2}A header is long/m);
  });

  test('reports that it was skipped where the registry has no advisories, and does not fail', async () => {
    const { code, output } = await audit(null);
    assert.equal(code, 0);
    assert.match(output, /^npm run audit: skipped, the registry gave no advisories: 405/);
  });
});

const advisory = (name: string, { severity, title }: Advisories[string]) => ({
  // npm keeps what it made of an advisory, by its number.
  id: severity === 'high' ? 1 : 2,
  url: `https://advisories.test/${name}`,
  title,
  severity,
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 0, vectorString: null },
});

/** npm looks up which versions of a package there are. */
const packageOf = (name: string) => ({ name, 'dist-tags': {}, versions: {} });
