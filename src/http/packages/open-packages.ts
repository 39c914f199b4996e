/** The packages of this installation, each made at its first request. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readNpmPackage } from './npm-package.ts';
import { readPythonWheel } from './python-wheel.ts';
import type { Packages } from './served-package.ts';

/** Those whose sources are below the root of the program, in its version. */
export function openPackages(root: string): Packages {
  const license = join(root, 'LICENSE');
  const client = join(root, 'client');
  return {
    client: once(async () => readNpmPackage({ folder: client, license }, await versionAt(root))),
    aiSdk: once(async () => {
      const folder = join(root, 'ai-sdk');
      return readNpmPackage(
        { folder, bundled: { 'atelier-client': client }, license },
        await versionAt(root),
      );
    }),
    pythonWheel: once(async () => readPythonWheel(join(root, 'python'), await versionAt(root))),
  };
}

async function versionAt(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return version;
}

/** Runs at the first call; a failure is not kept. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= run().catch(failure => {
      result = null;
      throw failure;
    });
    return result;
  };
}
