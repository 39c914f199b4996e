/** Makes the data folder, or says why it cannot be used. */
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { StartError } from './start-error.ts';

/** Throws StartError for a folder that cannot be made, read or written. `npm start` says the same before it installs. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    // Only this account reads what will be in it.
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (failure) {
    const code = failure instanceof Error && 'code' in failure ? failure.code : failure;
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${code}). Make it writable for this account, or set ATELIER_DATA_DIR to another folder.`,
      { cause: failure },
    );
  }
}
