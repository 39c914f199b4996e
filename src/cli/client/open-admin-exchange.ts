/** Opens the admin API of a gateway for its operator. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Exchange, openExchange } from '../../../client/src/exchange.ts';
import { readConfig } from '../../config/config.ts';
import { openSecrets } from '../../config/secrets.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { localUrl } from './make-local-key.ts';

/**
 * With the token of the environment, or with the one in the data folder. The latter is sent only to the gateway of
 * these settings; for another gateway the environment must set address and token.
 */
export async function openAdminExchange(): Promise<Exchange> {
  const config = readConfig(process.env);
  const local = localUrl(config);
  const { ATELIER_URL: given } = process.env;
  const url = given === undefined || given === '' ? local : given;
  const hasFolder = url === local && existsSync(join(config.dataDir, 'secrets.json'));
  if (config.adminToken === null && !hasFolder) {
    throw new CommandError(
      `This command uses the admin API of ${url}: set ATELIER_ADMIN_TOKEN, or run it on the machine of the gateway, where its data folder is readable.`,
      exitCodes.auth,
    );
  }
  const { adminToken } = config.adminToken === null ? await openSecrets(config) : config;
  return openExchange({ baseUrl: url, apiKey: adminToken ?? '' });
}
