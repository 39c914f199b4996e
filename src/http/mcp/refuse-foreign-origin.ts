/** Protection of the MCP endpoint against DNS rebinding and foreign pages. */

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { refuse } from '../../domain/refusal.ts';

/**
 * Refuses requests that a foreign page makes a browser send here: under a name that was pointed at this machine
 * (`Host`), or from its own place (`Origin`). A bare address cannot be turned, and programs name no origin.
 */
export function refuseForeignOrigin({ host = '', origin }: IncomingHttpHeaders, publicUrl: string): void {
  const own = new URL(publicUrl);
  const name = URL.parse(`http://${host}`)?.hostname;
  if (name === undefined || !(isAddress(name) || isLocal(name) || name === own.hostname))
    throw refuse('host_foreign', { subject: host });
  if (origin === undefined || origin === own.origin) return;
  if (!isLocal(URL.parse(origin)?.hostname ?? '')) throw refuse('origin_foreign', { subject: origin });
}

/** Whether a host is an IP address, in brackets or not. */
const isAddress = (name: string): boolean => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;

/** Names of this machine. */
const isLocal = (name: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(name);
