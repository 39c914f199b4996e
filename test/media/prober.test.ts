/** The prober: what it measures of films, sounds and pictures, and its limits. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { QueueClosed, QueueFull } from '../../src/domain/fair-queue.ts';
import type { MediaFacts } from '../../src/domain/media.ts';
import { openProber, type Probe, type Prober } from '../../src/media/prober.ts';
import { busyFilm, greedyFilm, heic, pngHeader } from '../../testkit/media/craft-bytes.ts';
import { type ClipPlan, makeClip, makePicture } from '../../testkit/media/make-media.ts';

type Facts = Omit<MediaFacts, 'bytes'>;

const picture = { width: 64, height: 48, fps: '24' };
const sound = { sampleRate: 48000, channels: 2 } as const;
const film = { width: 64, height: 48, seconds: 1, fps: 24, codec: 'avc' };
/** Without priming and the last, unfilled frame of the encoder: 46 frames of 1,024 samples. */
const aac = { seconds: 0.981, sampleRate: 48000, channels: 2, codec: 'aac' };

type Clip = readonly [name: string, plan: Omit<ClipPlan, 'path' | 'seconds'>, facts: Facts];
const clips: readonly Clip[] = [
  ['film.mp4', { video: picture, audio: sound }, { mimeType: 'video/mp4', video: film, audio: aac }],
  ['silent.mp4', { video: picture }, { mimeType: 'video/mp4', video: film }],
  [
    'faststart.mp4',
    { video: picture, muxerOptions: { movflags: '+faststart' } },
    { mimeType: 'video/mp4', video: film },
  ],
  [
    'fragmented.mp4',
    { video: picture, muxerOptions: { movflags: '+frag_keyframe+empty_moov' } },
    { mimeType: 'video/mp4', video: film },
  ],
  [
    'ntsc.mp4',
    { video: { ...picture, fps: '30000/1001' } },
    { mimeType: 'video/mp4', video: { ...film, seconds: 1.001, fps: 30000 / 1001 } },
  ],
  [
    'portrait.mp4',
    { video: { ...picture, width: 48, height: 64 } },
    { mimeType: 'video/mp4', video: { ...film, width: 48, height: 64 } },
  ],
  [
    'oldcodec.mp4',
    { video: { ...picture, codec: 'mpeg4' } },
    { mimeType: 'video/mp4', video: { ...film, codec: 'mp4v' } },
  ],
  ['film.mov', { video: picture, audio: sound }, { mimeType: 'video/quicktime', video: film, audio: aac }],
  [
    'film.webm',
    { video: { ...picture, codec: 'libvpx' } },
    { mimeType: 'video/webm', video: { ...film, codec: 'vp8' } },
  ],
  [
    'sound.webm',
    { audio: { ...sound, codec: 'libopus' } },
    { mimeType: 'audio/webm', audio: { ...aac, seconds: 1.008, codec: 'opus' } },
  ],
  ['sound.m4a', { audio: sound }, { mimeType: 'audio/mp4', audio: aac }],
  ['sound.mp4', { audio: sound }, { mimeType: 'audio/mp4', audio: aac }],
  [
    'sound.wav',
    { audio: { sampleRate: 44100, channels: 1, codec: 'pcm_s16le' } },
    { mimeType: 'audio/wav', audio: { seconds: 1, sampleRate: 44100, channels: 1, codec: 'pcm-s16' } },
  ],
  [
    'sound.mp3',
    { audio: { sampleRate: 44100, channels: 2, codec: 'libmp3lame' } },
    { mimeType: 'audio/mpeg', audio: { seconds: 1.019, sampleRate: 44100, channels: 2, codec: 'mp3' } },
  ],
  [
    'sound.ogg',
    { audio: { ...sound, codec: 'libopus' } },
    { mimeType: 'audio/ogg', audio: { ...aac, seconds: 1, codec: 'opus' } },
  ],
  ['film.mkv', { video: picture }, { mimeType: 'video/x-matroska' }],
  [
    'still.gif',
    { video: { ...picture, codec: 'gif', frames: 'rgb8' } },
    { mimeType: 'image/gif', image: { width: 64, height: 48 } },
  ],
  [
    'still.bmp',
    { video: { ...picture, fps: '1', codec: 'bmp', frames: 'bgr24' } },
    { mimeType: 'image/bmp', image: { width: 64, height: 48 } },
  ],
  [
    'still.tiff',
    { video: { ...picture, fps: '1', codec: 'tiff', frames: 'rgb24' } },
    { mimeType: 'image/tiff', image: { width: 64, height: 48 } },
  ],
];

