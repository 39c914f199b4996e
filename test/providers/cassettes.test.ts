/** Every answer that is kept in `test/replies` is read by its provider to the outcome that the file names. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { contractCatalog } from '../../src/catalog/index.ts';
import { systemClock } from '../../src/domain/clock.ts';
import type { ProviderTask } from '../../src/domain/provider.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { definitionOf, providers } from '../../src/providers/index.ts';
import { type Cassette, cassetteSchema } from '../../src/providers/kit/cassette.ts';
import { driveJob } from '../../src/providers/kit/drive-job.ts';
import { taskOf } from '../../src/routing/record-job.ts';
import { openReplay } from '../../testkit/upstreams/replay.ts';

const folder = new URL('../replies/', import.meta.url);

/** The secrets of every account: they are compared with nothing, because no cassette has them. */
const secrets = { api_key: 'a-key', app: 'an-app', secret: 'a-secret' };

const pictureFacts = { mimeType: 'image/jpeg', bytes: 35, image: { width: 640, height: 480 } };

async function readCassettes(provider: string): Promise<ReadonlyMap<string, Cassette>> {
  const names = await readdir(new URL(`${provider}/`, folder));
  const read = async (name: string) => {
    const text = await readFile(new URL(`${provider}/${name}`, folder), 'utf8');
    return [name, cassetteSchema.parse(JSON.parse(text))] as const;
  };
  return new Map(await Promise.all(names.map(read)));
}

describe('a cassette', () => {
  let scratch: string;
  let picture: string;
  const outbound = openOutbound({ allowPrivate: true });
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'atelier-replay-'));
    picture = join(scratch, 'picture.jpg');
    await writeFile(picture, 'a picture that no upstream looks at');
  });
  after(async () => {
    await outbound.close();
    await rm(scratch, { recursive: true, force: true });
  });

  /** Opens the account at the replay, with the secrets that its schema takes. */
  function openAccount({ provider, settings }: Cassette, baseUrl: string) {
    const schema = definitionOf(provider)!.settings(z.string());
    const written = { base_url: baseUrl, ...settings };
    const wanted =
      provider === 'youchuan' ? { app: secrets.app, secret: secrets.secret } : { api_key: secrets.api_key };
    return schema.parse({ ...wanted, ...written }).open({
      catalog: contractCatalog,
      clock: systemClock,
      outbound,
      linkTo: () => null,
      folder: scratch,
    });
  }

  function taskIn({
    model: id,
    upstreamModel,
    routeOptions,
    input,
    dedupeKey,
    provider,
  }: Cassette): ProviderTask {
    const model = contractCatalog.find(id)!;
    const parsed = model.parse(input);
    assert.ok(parsed.ok, JSON.stringify(parsed));
    const options = definitionOf(provider)!.routeOptions.parse(routeOptions);
    const found = model.media(parsed.input);
    const task = taskOf({ model, route: { upstreamModel, options }, input: parsed.input });
    return {
      ...task,
      dedupeKey,
      media: Object.fromEntries(found.map(({ value }) => [value, picture])),
      facts: Object.fromEntries(found.map(({ path }) => [path.join('.'), pictureFacts])),
    };
  }

  for (const { name } of providers) {
    test(`of ${name} is read to its outcome; one succeeded and one did not`, async () => {
      const cassettes = await readCassettes(name);
      for (const [file, cassette] of cassettes) {
        assert.equal(cassette.provider, name, file);
        const replay = await openReplay(cassette);
        const opened = openAccount(cassette, replay.url);
        try {
          const { signal } = new AbortController();
          const driving = { wait: async () => {}, maxPolls: 20, signal };
          const outcome = await driveJob(opened.provider, taskIn(cassette), driving);
          assert.deepEqual(replay.faults(), [], file);
          assert.deepEqual(outcome, cassette.outcome, file);
        } finally {
          await opened.close();
          await replay.close();
        }
      }
      const kinds = [...cassettes.values()].map(({ outcome }) => outcome.kind === 'succeeded');
      assert.deepEqual([...new Set(kinds)].toSorted(), [false, true]);
    });
  }

  test('has nothing that looks like a secret', async () => {
    for (const { name } of providers) {
      for (const [file, cassette] of await readCassettes(name)) {
        const text = JSON.stringify(cassette);
        assert.doesNotMatch(
          text,
          /\beyJ[\w-]+\.|\bsk-|\br8_|[?&](sign|signature|token|key|x-amz-)[^"&]*=/i,
          file,
        );
      }
    }
  });
});
