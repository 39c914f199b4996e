/** The limits in atelier.yaml: defaults, sizes and faults. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { withoutPlaces } from '../../testkit/gateway/without-places.ts';

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
    const { waiting, bodies, spool, connections, connectionsPerAddress } = config().limits;
    assert.deepEqual(
      { waiting, bodies, spool, connections, connectionsPerAddress },
      {
        waiting: { perKey: 5, inAll: 1_000_000 },
        bodies: { bytesInAll: 268_435_456, bytesPerKey: 134_217_728, inAll: 7, perKey: 5_000 },
        spool: { bytesInAll: 4_294_967_296, bytesPerKey: 536_870_912 },
        connections: 10_000,
        connectionsPerAddress: 200,
      },
    );
  });

  test('of storage are sizes, numbers of bytes, and in all a share of the disk', async () => {
    const gigabyte = 1024 ** 3;
    const usual = await read({});
    assert.deepEqual(usual.config().limits.storage, {
      perKey: 20 * gigabyte,
      perUser: 100 * gigabyte,
      inAll: { shareOfDisk: 0.9 },
    });
    const own = await read({ storage: { per_key: '500MB', per_user: 2_000_000_000, in_all: '1.5TB' } });
    assert.deepEqual(own.config().limits.storage, {
      perKey: 500 * 1024 ** 2,
      perUser: 2_000_000_000,
      inAll: { bytes: 1.5 * 1024 * gigabyte },
    });
  });

  test('of storage that are none are refused', async () => {
    const { path, config } = await read({ storage: { per_key: '63MB', per_user: 7, in_all: '120%' } });
    const sizeFault = 'must be a size such as 20GB or 500MB, or a number of bytes (64MB at least)';
    assert.throws(config, failure => {
      assert.ok(failure instanceof ConfigError);
      assert.deepEqual(
        withoutPlaces(failure.message).split('\n').toSorted(),
        [
          `${path} limits.storage.in_all: ${sizeFault}, or a share of the disk such as 90%`,
          `${path} limits.storage.per_key: ${sizeFault}`,
          `${path} limits.storage.per_user: ${sizeFault}`,
        ].toSorted(),
      );
      return true;
    });
  });

  test('are refused with every fault at once', async () => {
    const { path, config } = await read({
      waiting: { per_key: 0, in_all: 1.5 },
      bodies: { bytes_in_all: 67_108_863, bytes_per_key: '64 MB', bytes: 1 },
      spool: { bytes_in_all: 1, bytes_per_key: 1.5 },
      connections: -1,
      connections_per_address: 0,
    });
    const countFault = 'must be between 67108864 and 1000000000';
    assert.throws(config, failure => {
      assert.ok(failure instanceof ConfigError);
      assert.deepEqual(
        withoutPlaces(failure.message).split('\n').toSorted(),
        [
          `${path} limits.bodies.bytes_in_all: ${countFault}`,
          `${path} limits.bodies.bytes_per_key: must be a whole number`,
          `${path} limits.bodies.bytes: unknown key`,
          `${path} limits.spool.bytes_in_all: must be between 67108864 and 1099511627776`,
          `${path} limits.spool.bytes_per_key: must be a whole number`,
          `${path} limits.connections: must be between 1 and 1000000000`,
          `${path} limits.connections_per_address: must be between 1 and 1000000000`,
          `${path} limits.waiting.in_all: must be a whole number`,
          `${path} limits.waiting.per_key: must be between 1 and 1000000000`,
        ].toSorted(),
      );
      return true;
    });
  });
});
