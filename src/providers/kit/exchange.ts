/** Calls to upstreams for a recording: without the account's headers and secrets. */
import type { Exchange } from '../../domain/exchange.ts';
import type { Outbound } from '../../media/outbound.ts';
import { basePlaceholder } from './cassette.ts';

export type { Exchange } from '../../domain/exchange.ts';

/** The client for addresses that upstreams write; every provider passes it to `openUpstream`, which reports its calls. */
export interface ObservedOutbound extends Outbound {
  /** Called with each call to the upstream; absent: nothing is recorded. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

/** Headers that say something of an answer; the others name hosts, cookies and accounts. */
const keptHeaders = /^(content-type|retry-after|x-fal-error-type|x-ratelimit-.*)$/;
/** Addresses whose query may sign them. */
const signedParameter = /^https?:\/\/[^\s?]+\?/;
/** Members whose values are an account's, or a person's. */
const privateMember =
  /^(.*(api|access|secret)_?key.*|.*token|authorization|password|secret|signature|sign|e-?mail|user_?name|(account|user|owner|group|app|workspace)_?id)$/i;
/** Parameters of a path that identify an account. */
const privateParameter = /([?&](?:[^=&]*(?:key|token|sign|secret|credential|groupid)[^=&]*)=)[^&]*/gi;
/** Tokens that were signed for one call. */
const webToken = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;
/** Media without a prefix. */
const longBase64 = /^[A-Za-z0-9+/_-]{400,}=*$/;
/** Stands where a secret stood. */
const removed = '(removed)';

/** Texts that never stay, each with what stands in its place. */
type Replacements = readonly (readonly [found: string, instead: string])[];

/** The exchange without secrets, personal members, signed queries and media. */
export function withoutSecrets(
  { request, answer }: Exchange,
  { secrets, baseUrl }: { readonly secrets: readonly string[]; readonly baseUrl: string },
): Exchange {
  const replaced: Replacements = [
    ...secrets.filter(secret => secret !== '').map(secret => [secret, removed] as const),
    [baseUrl, basePlaceholder],
  ];
  const clean = (value: unknown): unknown => cleanValue(value, replaced);
  return {
    request: {
      method: request.method,
      path: cleanText(request.path, replaced).replaceAll(privateParameter, `$1${removed}`),
      headers: cleanHeaders(request.headers, replaced),
      ...(request.body !== undefined && { body: clean(request.body) }),
    },
    answer:
      'broken' in answer
        ? answer
        : {
            status: answer.status,
            headers: cleanHeaders(answer.headers, replaced),
            body: clean(answer.body),
          },
  };
}

/** Headers that are kept, without secrets in their values. */
function cleanHeaders(headers: Readonly<Record<string, string>>, replaced: Replacements) {
  const kept = Object.entries(headers).filter(([name]) => keptHeaders.test(name.toLowerCase()));
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanText(value, replaced)]));
}

/** The same JSON without private members, at any depth. */
function cleanValue(value: unknown, replaced: Replacements): unknown {
  if (typeof value === 'string') return cleanText(value, replaced);
  if (Array.isArray(value)) return value.map(item => cleanValue(item, replaced));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      // Numbers and lists under such a name are counts of tokens.
      privateMember.test(name) && typeof member === 'string' ? removed : cleanValue(member, replaced),
    ]),
  );
}

/** A text without secrets and tokens; media become a few bytes of their type. */
function cleanText(text: string, replaced: Replacements): string {
  const media = /^data:([^;,]*)/.exec(text)?.[1];
  if (media !== undefined) return `data:${media};base64,AAAA`;
  if (longBase64.test(text)) return 'AAAA';
  const bare = replaced
    .reduce((rest, [found, instead]) => rest.replaceAll(found, instead), text)
    .replaceAll(webToken, removed);
  // Also where the address is one of the account's own host.
  return signedParameter.test(text) ? bare.replace(/\?\S*/, '') : bare;
}
