/** Reads the results at the paths that a route declares. */

import { z } from 'zod';
import type { OutputRole } from '../../domain/job.ts';
import type { ProducedFile } from '../../domain/provider.ts';
import { type DeclaredOutput, declaredOutput } from './declared-outputs.ts';
import { valuesAt } from './json-path.ts';
import { fileAt, readResults, resultUrl } from './read-success.ts';

/** The part of a ref that has them: a poll knows its ref alone. */
const declaringRef = z.object({ outputs: z.array(declaredOutput).optional() });
/** The outputs that the route of a job declared, from its ref; undefined where it declared none. */
export const declaredOutputsIn = (ref: unknown): readonly DeclaredOutput[] | undefined =>
  declaringRef.safeParse(ref).data?.outputs;

/** The files of an answer. `isWhole` is false where one could not be read. */
export interface FoundFiles {
  readonly files: readonly ProducedFile[];
  readonly isWhole: boolean;
}

/**
 * The files at the declared paths, numbered within their role. An answer that has none of them is unreadable: it is
 * paid for, and has its results elsewhere.
 */
export function declaredFiles(json: unknown, outputs: readonly DeclaredOutput[]): FoundFiles {
  const counts = new Map<OutputRole, number>();
  const found = outputs.map(({ at, role, mime }) => {
    const { items, isWhole } = readResults(
      valuesAt(json, at).filter(value => value !== null),
      resultUrl,
    );
    const files = items.map(url => {
      const index = counts.get(role) ?? 0;
      counts.set(role, index + 1);
      return fileAt(url, { role, index, mimeType: mime });
    });
    return { files, isWhole };
  });
  const files = found.flatMap(one => one.files);
  return { files, isWhole: files.length > 0 && found.every(({ isWhole }) => isWhole) };
}
