/** What the gates of one request took: memory, spool files. */

/** Frees one of them; may be called once. */
type Release = () => Promise<void> | void;

/** Collects what has to be released when the request ends. */
export interface RequestResources {
  defer(release: Release): void;
}

/**
 * Runs `work` and then releases what it took, the last first, however it ends. A plain list: `await using` costs a
 * request as much as the reading of its body.
 */
export async function withResources<T>(work: (resources: RequestResources) => Promise<T>): Promise<T> {
  const releases: Release[] = [];
  try {
    return await work({ defer: release => void releases.push(release) });
  } finally {
    await releaseAll(releases);
  }
}

/** Rejects with the last failure, once all are released. */
async function releaseAll(releases: Release[]): Promise<void> {
  const release = releases.pop();
  if (!release) return;
  try {
    const releasing = release();
    // Most free memory alone, which needs no promise.
    if (releasing) await releasing;
  } finally {
    if (releases.length > 0) await releaseAll(releases);
  }
}
