/** Sample media in a form: which of them fit a field, and their upload as files of the console. */
import type { FileLine } from '../api/answers.ts';
import { callApi } from '../api/call-api.ts';
import { consoleUser } from '../api/console-user.ts';
import type { MediaLimits } from '../api/input-schema.ts';
import { filesPage } from '../api/queries.ts';
import { sampleAddress } from '../components/example-media.ts';
import type { Path } from './input-value.ts';
import { type SampleName, sampleNames } from './sample-input.ts';

/** What a field offers, by the kind of its media. */
const byKind: Readonly<Record<MediaLimits['kind'], readonly SampleName[]>> = {
  image: ['portrait', 'day', 'night'],
  video: ['clip'],
  audio: ['voice'],
};

/** The words of the buttons. */
export const sampleTitles: Readonly<Record<SampleName, string>> = {
  portrait: 'Cat',
  day: 'Coast',
  night: 'Night',
  clip: 'Clip',
  voice: 'Voice',
  mask: 'Mask',
};

/** The samples of a field. A mask is no picture to start from, and no other picture is a mask. */
export const samplesFor = ({ kind }: MediaLimits, path: Path): readonly SampleName[] =>
  path.includes('mask') ? ['mask'] : byKind[kind];

/** An uploaded sample is used again as long as it lives this much longer. */
const leastLifeMs = 24 * 60 * 60_000;

/**
 * The sample as a file of the console: an earlier upload of it, else a new one. Throws what the upload was refused for.
 */
export async function sampleFile(name: SampleName): Promise<FileLine> {
  const fileName = sampleNames[name];
  const filter = { source: 'upload', user: consoleUser, q: fileName };
  const earlier = await filesPage(filter, null, AbortSignal.timeout(10_000));
  const usable = earlier.data.find(
    ({ filename, expires_at }) => filename === fileName && expires_at * 1_000 > Date.now() + leastLifeMs,
  );
  if (usable) return usable;
  const answer = await fetch(sampleAddress(name));
  if (!answer.ok) throw new Error(`The sample could not be loaded: ${answer.status}.`);
  const form = new FormData();
  form.set('file', await answer.blob(), fileName);
  return callApi<FileLine>('POST', 'files', { body: form });
}
