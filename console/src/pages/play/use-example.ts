/** Fills in an example of a model: its placeholders become samples that are uploaded, and an earlier picture. */
import { useState } from 'react';
import { consoleKey } from '../../api/console-user.ts';
import type { Schema } from '../../api/input-schema.ts';
import { jobsPage } from '../../api/queries.ts';
import { toastFailure } from '../../components/toasts.tsx';
import { type UsedFile, withoutPlacement, withPictureOfJob } from '../../form/fill-output.ts';
import { isMembers, type Members } from '../../form/input-value.ts';
import { namesForeignResult, replaceJob, replacePlaceholders, samplesIn } from '../../form/sample-input.ts';
import { sampleFile } from '../../form/samples.ts';

/** Larger pictures have no follow-ups. */
const maxSide = 4096;

/** `take` receives the input once its media are there; a failure is shown as a message. */
export function useExample(schema: Schema, take: (input: Members) => void) {
  const [isBusy, setBusy] = useState(false);
  async function fill(example: unknown) {
    setBusy(true);
    try {
      take(await inputOf(schema, example));
    } catch (failure) {
      toastFailure(failure);
    } finally {
      setBusy(false);
    }
  }
  return { isBusy, fill: (example: unknown) => void fill(example) };
}

/** The example as an input that can run here. */
export async function inputOf(schema: Schema, example: unknown): Promise<Members> {
  const ids = new Map<string, string>();
  for (const name of samplesIn(example)) ids.set(name, (await sampleFile(name)).id);
  const filled = replacePlaceholders(example, name => ids.get(name) ?? '');
  if (!isMembers(filled)) throw new Error('expected an example to be an object');
  return namesForeignResult(filled) ? withEarlierPicture(schema, filled) : filled;
}

/** The newest picture of the console in the place of one that exists nowhere. */
async function withEarlierPicture(schema: Schema, example: Members): Promise<Members> {
  const { data } = await jobsPage({ state: 'completed', key: consoleKey }, null);
  const picture = data.flatMap(picturesOf)[0];
  if (!picture)
    throw new Error('It goes on from a picture of an earlier job. Run a model that makes pictures first.');
  // Those of the example fit a picture of another size.
  const unplaced = withoutPlacement(schema, example);
  const filled = withPictureOfJob(schema, unplaced, picture) ?? replaceJob(example, picture.jobId);
  return isMembers(filled) ? filled : example;
}

/** The pictures of a job that a follow-up may name. */
const picturesOf = ({
  request_id: jobId,
  outputs,
}: Awaited<ReturnType<typeof jobsPage>>['data'][number]): readonly NonNullable<UsedFile['picture']>[] =>
  outputs.flatMap(({ role, mime_type, index, width, height }) =>
    role === 'primary' &&
    mime_type.startsWith('image/') &&
    width !== null &&
    height !== null &&
    width <= maxSide
      ? [{ jobId, index, width, height }]
      : [],
  );

/** Whether an example can run here: one that names a video of another installation cannot. */
export const canRunHere = (schema: Schema, example: unknown): boolean =>
  !namesForeignResult(example) ||
  Object.values(schema.properties ?? {}).some(({ widget }) => widget === 'job');
