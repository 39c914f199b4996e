/** The curl lines of the banner, run in a shell. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { MediaFacts } from '../../src/domain/media.ts';
import { openProber, type Prober } from '../../src/media/prober.ts';
import { type Served, serve } from '../../testkit/gateway/program.ts';
import { openShell, type Shell } from './shell.ts';

/** A job changes its state twice until its end, and each change answers a waiting request. */
const maxPolls = 3;

describe('the curl lines of the banner, pasted into a shell', () => {
  let folder: string;
  let gateway: Served;
  let shell: Shell;
  let prober: Prober;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-curl-'));
    gateway = await serve({ env: { ATELIER_DATA_DIR: join(folder, 'data') } });
    shell = await openShell(folder);
    prober = openProber();
  });
  after(async () => {
    await prober.close();
    assert.equal(await gateway.end('SIGTERM'), 0);
    await rm(folder, { recursive: true, force: true });
  });

  /** Every paragraph that is a command, as it is printed. */
  const linesOf = (banner: string) => banner.split('\n\n').filter(part => part.startsWith('    curl '));

  /** Creates with the first lines, polls with the second until COMPLETED, and downloads with the third. */
  async function follow(
    change: (lines: string) => string,
    addressOf: (result: Result) => string,
  ): Promise<{ result: Result; facts: MediaFacts }> {
    const [create = '', ask = '', download = ''] = linesOf(gateway.banner()).map(change);
    const handle = JSON.parse(await shell(create));
    assert.deepEqual(Object.keys(handle), [
      'request_id',
      'response_url',
      'status_url',
      'cancel_url',
      'queue_position',
    ]);
    let result: Result = { status: '' };
    for (let polls = 0; polls < maxPolls && result.status !== 'COMPLETED'; polls++) {
      result = JSON.parse(await shell(ask.replace('REQUEST_ID', handle.request_id)));
    }
    assert.deepEqual({ status: result.status, error: result.error }, { status: 'COMPLETED', error: null });
    await shell(download.replace('VIDEO_URL', addressOf(result)));
    const probe = await prober.probe(join(folder, 'lighthouse.mp4'));
    assert.equal(probe.kind, 'read');
    return { result, facts: probe.facts };
  }

  /** The same lines with another model and another body. */
  const withModel = (model: string, body: string) => (lines: string) =>
    lines.replace('eta2.6-t2v', model).replace(/-d '.*'/, () => `-d '${body}'`);

  test('are three: create, poll, download', () => {
    assert.equal(linesOf(gateway.banner()).length, 3);
  });

  test('make the video they say: 1280x720, 3 seconds, with sound', async () => {
    const { result, facts } = await follow(
      lines => lines,
      ({ video }) => video?.url ?? '',
    );
    assert.equal(facts.mimeType, 'video/mp4');
    assert.equal(facts.bytes, result.video?.file_size);
    const { width, height, seconds = 0 } = facts.video ?? {};
    assert.deepEqual(
      { width, height, seconds: Math.round(seconds * 10) / 10 },
      { width: 1280, height: 720, seconds: 3 },
    );
    assert.equal(Math.round(facts.audio?.seconds ?? 0), 3);
  });

  test('make a picture with the model changed', async () => {
    const { facts } = await follow(
      withModel('gamma-v3-image', '{"prompt":"A red balloon over a lake","aspect_ratio":"3:2"}'),
      ({ images }) => images?.[0]?.url ?? '',
    );
    assert.equal(facts.mimeType, 'image/png');
    assert.deepEqual(facts.image, { width: 1248, height: 832 });
  });

  test('make speech as mp3 with the model changed', async () => {
    const { result, facts } = await follow(
      withModel('delta-speech-02-hd', '{"text":"The tide is out.","voice_setting":{"voice_id":"calm"}}'),
      ({ audio }) => audio?.url ?? '',
    );
    assert.equal(facts.mimeType, 'audio/mpeg');
    assert.equal(facts.bytes, result.audio?.file_size);
    assert.equal(facts.audio?.codec, 'mp3');
  });
});

interface Result {
  readonly status: string;
  readonly error?: unknown;
  readonly video?: { readonly url: string; readonly file_size: number };
  readonly images?: readonly { readonly url: string }[];
  readonly audio?: { readonly url: string; readonly file_size: number };
}
