/** Resolves references of an input to a user's earlier jobs and their outputs. */
import { type FileId, fileIdFromRow, parseFileId, parseJobId, type UserId } from '../../domain/ids.ts';
import type { Output } from '../../domain/job.ts';
import type { Pinned } from '../../domain/provider.ts';
import { localAccount } from '../../domain/provider.ts';
import type { Reference, ResolvedReference } from '../../domain/reference.ts';
import { readUpstreamRef } from '../attempts/attempts.ts';
import type { Statements } from '../db/connection.ts';
import { jobColumns, jobFromRow } from './read.ts';

/** Resolves a reference among a user's completed jobs; null alike for a missing, unfinished or another user's job. */
export async function resolveReference(
  db: Statements,
  reference: Reference,
  userId: UserId,
): Promise<ResolvedReference | null> {
  const jobId =
    reference.kind === 'video' ? await findProducingJob(db, reference.id, userId) : parseJobId(reference.id);
  if (!jobId) return null;
  const [row] = await db.read(
    `SELECT ${jobColumns} FROM jobs WHERE id = $1 AND user_id = $2 AND state = 'completed'`,
    [jobId, userId],
  );
  if (!row) return null;
  const job = jobFromRow(row);
  const outputs = job.result?.outputs ?? [];
  return {
    reference,
    jobId: job.id,
    modelId: job.modelId,
    input: job.input,
    images: outputs.filter(isImage).length,
    ...(job.result?.seed !== undefined && { seed: job.result.seed }),
    output: findOutput(reference, outputs),
  };
}

/** A reference as the upstream knows it that ran the job; null for jobs of the local engine. */
export async function resolvePinned(
  db: Statements,
  reference: Reference,
  userId: UserId,
): Promise<Pinned | null> {
  const referred = await resolveReference(db, reference, userId);
  const maker = referred && (await readUpstreamRef(db, referred.jobId));
  if (!maker || maker.account === localAccount) return null;
  return { ...maker, upstreamId: referred.output?.upstreamId ?? null };
}

/** The file of the image or video that a reference names. */
export async function resolveReferenceFile(
  db: Statements,
  reference: Reference,
  userId: UserId,
): Promise<FileId | null> {
  const referred = await resolveReference(db, reference, userId);
  return referred?.output ? fileIdFromRow(referred.output.fileId) : null;
}

/** Null when the job has no such output. */
function findOutput({ kind, id, index }: Reference, outputs: readonly Output[]): Output | null {
  const found =
    kind === 'video'
      ? outputs.find(output => output.fileId === id && output.mimeType.startsWith('video/'))
      : outputs.filter(isImage).find(output => output.index === (index?.value ?? 0));
  return found ?? null;
}

const isImage = ({ role, mimeType }: Output): boolean => role === 'primary' && mimeType.startsWith('image/');

/** Id of the job that produced a file. */
async function findProducingJob(db: Statements, fileId: string, userId: UserId): Promise<string | null> {
  if (!parseFileId(fileId)) return null;
  const [row] = await db.read(
    `SELECT job_id FROM files WHERE id = $1 AND user_id = $2 AND source = 'output'`,
    [fileId, userId],
  );
  return typeof row?.job_id === 'string' ? row.job_id : null;
}
