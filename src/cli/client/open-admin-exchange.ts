import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Exchange, openExchange } from '../../../client/src/exchange.ts';
import { readConfig } from '../../config/config.ts';
import { openSecrets } from '../../config/secrets.ts';
import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { localUrl } from './make-local-key.ts';

/**
 * The admin API of a gateway, for its operator. A token that lies in the data folder is shown to nobody but the
 * gateway of these settings; for another one both are told by the environment.
 */
export async function openAdminExchange(): Promise<Exchange> {
  const config = readConfig(process.env);
  const own = localUrl(config);
  const { ATELIER_URL: given } = process.env;
  const url = given === undefined || given === '' ? own : given;
  const hasFolder = url === own && existsSync(join(config.dataDir, 'secrets.json'));
  if (config.adminToken === null && !hasFolder) {
    throw new CommandError(
      `This asks the admin API of ${url}: set ATELIER_ADMIN_TOKEN, or run it on the machine of the gateway, where its data folder is.`,
      exitCodes.auth,
    );
  }
  const { adminToken } = config.adminToken === null ? await openSecrets(config) : config;
  return openExchange({ baseUrl: url, apiKey: adminToken ?? '' });
}
