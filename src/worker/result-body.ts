import type { Signer } from '../blobs/signature.ts';
import { resultBody, statusBody } from '../catalog/bodies.ts';
import { type Catalog, modelOfJob } from '../catalog/catalog.ts';
import type { SignedOutput } from '../catalog/model.ts';
import { primaries } from '../catalog/outputs.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import { resultUrlLifeMs } from '../domain/file.ts';
import { fileIdFromRow } from '../domain/ids.ts';
import type { Job, JobEvent } from '../domain/job.ts';
import type { Statements } from '../store/connection.ts';
import { readFile } from '../store/files.ts';
import type { JobSummary } from '../store/jobs.ts';
import type { Positions } from '../store/positions.ts';

/** What the bodies of a job are made of. */
export interface BodyParts {
  readonly catalog: Catalog;
  readonly db: Statements;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly positions: Positions;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
}

/** The status of a job at this moment. `events` is null where nobody asked for logs. */
export async function statusNow(
  { positions, publicUrl }: Pick<BodyParts, 'positions' | 'publicUrl'>,
  job: JobSummary,
  events: readonly JobEvent[] | null,
) {
  const position = job.state === 'available' ? await positions.positionOf(job) : 0;
  return statusBody(job, { publicUrl: publicUrl(), position, events });
}

/** The result of a final job at this moment; null once bytes that belong into it have ended. */
export async function resultNow(
  parts: Omit<BodyParts, 'positions'>,
  job: Job,
): Promise<ReturnType<typeof resultBody> | null> {
  const model = modelOfJob(parts.catalog, job);
  const outputs = signOutputs(parts, job);
  const [sound] = primaries(outputs);
  if (!sound || !model.inlineAudio(job.input)) return resultBody(model, job, outputs);
  const audioHex = await readHex(parts, sound);
  return audioHex === null ? null : resultBody(model, job, outputs, audioHex);
}

/** The outputs of a job with addresses of the moment: good for a day, never past the file's life. */
export function signOutputs(
  { signer, clock, publicUrl }: Pick<BodyParts, 'signer' | 'clock' | 'publicUrl'>,
  job: Job,
): readonly SignedOutput[] {
  const latest = clock.now() + resultUrlLifeMs;
  return (job.result?.outputs ?? []).map(output => ({
    ...output,
    url:
      publicUrl() +
      signer.sign({ id: output.fileId, fileName: output.fileName }, Math.min(latest, output.expiresAt)),
  }));
}

/** The sound itself in hexadecimal, where the job asked for it in the body; collection held its size to 64 MB. */
async function readHex(
  { db, blobs, clock }: Omit<BodyParts, 'positions'>,
  { fileId }: SignedOutput,
): Promise<string | null> {
  const file = await readFile(db, fileIdFromRow(fileId), clock.now());
  const content = file && (await blobs.open(file.blobKey));
  return content ? Buffer.concat(await content.toArray()).toString('hex') : null;
}
