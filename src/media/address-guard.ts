/** Guards against server-side request forgery: which URLs and addresses of clients and upstreams may be reached. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Maximum length of a URL, in characters. */
export const maxUrlLength = 2048;

/** Policy of the guard. */
export interface GuardOptions {
  /** Whether the operator allows addresses of the internal network (tests, local development). */
  readonly allowPrivate: boolean;
}

export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  /** The reason is a sentence that may be shown to the sender of the URL. */
  | { readonly ok: false; readonly reason: string };

/**
 * Whether the address is globally routable. Only the canonical spelling counts as an address; anything that cannot be
 * parsed is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.process(address); // ::ffff:a.b.c.d becomes a.b.c.d.
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(globalUnicast);
  return parsed.toString() !== azurePlatform;
}

/**
 * The only part of IPv6 that is assigned. Outside it are ::/96, which ipaddr.js 2.5 reports as unicast although it
 * embeds IPv4 addresses, and 64:ff9b::/96, behind which a translator may reach any of them.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** A routable address that every machine of that cloud maps to internal services of the platform. */
const azurePlatform = '168.63.129.16';

/**
 * Validates a URL of a client or an upstream before anything is resolved or connected. The addresses of its host name
 * are checked again when connecting.
 */
export function checkUrl(text: string, { allowPrivate }: GuardOptions): UrlVerdict {
  if (text.length > maxUrlLength) return rejected(`The address is longer than ${maxUrlLength} characters.`);
  // The URL parser repairs malformed URLs, which other parsers may read differently.
  const url = plainUrl.test(text) ? URL.parse(text) : null;
  if (url === null) return rejected('The address must be a plain http:// or https:// address.');
  if (url.username || url.password || authorityWithAt.test(text)) {
    return rejected('The address may not contain a user name or password.');
  }
  if (allowPrivate) return { ok: true, url };
  if (!isAllowedPort(url.port)) return rejected('The port of the address is not accepted.');
  // The parser has normalised decimal, octal, hexadecimal and full-width spellings by now.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isOutside = isIP(host) ? isPublicAddress(host) : isPublicName(host);
  return isOutside ? { ok: true, url } : rejected('The address is not a public one.');
}

/** No spaces, control characters or backslashes, and both slashes present. */
const plainUrl = /^https?:\/\/[^\s\\\p{Cc}]+$/iu;
const authorityWithAt = /^[a-z]+:\/\/[^/?#]*@/i;

/** Names that by their standard never leave a machine or a local network. */
const internalSuffixes = ['localhost', 'local', 'internal', 'home.arpa'];

/** Whether a host name can lead outside; its addresses are checked when connecting. */
function isPublicName(host: string): boolean {
  // A name without a dot is completed by the resolver's search list, so it is internal.
  if (!/[^.]\.[^.]/.test(host)) return false;
  return !internalSuffixes.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
}

/** Databases, caches, container and cluster control: an HTTP request there is never a fetch of media. */
const internalPorts = new Set([
  9042, 9092, 9200, 9300, 10250, 10255, 10256, 11211, 11434, 15672, 27017, 27018, 27019,
]);

function isAllowedPort(port: string): boolean {
  if (port === '') return true;
  const number = Number(port);
  return number === 80 || number === 443 || number === 8080 || (number >= 8443 && !internalPorts.has(number));
}

function rejected(reason: string): UrlVerdict {
  return { ok: false, reason };
}
