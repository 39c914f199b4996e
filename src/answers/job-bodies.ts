/** The bodies of status and result of a job, from its row and its files. */

import { type Catalog, modelOfJob } from '../catalog/catalog.ts';
import type { SignedOutput } from '../catalog/model.ts';
import { primaryOutputs } from '../catalog/outputs.ts';
import { resultBody, statusBody } from '../catalog/response-bodies.ts';
import type { Blobs } from '../domain/blobs.ts';
import type { Clock } from '../domain/clock.ts';
import { resultUrlLifeMs } from '../domain/file.ts';
import type { Signer } from '../domain/file-signature.ts';
import { fileIdFromRow } from '../domain/ids.ts';
import type { Job, JobEvent, Output } from '../domain/job.ts';
import type { Statements } from '../store/db/connection.ts';
import { findLiveFiles, readFile } from '../store/files/files.ts';
import type { QueuePositions } from '../store/jobs/queue-position.ts';
import type { JobForStatus } from '../store/jobs/read.ts';

/** What the bodies of a job are made of. */
export interface JobBodyContext {
  readonly catalog: Catalog;
  readonly db: Statements;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly signer: Signer;
  readonly positions: QueuePositions;
  /** Base of every address in answers; known once the server listens. */
  readonly publicUrl: () => string;
}

/**
 * The status of a job at this moment; a promise only where its position is not counted yet. `events` is null where the
 * request has no logs.
 */
export function readStatusBody(
  { catalog, positions, publicUrl }: Pick<JobBodyContext, 'catalog' | 'positions' | 'publicUrl'>,
  job: JobForStatus,
  events: readonly JobEvent[] | null,
) {
  const model = modelOfJob(catalog, { modelId: job.modelId, result: null });
  const bodyAt = (position: number) => statusBody(model, job, { publicUrl: publicUrl(), position, events });
  if (job.state !== 'available') return bodyAt(0);
  if (typeof job.ahead === 'number') return bodyAt(positions.positionAt(job, job.ahead));
  return positions.positionOf(job).then(bodyAt);
}

/** The result of a final job at this moment. A file of it that has ended since has no address, and no bytes. */
export async function readResultBody(
  context: Omit<JobBodyContext, 'positions'>,
  job: Job,
): Promise<ReturnType<typeof resultBody>> {
  const model = modelOfJob(context.catalog, job);
  const signed = signOutputs(context, job);
  const ids = signed.map(({ fileId }) => fileId);
  const live = await findLiveFiles(context.db, ids, context.clock.now());
  const outputs: readonly SignedOutput[] = signed.map(output =>
    live.has(output.fileId) ? output : { ...output, url: null },
  );
  const [sound] = primaryOutputs(outputs);
  const audioHex = sound && model.inlineAudio(job.input) ? await readHex(context, sound) : null;
  return resultBody(model, job, outputs, audioHex);
}

/** The outputs of a job with addresses of the moment: good for a day, never past the file's life. */
export function signOutputs(
  { signer, clock, publicUrl }: Pick<JobBodyContext, 'signer' | 'clock' | 'publicUrl'>,
  job: Job,
): readonly (Output & { readonly url: string })[] {
  const latest = clock.now() + resultUrlLifeMs;
  return (job.result?.outputs ?? []).map(output => ({
    ...output,
    url:
      publicUrl() +
      signer.sign({ id: output.fileId, fileName: output.fileName }, Math.min(latest, output.expiresAt)),
  }));
}

/**
 * The sound in hexadecimal, for a job that requested it in the body; null once its bytes are deleted. Its size was
 * limited to 64 MB when the outputs were stored.
 */
async function readHex(
  { db, blobs, clock }: Omit<JobBodyContext, 'positions'>,
  { fileId }: SignedOutput,
): Promise<string | null> {
  const file = await readFile(db, fileIdFromRow(fileId), clock.now());
  const content = file && (await blobs.open(file.blobKey));
  return content ? Buffer.concat(await content.toArray()).toString('hex') : null;
}
