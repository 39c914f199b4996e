/** A small true file of every type that may be uploaded. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClipPlan, makeClip, makePicture } from './make-media.ts';

export interface Sample {
  readonly name: string;
  readonly mimeType: string;
  readonly fileType: string;
  readonly dimensions?: { readonly width: number; readonly height: number };
  readonly bytes: Buffer;
}

const film = { width: 64, height: 48, fps: '25' };
const sound = { sampleRate: 48_000, channels: 1 as const };

const clips: readonly (readonly [name: string, mimeType: string, Partial<ClipPlan>])[] = [
  ['sound.mp3', 'audio/mpeg', { audio: { ...sound, codec: 'libmp3lame' } }],
  ['sound.wav', 'audio/wav', { audio: { ...sound, codec: 'pcm_s16le' } }],
  ['sound.m4a', 'audio/mp4', { audio: sound }],
  ['sound.mp4', 'audio/mp4', { audio: sound }],
  ['sound.webm', 'audio/webm', { audio: { ...sound, codec: 'libopus' } }],
  ['film.mp4', 'video/mp4', { video: film, audio: sound }],
  ['film.mov', 'video/quicktime', { video: film }],
  ['film.webm', 'video/webm', { video: { ...film, codec: 'libvpx' }, audio: { ...sound, codec: 'libopus' } }],
];

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** True small files of every type in the table of Contract 2.3. */
export async function makeSamples(): Promise<readonly Sample[]> {
  const folder = await mkdtemp(join(tmpdir(), 'atelier-samples-'));
  const at = (name: string) => join(folder, name);
  const sizes = { png: [9, 4], jpeg: [8, 6], gif: [5, 7], webp: [4, 4] } as const;
  try {
    const pictures: Sample[] = [];
    for (const format of ['png', 'jpeg', 'gif', 'webp'] as const) {
      const [width, height] = sizes[format];
      const name = `picture.${format}`;
      const bytes = Buffer.from(await makePicture(at(name), format, width, height));
      const dimensions = format === 'webp' ? {} : { dimensions: { width, height } };
      pictures.push({ name, mimeType: `image/${format}`, fileType: 'image', ...dimensions, bytes });
    }
    const media: Sample[] = [];
    for (const [name, mimeType, plan] of clips) {
      await makeClip({ path: at(name), seconds: 0.4, ...plan });
      media.push({ name, mimeType, fileType: mimeType.split('/', 1)[0]!, bytes: await readFile(at(name)) });
    }
    return [
      ...pictures,
      ...media,
      { name: 'page.pdf', mimeType: 'application/pdf', fileType: 'document', bytes: Buffer.from(pdf) },
      { name: 'words.txt', mimeType: 'text/plain', fileType: 'text', bytes: Buffer.from('Grüße\n') },
      { name: 'table.csv', mimeType: 'text/csv', fileType: 'text', bytes: Buffer.from('a,b\n1,2\n') },
      {
        name: 'object.json',
        mimeType: 'application/json',
        fileType: 'text',
        bytes: Buffer.from('{"a":[1]}'),
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
