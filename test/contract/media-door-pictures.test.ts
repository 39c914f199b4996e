/** The bounds of pictures of every input field, from both sides, by bytes in the body. */
import { after, before, describe, test } from 'node:test';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';
import { type Edge, holdsEdge, type MediaField, megabyte } from '../../testkit/media/media-fields.ts';
import { padTo, picture } from '../../testkit/media/media-maker.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ role: 'api' });
});
after(() => gateway.close());

/** Every edge of one field: what passes, and the refusal of what does not. */
function describeField(field: MediaField, edges: readonly Edge[]): void {
  describe(`${field.model} ${field.path}`, () => {
    for (const [what, make, reason] of edges) {
      test(`${what} ${reason === null ? 'passes' : 'is refused'}`, () =>
        holdsEdge(gateway, field, make, reason));
    }
  });
}

const png = (width: number, height: number) => () => picture('png', width, height);
const padded = (format: 'png' | 'jpeg', bytes: number) => async () =>
  padTo(await picture(format, 640, 640), bytes);

const side = (which: 'width' | 'height', bounds: string, found: number) =>
  `${which} must be ${bounds} px, found ${found}`;
const ratio = (bounds: string, found: number) => `width divided by height must be ${bounds}, found ${found}`;
const type = (allowed: string, found: string) => `must be ${allowed}, found ${found}`;

const formats =
  (allowed: string, passing: readonly Parameters<typeof picture>[0][]) =>
  (...refused: readonly Parameters<typeof picture>[0][]): readonly Edge[] => [
    ...passing.map((format): Edge => [format, () => picture(format, 640, 480), null]),
    ...refused.map(
      (format): Edge => [format, () => picture(format, 640, 480), type(allowed, `image/${format}`)],
    ),
  ];

/** Contract 2.6, 2.7, 2.9: of 300 pixels and more, 1:2.5 to 2.5:1, at most 10 MB. */
const gammaEdges: readonly Edge[] = [
  ['300 x 300', png(300, 300), null],
  ['299 x 300', png(299, 300), side('width', 'at least 300', 299)],
  ['300 x 299', png(300, 299), side('height', 'at least 300', 299)],
  ['1:2.5', png(300, 750), null],
  ['narrower than 1:2.5', png(300, 751), ratio('between 0.4 and 2.5', 0.399)],
  ['2.5:1', png(750, 300), null],
  ['wider than 2.5:1', png(751, 300), ratio('between 0.4 and 2.5', 2.503)],
  ['a side of 65537', png(65_537, 65_537), null],
  ['a png of 10 MB', padded('png', 10 * megabyte), null],
  ['a png of 10 MB and one byte', padded('png', 10 * megabyte + 1), 'must be at most 10 MB'],
  ['a jpeg of 10 MB', padded('jpeg', 10 * megabyte), null],
  ['a jpeg of 10 MB and one byte', padded('jpeg', 10 * megabyte + 1), 'must be at most 10 MB'],
  ['a jpeg of 11 MB', padded('jpeg', 11 * megabyte), 'must be at most 10 MB'],
  ...formats('jpeg, png', ['png', 'jpeg'])('webp', 'gif', 'bmp', 'tiff', 'heic', 'heif', 'avif'),
];

/** Of a field that takes base64 without a prefix. */
const gammaFields: readonly (readonly [model: string, path: string, bodyWith: MediaField['bodyWith']])[] = [
  ['gamma-v3-image', 'image', image => ({ prompt: 'A boat', image })],
  ['gamma-v2-image', 'image', image => ({ prompt: 'A boat', image })],
  [
    'gamma-v2-multi-image2image',
    'subject_image_list.0.subject_image',
    image => ({ subject_image_list: [{ subject_image: image }] }),
  ],
  [
    'gamma-v2-multi-image2image',
    'scene_image',
    image => ({ subject_image_list: [{ subject_image: 'http://files.test/a.png' }], scene_image: image }),
  ],
  [
    'gamma-v2-multi-image2image',
    'style_image',
    image => ({ subject_image_list: [{ subject_image: 'http://files.test/a.png' }], style_image: image }),
  ],
  [
    'gamma-v3-omni-video',
    'image_list.0.image_url',
    image => ({ prompt: 'A boat', aspect_ratio: '1:1', image_list: [{ image_url: image }] }),
  ],
];
for (const [model, path, bodyWith] of gammaFields) {
  const isFirst = model === 'gamma-v3-image';
  describeField(
    { model, path, handing: 'raw', bodyWith },
    // Files of just 10 MB pass in every field if they pass in one; what is larger is refused by each.
    gammaEdges.filter(([what]) => isFirst || !/^a jpeg|^a png of 10 MB$/.test(what)),
  );
}

/** Contract 2.5: the same, and of 65536 pixels at most. */
describeField(
  {
    model: 'gamma-v2-6-motion-control',
    path: 'image_url',
    handing: 'raw',
    bodyWith: image => ({
      image_url: image,
      video_url: 'http://files.test/a.mp4',
      character_orientation: 'video',
      mode: 'std',
    }),
  },
  [
    ...gammaEdges.filter(([what]) => !/299|65537/.test(what)),
    ['299 x 300', png(299, 300), side('width', 'between 300 and 65536', 299)],
    ['300 x 299', png(300, 299), side('height', 'between 300 and 65536', 299)],
    ['65536 x 65536', png(65_536, 65_536), null],
    ['65537 x 65536', png(65_537, 65_536), side('width', 'between 300 and 65536', 65_537)],
    ['65536 x 65537', png(65_536, 65_537), side('height', 'between 300 and 65536', 65_537)],
  ],
);

