/** The bounds of videos and sounds of every input field, from both sides, by bytes in the body. */
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import {
  dataUrl,
  type Edge,
  handIn,
  holdsEdge,
  isRefused,
  type MediaField,
  megabyte,
  passes,
} from '../../testkit/media/media-fields.ts';
import { type ClipWanted, clip, padTo, picture, sound } from '../../testkit/media/media-maker.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ role: 'api' });
});
after(() => gateway.close());

function describeField(field: MediaField, edges: readonly Edge[]): void {
  describe(`${field.model} ${field.path}`, () => {
    for (const [what, make, reason] of edges) {
      test(`${what} ${reason === null ? 'passes' : 'is refused'}`, () =>
        holdsEdge(gateway, field, make, reason));
    }
  });
}

const film = (wanted: Partial<ClipWanted> & { readonly of: readonly [number, number] }) => {
  const { of, ...rest } = wanted;
  return () => clip({ width: of[0], height: of[1], seconds: 3, ...rest });
};
/** The type is refused first, so the smallest file is enough. */
const webm = film({ of: [64, 48], seconds: 1, container: 'webm' });
const length = (bounds: string, found: number) => `length must be ${bounds} s, found ${found}`;
const side = (which: string, bounds: string, found: number) =>
  `${which} must be ${bounds} px, found ${found}`;
const ratio = (found: number) => `width divided by height must be between 0.4 and 2.5, found ${found}`;
const rate = (found: number) => `frame rate must be between 24 and 60 fps, found ${found}`;
const type = (found: string) => `must be mp4, quicktime, found ${found}`;

const videoItem = (url: string) => ({ type: 'video_url', video_url: { url }, role: 'reference_video' });
const soundItem = (url: string) => ({ type: 'audio_url', audio_url: { url }, role: 'reference_audio' });

/** Contract 2.1. */
describeField(
  {
    model: 'alpha-2-0-mini',
    path: 'content.0.video_url.url',
    handing: 'own',
    bodyWith: url => ({ content: [videoItem(url)] }),
  },
  [
    ['an mp4 of 2 s', film({ of: [640, 640], seconds: 2 }), null],
    ['a mov of 2 s with sound', film({ of: [640, 640], seconds: 2, container: 'mov', sound: true }), null],
    ['a webm', webm, type('video/webm')],
    ['a film without pictures', () => sound('m4a', 3), type('audio/mp4')],
    ['a picture', () => picture('png', 640, 640), type('image/png')],
    ['1.96 s', film({ of: [640, 640], seconds: 1.96, fps: '25' }), length('between 2 and 15', 1.96)],
    ['15 s', film({ of: [640, 640], seconds: 15, fps: '25' }), null],
    ['15.12 s', film({ of: [640, 640], seconds: 15.12, fps: '25' }), length('between 2 and 15', 15.12)],
    ['23 fps', film({ of: [640, 640], fps: '23' }), rate(23)],
    ['23.976 fps, which is called 24', film({ of: [640, 640], fps: '24000/1001' }), null],
    ['24 fps', film({ of: [640, 640], fps: '24' }), null],
    ['60 fps', film({ of: [640, 640], fps: '60' }), null],
    ['61 fps', film({ of: [640, 640], fps: '61' }), rate(61)],
    [
      '640 x 638',
      film({ of: [640, 638] }),
      'width times height must be between 409600 and 8295044 px, found 408320',
    ],
    ['3326 x 2494', film({ of: [3326, 2494], seconds: 2 }), null],
    [
      '3326 x 2496',
      film({ of: [3326, 2496], seconds: 2 }),
      'width times height must be between 409600 and 8295044 px, found 8301696',
    ],
    ['298 x 640', film({ of: [298, 640] }), side('width', 'between 300 and 6000', 298)],
    ['300 x 298', film({ of: [300, 298] }), side('height', 'between 300 and 6000', 298)],
    ['6002 x 300', film({ of: [6002, 300] }), side('width', 'between 300 and 6000', 6002)],
    ['300 x 6002', film({ of: [300, 6002] }), side('height', 'between 300 and 6000', 6002)],
    ['0.4', film({ of: [640, 1600] }), null],
    ['less than 0.4', film({ of: [640, 1602] }), ratio(0.4)],
    ['2.5', film({ of: [1600, 640] }), null],
    ['more than 2.5', film({ of: [1602, 640] }), ratio(2.503)],
  ],
);

