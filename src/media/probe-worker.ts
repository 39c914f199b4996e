/** The worker thread of the prober: reads facts of one media file at a time, by bytes that may be hostile. */
import { type FileHandle, open } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { disableTypes, imageSize } from 'image-size';
import {
  ADTS,
  CustomSource,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputFormat,
  type InputVideoTrack,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny';
import type { MediaFacts } from '../domain/media.ts';
import { isCompleteImage } from './complete-image.ts';
import { isRotatedHeif } from './heif-rotation.ts';
import { type Sniffed, sniff, sniffBytes } from './sniff.ts';

/** The message to the thread: one file at a time. */
export interface ProbeTask {
  readonly path: string;
}

/** The messages from the thread: first `ready`, then one per task. `unopened`: this machine could not read the file. */
export type ProbeReport = { readonly kind: 'ready' } | { readonly kind: 'unopened' } | Probe;

/** Result for one file. */
export type Probe =
  | { readonly kind: 'read'; readonly facts: MediaFacts }
  /** The reason is a sentence that may be shown to the sender of the file. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** An image is read as a whole, because a TIFF has its directory at the end. */
const maxImageBytes = 64 * 1024 * 1024;
/** Images of more pixels are not decoded. */
const maxDecodedPixels = 120_000_000;
/** Frames sampled for the frame rate; mediabunny calls its estimate reliable from this number on. */
const frameRateSamplePackets = 256;

parentPort?.on('message', async ({ path }: ProbeTask) => {
  parentPort?.postMessage((await probeFile(path)) satisfies ProbeReport);
});
parentPort?.postMessage({ kind: 'ready' } satisfies ProbeReport);

/** Every outcome is a report: an exception would end the thread and the probes that wait for it. */
async function probeFile(path: string): Promise<ProbeReport> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return { kind: 'unopened' };
  }
  try {
    return await probeOpened(file);
  } catch (failure) {
    if (failure instanceof Error && 'syscall' in failure) return { kind: 'unopened' };
    // The libraries throw arbitrary errors on broken files; their messages do not help a client.
    return unreadable('The file is damaged or not what it claims to be.');
  } finally {
    await file.close();
  }
}

/** By what the first bytes are. A type without a reader here is reported with its size alone. */
async function probeOpened(file: FileHandle): Promise<ProbeReport> {
  const status = await file.stat();
  if (!status.isFile()) return { kind: 'unopened' };
  const bytes = status.size;
  if (bytes === 0) return unreadable('The file is empty.');
  const sniffed = sniff(await readRange(file, 0, Math.min(sniffBytes, bytes)));
  if (!sniffed) return { kind: 'read', facts: { mimeType: 'application/octet-stream', bytes } };
  if (sniffed.mimeType.startsWith('image/')) return probeImage(file, sniffed.mimeType, bytes);
  const formats = trackFormats[sniffed.mimeType];
  if (!formats) return { kind: 'read', facts: { mimeType: sniffed.mimeType, bytes } };
  return probeTracks(file, sniffed, formats, bytes);
}

/** Leaves the formats that the sniffer knows; image-size would also measure an SVG or a Targa by guessing. */
disableTypes([
  'cur',
  'dds',
  'icns',
  'ico',
  'j2c',
  'jp2',
  'jxl',
  'jxl-stream',
  'ktx',
  'pnm',
  'psd',
  'svg',
  'tga',
]);

/** Their rotation is a property of the container and not of EXIF. */
const heifTypes = new Set(['image/heic', 'image/heif', 'image/avif']);

/**
 * Sides as the picture is displayed (decisions 9). The whole picture is walked through, so that a truncated one
 * is refused.
 */
async function probeImage(file: FileHandle, mimeType: string, bytes: number): Promise<Probe> {
  if (bytes > maxImageBytes) return unreadable('The image is larger than 64 MB.');
  const content = await readRange(file, 0, bytes);
  const { width, height, orientation = 1 } = imageSize(content);
  if (!isPositiveInteger(width) || !isPositiveInteger(height))
    return unreadable('The image has no width or height.');
  // A larger one is refused by its size alone.
  const isDrawable = width * height <= maxDecodedPixels;
  if (isDrawable && !(await isCompleteImage(mimeType, content))) return unreadable('The image is truncated.');
  // EXIF orientations 5 to 8 swap width and height.
  const isTurned = heifTypes.has(mimeType) ? isRotatedHeif(content) : orientation >= 5 && orientation <= 8;
  const image = isTurned ? { width: height, height: width } : { width, height };
  return { kind: 'read', facts: { mimeType, bytes, image } };
}

/**
 * The parsers for each sniffed type. Never mediabunny's list of all formats: it contains HLS, and a playlist makes the
 * reader open the addresses it names.
 */
