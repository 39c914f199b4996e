import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigFault, readConfig } from '../../src/config.ts';
import { withoutPlaces } from '../support/without-places.ts';

describe('the limits in atelier.yaml', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-limits-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function read(limits: unknown) {
    const path = join(folder, 'atelier.yaml');
    await writeFile(path, JSON.stringify({ limits }));
    return { path, config: () => readConfig({ ATELIER_CONFIG: path }) };
  }

  test('have defaults, each by itself', async () => {
    const { config } = await read({ waiting: { per_key: 5 }, bodies: { in_all: 7 } });
    const { waiting, bodies, connections } = config().limits;
    assert.deepEqual(
      { waiting, bodies, connections },
      {
        waiting: { perKey: 5, inAll: 1_000_000 },
        bodies: { bytesInAll: 268_435_456, bytesPerKey: 134_217_728, inAll: 7, perKey: 5_000 },
        connections: 10_000,
      },
    );
  });

  test('are refused with every fault at once', async () => {
    const { path, config } = await read({
      waiting: { per_key: 0, in_all: 1.5 },
      bodies: { bytes_in_all: 67_108_863, bytes_per_key: '64 MB', bytes: 1 },
      connections: -1,
    });
    const room = 'must be between 67108864 and 1000000000';
    assert.throws(config, failure => {
      assert.ok(failure instanceof ConfigFault);
      assert.deepEqual(
        withoutPlaces(failure.message).split('\n').toSorted(),
        [
          `${path} limits.bodies.bytes_in_all: ${room}`,
          `${path} limits.bodies.bytes_per_key: must be a whole number`,
          `${path} limits.bodies.bytes: unknown key`,
          `${path} limits.connections: must be between 1 and 1000000000`,
          `${path} limits.waiting.in_all: must be a whole number`,
          `${path} limits.waiting.per_key: must be between 1 and 1000000000`,
        ].toSorted(),
      );
      return true;
    });
  });
});