describeField(
  {
    model: 'alpha-2-0-mini',
    path: 'content.1.audio_url.url',
    handing: 'data',
    bodyWith: url => ({
      content: [
        {
          type: 'image_url',
          image_url: { url: 'http://files.test/a.png' },
          role: 'reference_image',
        },
        soundItem(url),
      ],
    }),
  },
  [
    ['a wav of 2 s', () => sound('wav', 2), null],
    ['an mp3 of 2 s', () => sound('mp3', 2), null],
    ['a wav of 1.99 s', () => sound('wav', 1.99), length('between 2 and 15', 1.99)],
    ['a wav of 15 s', () => sound('wav', 15), null],
    ['an mp3 of 15 s', () => sound('mp3', 15), null],
    ['a wav of 15.1 s', () => sound('wav', 15.1), length('between 2 and 15', 15.1)],
    ['a wav of 15 MB', async () => padTo(await sound('wav', 2), 15 * megabyte), null],
    [
      'a wav of 15 MB and one byte',
      async () => padTo(await sound('wav', 2), 15 * megabyte + 1),
      'must be at most 15 MB',
    ],
    ['an ogg', () => sound('ogg', 3), 'must be wav, mpeg, found audio/ogg'],
    ['an m4a', () => sound('m4a', 3), 'must be wav, mpeg, found audio/mp4'],
    ['a film', () => clip({ seconds: 3 }), 'must be wav, mpeg, found video/mp4'],
  ],
);

describe('alpha-2-0-mini over several items', () => {
  const model = 'alpha-2-0-mini';
  const videos = 'content: the videos must be at most 15 s together';
  const sounds = 'content: the sounds must be at most 15 s together';
  const bodyOf = async (key: string, films: readonly number[], noises: readonly number[]) => {
    const items: unknown[] = [];
    for (const seconds of films)
      items.push(videoItem(await handIn(gateway, key, await clip({ seconds, fps: '25' }), 'own')));
    for (const seconds of noises) items.push(soundItem(dataUrl(await sound('wav', seconds))));
    return { content: items };
  };

  test('three videos of 5 s and three sounds of 5 s pass', async () => {
    const key = await gateway.key();
    await passes(gateway, key, model, await bodyOf(key, [5, 5, 5], [5, 5, 5]));
  });

  test('three videos of 5.2 s are refused', async () => {
    const key = await gateway.key();
    await isRefused(gateway, key, model, await bodyOf(key, [5.2, 5.2, 5.2], []), videos);
  });

  test('three sounds of 5.2 s are refused', async () => {
    const key = await gateway.key();
    await isRefused(gateway, key, model, await bodyOf(key, [2], [5.2, 5.2, 5.2]), sounds);
  });

  test('every fault of every medium is reported at once', async () => {
    const key = await gateway.key();
    const body = await bodyOf(key, [1.6, 2], [1.5, 15.1]);
    const detail = [
      `content.0.video_url.url: ${length('between 2 and 15', 1.6)}`,
      `content.2.audio_url.url: ${length('between 2 and 15', 1.5)}`,
      `content.3.audio_url.url: ${length('between 2 and 15', 15.1)}`,
    ];
    await isRefused(gateway, key, model, body, detail.join('; '));
  });
});

/** Contract 2.5. */
const motionWith = (orientation: string) => (url: string) => ({
  image_url: 'http://files.test/a.png',
  video_url: url,
  character_orientation: orientation,
  mode: 'std',
});
describeField(
  {
    model: 'gamma-v2-6-motion-control',
    path: 'video_url',
    handing: 'own',
    bodyWith: motionWith('video'),
  },
  [
    ['340 x 340', film({ of: [340, 340] }), null],
    ['338 x 340', film({ of: [338, 340] }), side('width', 'between 340 and 3850', 338)],
    ['340 x 338', film({ of: [340, 338] }), side('height', 'between 340 and 3850', 338)],
    ['3850 x 340', film({ of: [3850, 340] }), null],
    ['3852 x 340', film({ of: [3852, 340] }), side('width', 'between 340 and 3850', 3852)],
    ['340 x 3852', film({ of: [340, 3852] }), side('height', 'between 340 and 3850', 3852)],
    ['a mov', film({ of: [340, 340], container: 'mov' }), null],
    ['a webm', webm, type('video/webm')],
    ['2.9 s', film({ of: [340, 340], seconds: 2.9, fps: '10' }), length('between 3 and 30', 2.9)],
    ['30 s', film({ of: [340, 340], seconds: 30, fps: '10' }), null],
    ['30.1 s', film({ of: [340, 340], seconds: 30.1, fps: '10' }), length('between 3 and 30', 30.1)],
  ],
);
describeField(
  {
    model: 'gamma-v2-6-motion-control',
    path: 'video_url',
    handing: 'own',
    bodyWith: motionWith('image'),
  },
  [
    ['10 s of motion for an image', film({ of: [340, 340], seconds: 10, fps: '10' }), null],
    [
      '10.1 s of motion for an image',
      film({ of: [340, 340], seconds: 10.1, fps: '10' }),
      'the video must be at most 10 s long when character_orientation is image',
    ],
  ],
);