/** Contract 2.1 and 2.2: strictly between, and under 30 MB. */
const within = 'strictly between 300 and 6000';
const alphaEdges: readonly Edge[] = [
  ['301 x 301', png(301, 301), null],
  ['300 x 301', png(300, 301), side('width', within, 300)],
  ['301 x 300', png(301, 300), side('height', within, 300)],
  ['5999 x 5999', png(5999, 5999), null],
  ['6000 x 5999', png(6000, 5999), side('width', within, 6000)],
  ['5999 x 6000', png(5999, 6000), side('height', within, 6000)],
  ['0.401', png(401, 1000), null],
  ['0.4', png(400, 1000), ratio('strictly between 0.4 and 2.5', 0.4)],
  ['2.498', png(999, 400), null],
  ['2.5', png(1000, 400), ratio('strictly between 0.4 and 2.5', 2.5)],
  ['a png under 30 MB', padded('png', 30 * megabyte - 1), null],
  ['a png of 30 MB', padded('png', 30 * megabyte), 'must be under 30 MB'],
  ['a jpeg under 30 MB', padded('jpeg', 30 * megabyte - 1), null],
  ['a jpeg of 30 MB and one byte', padded('jpeg', 30 * megabyte + 1), 'must be under 30 MB'],
  ['a jpeg of 31 MB', padded('jpeg', 31 * megabyte), 'must be under 30 MB'],
];
const alphaFormats = ['jpeg', 'png', 'webp', 'bmp', 'tiff', 'gif'] as const;
const item = (url: string, role?: string) => ({
  type: 'image_url',
  image_url: { url },
  ...(role !== undefined && { role }),
});
for (const role of ['first_frame', 'reference_image', undefined]) {
  describeField(
    {
      model: 'alpha-2-0-mini',
      path: 'content.0.image_url.url',
      handing: 'data',
      bodyWith: url => ({ content: [item(url, role)] }),
    },
    // The bounds are the same for every role; the costly ones are looked at once.
    role === 'reference_image'
      ? [...alphaEdges, ...formats(alphaFormats.join(', '), alphaFormats)('heic', 'heif', 'avif')]
      : alphaEdges.slice(0, 2),
  );
}
describeField(
  {
    model: 'alpha-1-5-pro',
    path: 'content.1.image_url.url',
    handing: 'data',
    bodyWith: url => ({ content: [{ type: 'text', text: 'A boat' }, item(url)] }),
  },
  [
    ...alphaEdges.filter(([what]) => !what.startsWith('a jpeg')),
    ...formats([...alphaFormats, 'heic', 'heif'].join(', '), [...alphaFormats, 'heic', 'heif'])('avif'),
  ],
);

/** Contract 2.10 to 2.12, decisions 7: between 1:4 and 4:1, both excluded. */
const epsilonEdges: readonly Edge[] = [
  ['101 x 400', png(101, 400), null],
  ['1:4', png(100, 400), ratio('strictly between 0.25 and 4', 0.25)],
  ['399 x 100', png(399, 100), null],
  ['4:1', png(400, 100), ratio('strictly between 0.25 and 4', 4)],
  ...formats('png, jpeg, webp', ['png', 'jpeg', 'webp'])('gif', 'bmp', 'tiff', 'heic', 'avif'),
];
const epsilonFields: readonly (readonly [model: string, bodyWith: MediaField['bodyWith']])[] = [
  ['epsilon-q2-turbo-extend', image => ({ video_url: 'http://files.test/a.mp4', images: [image] })],
  ['epsilon-q2-turbo-img2video', image => ({ images: [image] })],
  ['epsilon-q3-turbo-start-end2video', image => ({ images: [image, 'http://files.test/end.png'] })],
];
for (const [model, bodyWith] of epsilonFields)
  describeField({ model, path: 'images.0', handing: 'data', bodyWith }, epsilonEdges);

/** Contract 2.13: no base64, so a file is handed in. */
describeField(
  {
    model: 'zeta-v6-i2v',
    path: 'image',
    handing: 'own',
    bodyWith: image => ({ image, prompt: 'A boat', duration: 1, quality: '360p' }),
  },
  [
    ['10000 x 10000', png(10_000, 10_000), null],
    ['10001 x 300', png(10_001, 300), side('width', 'between 1 and 10000', 10_001)],
    ['300 x 10001', png(300, 10_001), side('height', 'between 1 and 10000', 10_001)],
    ['a jpeg of 20 MB', padded('jpeg', 20 * megabyte), null],
    ['a jpeg of 20 MB and one byte', padded('jpeg', 20 * megabyte + 1), 'must be at most 20 MB'],
    ...formats('jpeg, png, webp', ['jpeg', 'png', 'webp'])('gif'),
  ],
);