const damaged: Probe = {
  kind: 'unreadable',
  reason: 'The file is damaged or not what it claims to be.',
};
const unsized: Probe = { kind: 'unreadable', reason: 'The image has no width or height.' };
const trackless: Probe = { kind: 'unreadable', reason: 'The file has no video or audio track.' };
const tooSlow: Probe = { kind: 'unreadable', reason: 'Reading the file timed out.' };

const folder = mkdtempSync(join(tmpdir(), 'prober-'));
const prober = openProber({ workers: 2 });
const at = (name: string) => join(folder, name);

before(async () => {
  for (const [name, plan] of clips) await makeClip({ path: at(name), seconds: 1, ...plan });
});
after(async () => {
  await prober.close();
  await rm(folder, { recursive: true });
});

async function probeBytes(name: string, bytes: Uint8Array): Promise<Probe> {
  await writeFile(at(name), bytes);
  return prober.probe(at(name));
}

describe('films and sounds', () => {
  for (const [name, , facts] of clips) {
    test(name, async () => {
      const { size } = await stat(at(name));
      assert.deepEqual(await prober.probe(at(name)), { kind: 'read', facts: { ...facts, bytes: size } });
    });
  }

  test('the name does not matter', async () => {
    const bytes = await readFile(at('film.webm'));
    const facts = { mimeType: 'video/webm', video: { ...film, codec: 'vp8' }, bytes: bytes.length };
    assert.deepEqual(await probeBytes('film.txt', bytes), { kind: 'read', facts });
  });

  test('a film turned by a quarter is measured as it is shown', async () => {
    const bytes = await readFile(at('silent.mp4'));
    const matrix = bytes.indexOf('tkhd') + 4 + 40;
    [0, 0x10000, 0, -0x10000, 0, 0].forEach((value, index) => {
      bytes.writeInt32BE(value, matrix + 4 * index);
    });
    const facts = { mimeType: 'video/mp4', video: { ...film, width: 48, height: 64 }, bytes: bytes.length };
    assert.deepEqual(await probeBytes('turned.mp4', bytes), { kind: 'read', facts });
  });
});

