// Probes the outputs of a job, stores their bytes as blobs, and builds the result that is settled.
import { stat } from 'node:fs/promises';
import type { Model } from '../catalog/model.ts';
import { extensionByMimeType, newFile, type StoredFile } from '../domain/file.ts';
import { type Job, type JobError, type JobResult, jobError, type Output } from '../domain/job.ts';
import type { MediaFacts } from '../domain/media.ts';
import type { Usage } from '../domain/usage.ts';
import type { WorkerContext } from './context.ts';
import type { LocalFile, LocalProduction } from './fetch-outputs.ts';
import { usageOf } from './usage.ts';

/** Contract 8: a hex result may not pass this; a byte is two characters. */
const maxInlineBytes = (64 * 1024 * 1024) / 2;

/** Rows for the files and the facts of the result, or why the outputs are no result. */
export type StoredOutputs =
  | {
      readonly kind: 'stored';
      readonly result: JobResult;
      readonly files: readonly StoredFile[];
      readonly usage: readonly Usage[];
    }
  | { readonly kind: 'failed'; readonly error: JobError };

/** Probe → store blob → describe, for each output. Nothing of it is visible before the job is settled. */
export async function storeOutputs(
  context: WorkerContext,
  model: Model,
  job: Job,
  production: LocalProduction,
  /** From the provider's acceptance to its end. */
  inferenceMs: number,
): Promise<StoredOutputs> {
  const outputs: Output[] = [];
  const files: StoredFile[] = [];
  for (const produced of production.files) {
    const facts = await factsOf(context, job, produced);
    if (!facts || !matchesModelKind(model, produced, facts)) {
      return failed('runtime_error', 'the model run ended without a readable result');
    }
    if (model.inlineAudio(job.input) && produced.role === 'primary' && facts.bytes > maxInlineBytes) {
      return failed('response_too_large', 'the result in hex would pass 64 MB; ask for output_format url');
    }
    const file = await storeFile(context, job, produced, facts);
    files.push(file);
    outputs.push(outputOf(produced, file, facts));
  }
  if (!outputs.some(output => output.role === 'primary'))
    return failed('runtime_error', 'the model run ended without a result');
  const { seed, bitrate, words } = production;
  const result: JobResult = {
    outputs,
    inferenceMs,
    ...(seed !== undefined && { seed }),
    ...(bitrate !== undefined && { bitrate }),
    ...(words !== undefined && { words }),
  };
  return { kind: 'stored', result, files, usage: usageOf(model, job, production, outputs) };
}

/** `what` is a sentence for the client. */
const failed = (code: JobError['code'], what: string): StoredOutputs => ({
  kind: 'failed',
  error: jobError(code, what),
});

/** Null when the bytes are not a readable file of their type. */
async function factsOf(
  { prober }: WorkerContext,
  { keyId }: Job,
  produced: LocalFile,
): Promise<MediaFacts | null> {
  const { path, mimeType, pcm, role } = produced;
  if (produced.facts) return produced.facts;
  const { size: bytes } = await stat(path);
  if (bytes === 0) return null;
  if (role === 'subtitle') return { mimeType, bytes };
  if (pcm) {
    // Sixteen bits a sample.
    const seconds = bytes / (2 * pcm.sampleRate * pcm.channels);
    return { mimeType, bytes, audio: { seconds, ...pcm, codec: 'pcm-s16' } };
  }
  const probe = await prober.probe(path, { share: keyId, kind: 'job' });
  return probe.kind === 'read' ? probe.facts : null;
}

/** A video model that returns a picture failed, whatever its upstream says. */
function matchesModelKind(model: Model, { role }: LocalFile, facts: MediaFacts): boolean {
  if (role !== 'primary' && role !== 'watermarked') return true;
  switch (model.kind) {
    case 'video':
      return facts.video !== undefined;
    case 'image':
      return facts.image !== undefined;
    case 'speech':
      return facts.audio !== undefined;
  }
}

/** The blob is flushed; its row is written when the job is settled. */
async function storeFile(
  { blobs, clock }: WorkerContext,
  job: Job,
  produced: LocalFile,
  facts: MediaFacts,
): Promise<StoredFile> {
  const { path, content, mimeType, role, index, pcm } = produced;
  const blob = await blobs.put(path, content ?? undefined);
  // `gamma-v3-image-<end of the id>.png`, and `…-1.png` or `…-cover-0.jpg` for further outputs.
  const suffix = role === 'primary' && index === 0 ? '' : `-${role === 'primary' ? '' : `${role}-`}${index}`;
  const name = `${job.modelId}-${job.id.slice(-12)}${suffix}.${extensionByMimeType[mimeType] ?? 'bin'}`;
  const { userId, keyId, id: jobId } = job;
  const dimensions = facts.image ?? facts.video;
  // Raw PCM and subtitles cannot be probed, and cannot be media of an input.
  const probed = pcm || role === 'subtitle' ? null : facts;
  return newFile(
    { blob, userId, keyId, source: 'output', jobId, mimeType, name, dimensions, facts: probed },
    clock.now(),
  );
}

/** What the result says of a file: figures of the probe, rounded to a thousandth. */
function outputOf(
  { role, index, upstreamId }: LocalFile,
  file: StoredFile,
  { image, video, audio }: MediaFacts,
): Output {
  const sides = image ?? video;
  const seconds = video?.seconds ?? audio?.seconds;
  return {
    role,
    index,
    fileId: file.id,
    fileName: file.fileName,
    mimeType: file.mimeType,
    bytes: file.bytes,
    expiresAt: file.expiresAt,
    ...(sides && { width: sides.width, height: sides.height }),
    ...(seconds !== undefined && { seconds: Math.round(seconds * 1000) / 1000 }),
    ...(video && { fps: Math.round(video.fps * 1000) / 1000, hasAudio: audio !== undefined }),
    ...(audio && { sampleRate: audio.sampleRate, channels: audio.channels }),
    ...(upstreamId !== undefined && { upstreamId }),
  };
}