const trackFormats: Readonly<Record<string, readonly InputFormat[]>> = {
  'video/mp4': [MP4, QTFF],
  'audio/mp4': [MP4, QTFF],
  'video/3gpp': [MP4],
  'video/quicktime': [QTFF, MP4],
  'video/webm': [WEBM],
  'audio/wav': [WAVE],
  'audio/mpeg': [MP3],
  'audio/flac': [FLAC],
  'audio/aac': [ADTS],
  'audio/ogg': [OGG],
};

/** Facts of the first video and the first audio track; others do not count. */
async function probeTracks(
  file: FileHandle,
  sniffed: Sniffed,
  formats: readonly InputFormat[],
  bytes: number,
): Promise<Probe> {
  const source = new CustomSource({
    getSize: () => bytes,
    read: (start, end) => readRange(file, start, end),
    prefetchProfile: 'fileSystem',
    // A failed read-ahead must not crash the thread; the read that needs those bytes fails by itself.
    handleUnhandledError: () => {},
  });
  const input = new Input({ source, formats: [...formats] });
  try {
    const videoTrack = await input.getPrimaryVideoTrack();
    const audioTrack = await input.getPrimaryAudioTrack();
    if (!videoTrack && !audioTrack) return unreadable('The file has no video or audio track.');
    const video = videoTrack && (await readVideo(videoTrack));
    const audio = audioTrack && (await readAudio(audioTrack));
    const facts: MediaFacts = {
      mimeType: mimeTypeOfTracks(sniffed, videoTrack !== null),
      bytes,
      ...(video && { video }),
      ...(audio && { audio }),
    };
    return isPlausible(facts)
      ? { kind: 'read', facts }
      : unreadable('The file has no duration or no dimensions.');
  } finally {
    input.dispose();
  }
}

/** Length by the end of the last frame, and the frame rate by the library's best guess from the first frames. */
async function readVideo(track: InputVideoTrack): Promise<NonNullable<MediaFacts['video']>> {
  // The plain average is wrong where a fragment stretches its first frame (23.5 for 24) or WebM omits the duration of
  // the last one (25.05 for 24).
  const rates = await track.computeFrameRateMetrics({ targetPacketCount: frameRateSamplePackets });
  const last = await new EncodedPacketSink(track).getPacket(Infinity, { metadataOnly: true });
  const end = last ? last.timestamp + last.duration : 0;
  // A video of a single frame has no distance between two.
  const fps = isPositiveNumber(rates.bestGuessFrameRate) ? rates.bestGuessFrameRate : 1 / end;
  return {
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    seconds: roundToMs(last?.duration === 0 ? end + 1 / fps : end),
    fps,
    codec: await codecName(track),
  };
}

/** Length in seconds, sample rate in Hz, and channels. */
async function readAudio(track: InputAudioTrack): Promise<NonNullable<MediaFacts['audio']>> {
  return {
    seconds: roundToMs(await track.computeDuration()),
    sampleRate: await track.getSampleRate(),
    channels: await track.getNumberOfChannels(),
    codec: await codecName(track),
  };
}

/** The library's name, else the container's own code (`mp4v`), else `unknown`. */
async function codecName(track: InputVideoTrack | InputAudioTrack): Promise<string> {
  const code = await track.getInternalCodecId();
  return (await track.getCodec()) ?? (typeof code === 'string' ? code : 'unknown');
}

/** Containers of both kinds are sound where they have no picture. */
function mimeTypeOfTracks({ mimeType, tracksDecide }: Sniffed, hasVideo: boolean): string {
  return tracksDecide ? `${hasVideo ? 'video' : 'audio'}/${tracksDecide}` : mimeType;
}

/** A broken index gives tracks without duration instead of an error. */
function isPlausible({ video, audio }: MediaFacts): boolean {
  const isVideoSound =
    !video ||
    (isPositiveInteger(video.width) &&
      isPositiveInteger(video.height) &&
      isPositiveNumber(video.seconds) &&
      isPositiveNumber(video.fps));
  const isAudioSound =
    !audio ||
    (isPositiveNumber(audio.seconds) &&
      isPositiveInteger(audio.sampleRate) &&
      isPositiveInteger(audio.channels));
  return isVideoSound && isAudioSound;
}

/** Seconds, with the precision of every container: WebM counts in milliseconds. */
function roundToMs(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function isPositiveInteger(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function isPositiveNumber(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

/** Exactly these bytes, `end` excluded; a shorter file is an error. */
async function readRange(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error(`expected ${bytes.length} bytes at ${start}, got ${filled}`);
    filled += bytesRead;
  }
  return bytes;
}

function unreadable(reason: string): Probe {
  return { kind: 'unreadable', reason };
}