describe('pictures', () => {
  for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
    test(format, async () => {
      const bytes = await makePicture(at(`picture.${format}`), format, 40, 30);
      const facts = { mimeType: `image/${format}`, bytes: bytes.length, image: { width: 40, height: 30 } };
      assert.deepEqual(await prober.probe(at(`picture.${format}`)), { kind: 'read', facts });
    });
  }

  for (const [orientation, width, height] of [
    [1, 40, 30],
    [3, 40, 30],
    [5, 30, 40],
    [6, 30, 40],
    [8, 30, 40],
  ] as const) {
    test(`a JPEG of EXIF orientation ${orientation} is measured as it is shown`, async () => {
      const plain = await makePicture(at('plain.jpg'), 'jpeg', 40, 30);
      const exif = Buffer.from(
        `ffe10022 457869660000 4d4d002a00000008 0001 0112 0003 00000001 000${orientation}0000 00000000`.replaceAll(
          ' ',
          '',
        ),
        'hex',
      );
      const bytes = Buffer.concat([plain.subarray(0, 2), exif, plain.subarray(2)]);
      const facts = { mimeType: 'image/jpeg', bytes: bytes.length, image: { width, height } };
      assert.deepEqual(await probeBytes('exif.jpg', bytes), { kind: 'read', facts });
    });
  }

  for (const [quarters, width, height] of [
    [0, 4032, 3024],
    [1, 3024, 4032],
    [2, 4032, 3024],
    [3, 3024, 4032],
  ] as const) {
    test(`a HEIC turned by ${quarters} quarters is measured as it is shown`, async () => {
      const bytes = heic(4032, 3024, quarters);
      const facts = { mimeType: 'image/heic', bytes: bytes.length, image: { width, height } };
      assert.deepEqual(await probeBytes('phone.heic', bytes), { kind: 'read', facts });
    });
  }

  test('a bomb is measured by its header, never unpacked', async () => {
    const bytes = pngHeader(65536, 65536);
    const facts = { mimeType: 'image/png', bytes: bytes.length, image: { width: 65536, height: 65536 } };
    assert.deepEqual(await probeBytes('bomb.png', bytes), { kind: 'read', facts });
  });

  test('a picture without width or height is unreadable', async () => {
    assert.deepEqual(await probeBytes('flat.png', pngHeader(0, 10)), unsized);
    assert.deepEqual(await probeBytes('thin.png', pngHeader(10, 0)), unsized);
    assert.deepEqual(await probeBytes('cut.png', pngHeader(10, 10).subarray(0, 20)), damaged);
  });
});

describe('what is no medium', () => {
  test('an unrecognised file is read as bytes of no kind', async () => {
    const playlist = Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:1/a.ts\n');
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    for (const bytes of [playlist, drawing, Buffer.alloc(5000)]) {
      const facts = { mimeType: 'application/octet-stream', bytes: bytes.length };
      assert.deepEqual(await probeBytes('list.mp4', bytes), { kind: 'read', facts });
    }
  });

  test('a document is recognised without measures', async () => {
    const facts = { mimeType: 'application/pdf', bytes: 9 };
    assert.deepEqual(await probeBytes('a.pdf', Buffer.from('%PDF-1.7\n')), { kind: 'read', facts });
  });

  test('an empty file, a missing one and a folder are unreadable', async () => {
    const unopened = { kind: 'unreadable', reason: 'The file could not be opened.' };
    assert.deepEqual(await probeBytes('empty', Buffer.alloc(0)), {
      kind: 'unreadable',
      reason: 'The file is empty.',
    });
    assert.deepEqual(await prober.probe(at('none')), unopened);
    assert.deepEqual(await prober.probe(folder), unopened);
  });
});

