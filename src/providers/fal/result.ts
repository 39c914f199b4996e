/** The response of a run at fal, and the files in it. */

import { z } from 'zod';
import type { Usage } from '../../domain/usage.ts';
import { declaredFiles, type FoundFiles } from '../kit/declared-files.ts';
import type { DeclaredOutput } from '../kit/declared-outputs.ts';
import { fileAt, lenient, readResults } from '../kit/read-success.ts';

/** A result. Its type is checked against the fetched bytes. */
const file = z.object({ url: z.string().min(1), content_type: lenient(z.string()) });
/** The response of a run: which member has the results depends on the endpoint. */
const result = z.object({
  video: z.unknown().optional(),
  images: z.unknown().optional(),
  audio: z.unknown().optional(),
  seed: lenient(z.int().nonnegative()),
  duration_ms: lenient(z.number().positive()),
});

type Result = z.output<typeof result>;

/**
 * What a response has, at the paths that the route declares or where most endpoints have their results; null for one
 * that is no result. Reported usage is the length of sound; other endpoints report none.
 */
export function productionIn(json: unknown, outputs: readonly DeclaredOutput[] | undefined) {
  const output = result.safeParse(json).data;
  if (!output) return null;
  const { seed, duration_ms } = output;
  const { files, isWhole } = outputs ? declaredFiles(json, outputs) : filesOf(output);
  const usage: readonly Usage[] = duration_ms
    ? [{ unit: 'second', quantity: duration_ms / 1000, basis: 'reported' }]
    : [];
  return { production: { files, usage, ...(seed !== undefined && { seed }) }, isWhole };
}

function filesOf({ video, images, audio }: Result): FoundFiles {
  const { items, isWhole } = readResults(video ?? audio ?? images, file);
  const files = items.map(({ url, content_type: mimeType }, index) =>
    fileAt(url, { index, ...(mimeType !== undefined && { mimeType }) }),
  );
  return { files, isWhole };
}