/** Contract 2.9. */
describeField(
  {
    model: 'gamma-v3-omni-video',
    path: 'video_list.0.video_url',
    handing: 'own',
    bodyWith: url => ({ prompt: 'A boat', video_list: [{ video_url: url }] }),
  },
  [
    ['700 x 700', film({ of: [700, 700] }), null],
    ['698 x 700', film({ of: [698, 700] }), side('width', 'between 700 and 4553', 698)],
    ['700 x 698', film({ of: [700, 698] }), side('height', 'between 700 and 4553', 698)],
    ['4552 x 1822', film({ of: [4552, 1822] }), null],
    ['4554 x 1822', film({ of: [4554, 1822] }), side('width', 'between 700 and 4553', 4554)],
    ['3840 x 2160', film({ of: [3840, 2160] }), null],
    [
      '3842 x 2160',
      film({ of: [3842, 2160] }),
      'width times height must be between 490000 and 8294400 px, found 8298720',
    ],
    ['2.5:1', film({ of: [1750, 700] }), null],
    ['more than 2.5:1', film({ of: [1752, 700] }), ratio(2.503)],
    ['2.9 s', film({ of: [700, 700], seconds: 2.9, fps: '30' }), length('between 3 and 15.5', 2.9)],
    ['15.5 s', film({ of: [700, 700], seconds: 15.5, fps: '24' }), null],
    ['15.6 s', film({ of: [700, 700], seconds: 15.6, fps: '30' }), length('between 3 and 15.5', 15.6)],
    ['23 fps', film({ of: [700, 700], fps: '23' }), rate(23)],
    ['61 fps', film({ of: [700, 700], fps: '61' }), rate(61)],
    ['a webm', webm, type('video/webm')],
  ],
);

/** Contract 2.10: at least 4 s and at most one minute, any video. */
describeField(
  {
    model: 'epsilon-q2-turbo-extend',
    path: 'video_url',
    handing: 'own',
    bodyWith: url => ({ video_url: url }),
  },
  [
    ['4 s', film({ of: [64, 48], seconds: 4, fps: '5' }), null],
    ['3.8 s', film({ of: [64, 48], seconds: 3.8, fps: '5' }), length('between 4 and 60', 3.8)],
    ['one minute', film({ of: [64, 48], seconds: 60, fps: '5' }), null],
    ['60.2 s', film({ of: [64, 48], seconds: 60.2, fps: '5' }), length('between 4 and 60', 60.2)],
    ['a mov of 4 s', film({ of: [64, 48], seconds: 4, fps: '5', container: 'mov' }), null],
    ['a webm of 4 s', film({ of: [64, 48], seconds: 4, fps: '5', container: 'webm' }), null],
  ],
);

/** Contract 2.12, decisions 8: width by width and height by height, each 0.8 to 1.25. */
describe('epsilon-q3-turbo-start-end2video images', () => {
  const model = 'epsilon-q3-turbo-start-end2video';
  const apart =
    'images: the width and the height of the start frame must each be 0.8 to 1.25 times those of the end frame';
  for (const [start, end, isNear] of [
    [[1000, 800], [800, 640], true],
    [[800, 640], [1000, 800], true],
    [[1004, 800], [800, 800], false],
    [[800, 800], [1004, 800], false],
    [[800, 1004], [800, 800], false],
    [[800, 800], [800, 1004], false],
  ] as const) {
    test(`${start.join(' x ')} to ${end.join(' x ')} ${isNear ? 'passes' : 'is refused'}`, async () => {
      const key = await gateway.key();
      const frames = [await picture('png', start[0], start[1]), await picture('jpeg', end[0], end[1])];
      const body = { images: frames.map(frame => dataUrl(frame)) };
      if (isNear) await passes(gateway, key, model, body);
      else await isRefused(gateway, key, model, body, apart);
    });
  }
});

/** Contract 2.14 sets no bounds: any sound. */
describeField(
  {
    model: 'eta2.6-t2v',
    path: 'audio_url',
    handing: 'own',
    bodyWith: url => ({ prompt: 'A boat', audio_url: url }),
  },
  [
    ['a wav', () => sound('wav', 0.2), null],
    ['an mp3', () => sound('mp3', 30), null],
    ['an m4a', () => sound('m4a', 1), null],
    [
      'a film with sound',
      () => clip({ seconds: 3, sound: true }),
      'must be mpeg, wav, mp4, webm, ogg, flac, aac, found video/mp4',
    ],
  ],
);