describe('damaged files', () => {
  test('an mp4 without its index is unreadable', async () => {
    const bytes = await readFile(at('film.mp4'));
    bytes.write('free', bytes.indexOf('moov'));
    assert.deepEqual(await probeBytes('unindexed.mp4', bytes), trackless);
  });

  test('an mp4 of a header alone is unreadable', async () => {
    const bytes = (await readFile(at('film.mp4'))).subarray(0, 32);
    assert.deepEqual(await probeBytes('header.mp4', bytes), trackless);
  });

  test('cut anywhere, a file is read soundly or unreadable', async () => {
    const names = clips.map(([name]) => name);
    for (const name of names) {
      const bytes = await readFile(at(name));
      for (const share of [0.02, 0.2, 0.5, 0.9]) {
        assertSound(await probeBytes(`cut-${name}`, bytes.subarray(0, Math.ceil(bytes.length * share))));
      }
    }
  });

  test('with bytes changed anywhere, a file is read soundly or unreadable, and the next one is read', async () => {
    const hasty = openProber({ workers: 2, timeoutMs: 3000 });
    const random = seededRandom(20);
    for (const name of ['film.mp4', 'film.webm', 'sound.mp3', 'sound.wav', 'still.tiff']) {
      const original = await readFile(at(name));
      const probes = Array.from({ length: 20 }, async (_, round) => {
        const bytes = Buffer.from(original);
        for (let change = 0; change < 6; change++)
          bytes[Math.floor(random() * 2000)] = Math.floor(random() * 256);
        await writeFile(at(`changed-${round}`), bytes);
        return hasty.probe(at(`changed-${round}`));
      });
      for (const probe of await Promise.all(probes)) assertSound(probe);
    }
    assert.equal((await hasty.probe(at('film.mp4'))).kind, 'read');
    await hasty.close();
  });

  test('a file that keeps the reader busy for ever is given up, and the next one gets a new thread', async () => {
    const strict = openProber({ workers: 1, timeoutMs: 3000 });
    await writeFile(at('busy.mp4'), busyFilm(await readFile(at('film.mp4'))));
    const [busy, next] = await Promise.all([strict.probe(at('busy.mp4')), strict.probe(at('film.mp4'))]);
    assert.deepEqual(busy, tooSlow);
    assert.equal(next.kind, 'read');
    await strict.close();
  });

  test('a file that fills the memory of its thread ends that thread alone', async () => {
    const patient = openProber({ workers: 1, timeoutMs: 30_000 });
    await writeFile(at('greedy.mp4'), greedyFilm(await readFile(at('film.mp4'))));
    const [greedy, next] = await Promise.all([
      patient.probe(at('greedy.mp4')),
      patient.probe(at('film.mp4')),
    ]);
    assert.deepEqual(greedy, damaged);
    assert.equal(next.kind, 'read');
    await patient.close();
  });
});

