/** How a medium is written into an upstream's body: as an address or as bytes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { findModel } from '../../src/catalog/index.ts';
import { jobIdFromRow, keyIdFromRow, userIdFromRow } from '../../src/domain/ids.ts';
import type { ProviderTask } from '../../src/domain/provider.ts';
import { type EncodingOptions, encodeMedia } from '../../src/providers/kit/media-encoding.ts';

const fileId = 'file_0123456789abcdefghijABCD';
const elsewhere = 'https://files.test/clip.mp4';
const modelId = 'gamma-v2-6-motion-control';

describe('a medium in a body', () => {
  let folder: string;
  let task: ProviderTask;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-form-'));
    await writeFile(join(folder, 'picture'), 'picture');
    await writeFile(join(folder, 'clip'), 'clip');
    task = taskWith(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const linkTo = (id: string) => `https://gateway.test/${id}`;
  const form = async (wanted: Partial<EncodingOptions>) => {
    const formed = await encodeMedia(findModel(modelId)!, task, {
      linkTo,
      encoding: 'link',
      maxInlineBytes: 7,
      ...wanted,
    });
    if (formed.kind === 'refused') return formed.error.message;
    const input = Object(formed.input);
    return [input.image_url, input.video_url];
  };

  test('is an address: ours for a file of ours, else that of the client', async () => {
    const ours = `https://gateway.test/${fileId}`;
    assert.deepEqual(await form({}), [ours, elsewhere]);
    assert.deepEqual(await form({ encoding: 'link-or-data-url' }), [ours, elsewhere]);
  });

  test('is bytes where this gateway has no public address, or none is wanted', async () => {
    const picture = 'data:image/jpeg;base64,cGljdHVyZQ==';
    assert.deepEqual(await form({ encoding: 'link-or-data-url', linkTo: () => null }), [picture, elsewhere]);
    assert.deepEqual(await form({ encoding: 'data-url' }), [picture, 'data:video/mp4;base64,Y2xpcA==']);
    assert.deepEqual(await form({ encoding: 'base64' }), ['cGljdHVyZQ==', 'Y2xpcA==']);
    const byKind: EncodingOptions['encoding'] = ({ video }) => (video ? 'link' : 'base64');
    assert.deepEqual(await form({ encoding: byKind }), ['cGljdHVyZQ==', elsewhere]);
  });

  test('is refused where it cannot be given', async () => {
    assert.equal(
      await form({ linkTo: () => null }),
      'image_url: cannot be sent to the upstream: this gateway has no public address to fetch it from',
    );
    assert.equal(
      await form({ encoding: 'base64', maxInlineBytes: 6 }),
      'image_url: cannot be sent to the upstream: has more than 6 bytes',
    );
  });
});

function taskWith(folder: string): ProviderTask {
  const body = { image_url: fileId, video_url: elsewhere, character_orientation: 'video', mode: 'std' };
  const parsed = findModel(modelId)!.parse(body);
  assert.ok(parsed.ok);
  const id = jobIdFromRow('019e0000-0000-7000-8000-000000000001');
  const times = {
    dueAt: 0,
    createdAt: 0,
    startedAt: 0,
    completedAt: null,
    expiresAt: 0,
    cancelRequestedAt: null,
  };
  const rest = {
    holder: null,
    claim: 1,
    crashes: 0,
    externalTaskId: null,
    callbackUrl: null,
    progress: null,
    tags: null,
    cost: null,
  };
  const owner = { userId: userIdFromRow('user_a'), keyId: keyIdFromRow('key_a') };
  const place = { state: 'running', priority: 0, rank: 0 } as const;
  const end = { result: null, error: null };
  return {
    jobId: id,
    modelId,
    job: { id, modelId, input: parsed.input, ...owner, ...place, ...times, ...rest, ...end },
    upstreamModel: modelId,
    attempt: 1,
    dedupeKey: `${id}-1`,
    media: { [fileId]: join(folder, 'picture'), [elsewhere]: join(folder, 'clip') },
    facts: {
      image_url: { mimeType: 'image/jpeg', bytes: 7, image: { width: 640, height: 640 } },
      video_url: {
        mimeType: 'video/mp4',
        bytes: 4,
        video: { width: 640, height: 480, seconds: 4, fps: 24, codec: 'h264' },
      },
    },
    routeOptions: {},
    callbackUrl: null,
    pinned: {},
  };
}
