/** Probed facts of pictures and clips, for tests of media rules. */
import type { MediaFacts } from '../../src/domain/media.ts';

/** What a probe finds in a picture of that size. */
export const pictureOf = (width: number, height: number): MediaFacts => ({
  mimeType: 'image/png',
  bytes: 1000,
  image: { width, height },
});

/** What a probe finds in a video; with sound where requested. */
export function clipOf(
  video: { readonly width: number; readonly height: number; readonly seconds: number },
  hasSound = false,
): MediaFacts {
  const { seconds } = video;
  return {
    mimeType: 'video/mp4',
    bytes: 1000,
    video: { ...video, fps: 30, codec: 'h264' },
    ...(hasSound && { audio: { seconds, sampleRate: 48_000, channels: 2, codec: 'aac' } }),
  };
}

/** Facts by field path; a path that is missing was not probed. */
export const lookUp =
  (facts: Readonly<Record<string, MediaFacts>>) =>
  (path: string): MediaFacts | null =>
    facts[path] ?? null;