describe('the queue', () => {
  const names = ['silent.mp4', 'sound.wav', 'sound.mp3', 'film.webm', 'sound.ogg'];
  const request = (share: string, signal?: AbortSignal) =>
    ({ share, kind: 'request', ...(signal && { signal }) }) as const;
  const kindsOf = async (probes: readonly Promise<Probe>[]) =>
    (await Promise.all(probes)).map(({ kind }) => kind);

  async function withProber(
    options: Parameters<typeof openProber>[0],
    work: (own: Prober) => Promise<void>,
  ): Promise<void> {
    const own = openProber(options);
    await work(own).finally(() => own.close());
  }

  test('a key has two files read and eight waiting; one more is refused, and one of another key is read', () =>
    withProber({}, async own => {
      const begun: string[] = [];
      const read = (share: string, name: string) => {
        const lend = async () => {
          begun.push(share);
          return { path: at(name), drop: async () => {} };
        };
        return own.probe(lend, request(share));
      };
      const taken = Array.from({ length: 10 }, (_, place) =>
        read('greedy', names[place % names.length] ?? ''),
      );
      await assert.rejects(own.probe(at('silent.mp4'), request('greedy')), new QueueFull('share'));
      assert.deepEqual(own.size(), { running: 2, waiting: 8, begun: 2 });
      assert.equal((await read('other', 'silent.mp4')).kind, 'read');
      assert.deepEqual(begun.slice(0, 3), ['greedy', 'greedy', 'other']);
      assert.deepEqual(await kindsOf(taken), Array(10).fill('read'));
      assert.equal((await own.probe(at('silent.mp4'), request('greedy'))).kind, 'read');
    }));

  test('one file too many of all keys is refused, and a file of a job waits all the same', () =>
    withProber({ workers: 1, maxWaiting: 2 }, async own => {
      const taken = ['a', 'b', 'c'].map(key => own.probe(at('silent.mp4'), request(key)));
      await assert.rejects(own.probe(at('silent.mp4'), request('d')), new QueueFull('all'));
      const jobs = Array.from({ length: 20 }, () => own.probe(at('sound.wav'), { share: 'd', kind: 'job' }));
      assert.deepEqual(await kindsOf([...taken, ...jobs]), Array(23).fill('read'));
      assert.deepEqual(own.size(), { running: 0, waiting: 0, begun: 23 });
    }));

  test('the file of an asker who is gone is never read', () =>
    withProber({ workers: 1 }, async own => {
      const gone = new AbortController();
      const taken = own.probe(at('silent.mp4'), request('a'));
      const orders = ['a', 'b'].map(key => own.probe(at('sound.wav'), request(key, gone.signal)));
      gone.abort(new Error('gone'));
      for (const order of orders) await assert.rejects(order, new Error('gone'));
      assert.deepEqual(own.size(), { running: 1, waiting: 0, begun: 1 });
      assert.equal((await taken).kind, 'read');
      assert.equal(own.size().begun, 1);
    }));

  test('the same bytes are read once for a key, also when the first caller is gone', () =>
    withProber({}, async own => {
      const sha256 = 'of silent.mp4';
      const gone = new AbortController();
      const busy = [own.probe(at('sound.wav'), request('a')), own.probe(at('sound.mp3'), request('a'))];
      const first = own.probe(at('silent.mp4'), { ...request('a', gone.signal), sha256 });
      const rejected = assert.rejects(first, new Error('gone'));
      const same = Array.from({ length: 300 }, () =>
        own.probe(at('silent.mp4'), { ...request('a'), sha256 }),
      );
      gone.abort(new Error('gone'));
      await rejected;
      assert.deepEqual(await kindsOf([...busy, ...same]), Array(302).fill('read'));
      await own.probe(at('silent.mp4'), { ...request('a'), sha256 });
      assert.equal(own.size().begun, 3);
      await own.probe(at('silent.mp4'), { ...request('another'), sha256 });
      assert.equal(own.size().begun, 4);
    }));

  test('a file that could not be opened is looked for again', () =>
    withProber({}, async own => {
      const asker = { ...request('a'), sha256: 'of late.png' };
      const unopened = { kind: 'unreadable', reason: 'The file could not be opened.' };
      assert.deepEqual(await own.probe(at('late.png'), asker), unopened);
      await makePicture(at('late.png'), 'png', 40, 30);
      assert.equal((await own.probe(at('late.png'), asker)).kind, 'read');
    }));

  test('a file that took too long is read again', () =>
    withProber({ workers: 1, timeoutMs: 1 }, async own => {
      await writeFile(at('busy.mp4'), busyFilm(await readFile(at('film.mp4'))));
      const asker = { ...request('a'), sha256: 'of busy.mp4' };
      for (const begun of [1, 2]) {
        assert.deepEqual(await own.probe(at('busy.mp4'), asker), tooSlow);
        assert.equal(own.size().begun, begun);
      }
    }));

  test('is ready once a thread started, for every caller, and so is one that was closed', async () => {
    const fresh = openProber();
    await Promise.all([fresh.ready(), fresh.ready()]);
    await fresh.ready();
    const closing = [fresh.close(), fresh.ready()];
    const early = openProber();
    closing.push(early.ready(), early.close(), early.ready());
    await Promise.all(closing);
  });

  test('closing rejects what waits, and what comes later', async () => {
    const closing = openProber({ workers: 1 });
    const callers = [request('a'), request('b'), { share: 'a', kind: 'job' } as const];
    const rejected = callers.map(asker =>
      assert.rejects(closing.probe(at('silent.mp4'), asker), { name: QueueClosed.name }),
    );
    await closing.close();
    await Promise.all(rejected);
    await assert.rejects(closing.probe(at('silent.mp4'), callers[0]), { name: QueueClosed.name });
  });
});

/** Either a neutral sentence, or facts without zero, no infinity and no nonsense. */
function assertSound(probe: Probe): void {
  if (probe.kind === 'unreadable') {
    assert.match(probe.reason, /^(The|Reading) [a-z ]+\.$/);
    return;
  }
  const { image, video, audio } = probe.facts;
  const measures = [image, video, audio].flatMap(medium => Object.values(medium ?? {}));
  for (const measure of measures) {
    if (typeof measure === 'number') assert.equal(Number.isFinite(measure) && measure > 0, true);
  }
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
