/** A package that the gateway serves: its bytes, its name and its hash. */

import { createHash } from 'node:crypto';

/** A file that a package manager installs. */
export interface ServedPackage {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** In hex, as indexes of packages give it. */
  readonly sha256: string;
}

/** What the routes of packages are given; null where a package is not built here. Each is made once. */
export interface Packages {
  readonly client: () => Promise<ServedPackage | null>;
  readonly aiSdk: () => Promise<ServedPackage | null>;
  readonly pythonWheel: () => Promise<ServedPackage | null>;
}

/** A package of these bytes. */
export const servedPackage = (fileName: string, contentType: string, bytes: Buffer): ServedPackage => ({
  fileName,
  contentType,
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
