import type { MediaFacts } from '../../../src/domain/media.ts';
import { openInput } from '../open-input.ts';
import { isRotatedSideways } from './source-video.ts';

/** What FFmpeg finds in a video of a container that our own readers do not know; throws where it finds none. */
export async function probeVideo(path: string): Promise<NonNullable<MediaFacts['video']>> {
  const input = await openInput(path, 'video');
  try {
    const { codecpar, avgFrameRate } = input.stream;
    const { width, height } = codecpar;
    const seconds = input.demuxer.duration;
    const fps = avgFrameRate.num / avgFrameRate.den;
    if (!(width > 0 && height > 0 && seconds > 0 && fps > 0))
      throw new Error('expected a video with a size, a length and a frame rate');
    const sides = isRotatedSideways(input) ? { width: height, height: width } : { width, height };
    return { ...sides, seconds: Math.round(seconds * 1000) / 1000, fps, codec: String(codecpar.codecId) };
  } finally {
    await input.close();
  }
}
