/** Reads size, length and frame rate of a video file with FFmpeg. */
import type { VideoFacts } from '../messages.ts';
import { openInput } from '../open-input.ts';
import { isRotatedSideways } from './source-video.ts';

/** For containers that the gateway's own readers do not know. Throws where FFmpeg finds no video in the file. */
export async function probeVideo(path: string): Promise<VideoFacts> {
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
