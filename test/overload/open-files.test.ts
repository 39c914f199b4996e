/** A process with few file descriptors limits its connections. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createKeyOfAnn } from '../../testkit/gateway/create-key.ts';
import { ask, until } from '../../testkit/gateway/gateway.ts';
import { serve } from '../../testkit/gateway/program.ts';

/** Only there can a process read its own limit. */
const skip = process.platform !== 'linux';

describe('a process that may open few files', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-files-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** Node, as a shell starts it that limits its open files. */
  async function limitedNode(openFiles: number): Promise<string> {
    const path = join(folder, `node-${openFiles}`);
    const lines = ['#!/bin/sh', `ulimit -n ${openFiles}`, `exec "${process.execPath}" "$@"`, ''];
    await writeFile(path, lines.join('\n'), { mode: 0o700 });
    return path;
  }

  const cases = [
    { openFiles: 256, connections: 64 },
    { openFiles: 2_000, connections: 1_488 },
  ];
  for (const { openFiles, connections } of cases) {
    test(`takes ${connections} connections of ${openFiles} files, and says so`, async () => {
      const env = { ATELIER_DATA_DIR: join(folder, String(openFiles)), ATELIER_ROLE: 'api' };
      const served = await serve({ env, node: await limitedNode(openFiles) });
      try {
        const said = 'connection limit lowered: open file limit (ulimit -n) is too low';
        const line = await until(
          async () =>
            served
              .log()
              .split('\n')
              .find(text => text.includes(said)),
          'the line about it',
        );
        assert.deepEqual(
          { ...JSON.parse(line), time: 0, pid: 0, hostname: '' },
          { level: 40, time: 0, pid: 0, hostname: '', openFiles, wanted: 10_000, connections, msg: said },
        );
      } finally {
        await served.end('SIGTERM');
      }
    });
  }

  test('has files left for an upload when all its connections are taken', async () => {
    const env = { ATELIER_DATA_DIR: join(folder, 'uploads'), ATELIER_ROLE: 'api' };
    const key = await createKeyOfAnn(env);
    const served = await serve({ env, node: await limitedNode(256) });
    const { hostname, port } = new URL(served.url);
    const sockets = Array.from({ length: 300 }, () => connect(Number(port), hostname).resume());
    try {
      for (const socket of sockets) socket.on('error', () => {});
      const open = () => sockets.filter(socket => !socket.closed);
      await until(async () => open().length === 64, 'the others to be closed');
      open()[0]?.destroy();
      const body = { data: Buffer.from('words').toString('base64'), mime_type: 'text/plain' };
      const uploaded = await until(
        () => ask(served.url, 'POST', '/v1/files', { key, body }).catch(() => null),
        'the place to be free',
      );
      assert.equal(uploaded.status, 200);
    } finally {
      for (const socket of sockets) socket.destroy();
      await served.end('SIGTERM');
    }
  });
});
