import type { Model, SignedOutput } from '../catalog/model.ts';
import { primaries } from '../catalog/outputs.ts';
import { resultUrlLifeMs } from '../domain/file.ts';
import { fileIdFromRow } from '../domain/ids.ts';
import type { Job } from '../domain/job.ts';
import { refuse } from '../domain/refusal.ts';
import { readFile } from '../store/files.ts';
import type { HttpParts } from './parts.ts';

type SigningParts = Pick<HttpParts, 'signer' | 'clock' | 'publicUrl'>;

/** The outputs of a job with addresses of the moment: good for a day, never past the file's life. */
export function signOutputs({ signer, clock, publicUrl }: SigningParts, job: Job): readonly SignedOutput[] {
  const latest = clock.now() + resultUrlLifeMs;
  return (job.result?.outputs ?? []).map(output => ({
    ...output,
    url:
      publicUrl() +
      signer.sign({ id: output.fileId, fileName: output.fileName }, Math.min(latest, output.expiresAt)),
  }));
}

/** The sound itself in hexadecimal, where the job asked for it in the body; collection held its size to 64 MB. */
export async function readInlineAudio(
  { db, blobs, clock }: Pick<HttpParts, 'db' | 'blobs' | 'clock'>,
  model: Model,
  job: Job,
  outputs: readonly SignedOutput[],
): Promise<string | null> {
  const [sound] = primaries(outputs);
  if (!sound || !model.inlineAudio(job.input)) return null;
  const file = await readFile(db, fileIdFromRow(sound.fileId), clock.now());
  const content = file && (await blobs.open(file.blobKey));
  if (!content) throw refuse('job_unknown', { cause: `the bytes of ${sound.fileId} have ended` });
  return Buffer.concat(await content.toArray()).toString('hex');
}
