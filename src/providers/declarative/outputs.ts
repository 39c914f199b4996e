/** The results and the usage that an answer names, at the paths of an account's description. */

import type { ProducedFile } from '../../domain/provider.ts';
import type { Usage } from '../../domain/usage.ts';
import type { InlineResults } from '../kit/inline-results.ts';
import { valuesAt } from '../kit/json-path.ts';
import type { DeclarativeAccount } from './account.ts';

/** What an answer names as results. */
interface NamedFiles {
  readonly files: readonly ProducedFile[];
  /** False where a value that stands at the path of a result can be no result, such as an object or an address of another protocol. */
  readonly isWhole: boolean;
}

/**
 * The produced files of an answer, numbered within their role. Results in base64 are saved as local files. Null and
 * empty text name no result.
 */
export async function filesIn(
  json: unknown,
  { outputs, base_url: baseUrl }: DeclarativeAccount,
  { results, dedupeKey }: { readonly results: InlineResults; readonly dedupeKey: string },
): Promise<NamedFiles> {
  const named = outputs.flatMap(output =>
    valuesAt(json, output.at)
      .filter(value => value !== null && value !== '')
      .map(value => ({ ...output, value })),
  );
  const found = named.flatMap(one => (typeof one.value === 'string' ? { ...one, value: one.value } : []));
  const inline = found.filter(({ form }) => form === 'base64');
  const contents = inline.map(({ value }) => decodeBase64(value));
  const saved = contents.length > 0 ? await results.save(dedupeKey, contents) : [];
  const counts = new Map<string, number>();
  const files = found.flatMap((one): readonly ProducedFile[] => {
    const source = one.form === 'base64' ? saved[inline.indexOf(one)]?.source : urlSource(one.value, baseUrl);
    if (!source) return [];
    const index = counts.get(one.role) ?? 0;
    counts.set(one.role, index + 1);
    return [{ role: one.role, index, mimeType: one.mime, source }];
  });
  const isWhole = files.length === named.length;
  const hasPrimary = files.some(({ role }) => role === 'primary');
  return { files, isWhole: isWhole && (hasPrimary || !lacksMember(json, outputs)) };
}

/**
 * Whether an object that should name a primary result has no member of that name: the upstream calls it a success, so
 * the result may have another name today. An empty list, and null, name no result.
 */
const lacksMember = (json: unknown, outputs: DeclarativeAccount['outputs']): boolean =>
  outputs
    .filter(({ role, at }) => role === 'primary' && valuesAt(json, at).length === 0)
    .flatMap(({ at }) => parentsOf(json, at))
    .some(parent => typeof parent === 'object' && parent !== null && !Array.isArray(parent));

/** The values that contain the last step of a path. */
function parentsOf(json: unknown, place: string): readonly unknown[] {
  const parent = place.replace(/(?:\.?[^.[\]]+|\[[^\]]*\])$/, '');
  return parent === '' ? [json] : valuesAt(json, parent);
}

/** An address may be relative to the base of the account; null for one of another protocol. */
function urlSource(text: string, baseUrl: string): ProducedFile['source'] | null {
  const url = URL.parse(text, `${baseUrl}/`);
  return url && /^https?:$/.test(url.protocol) ? { kind: 'url', url: url.href } : null;
}

/** The bytes of a data URL, or of base64 without a prefix. */
const decodeBase64 = (text: string): Buffer =>
  Buffer.from(text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text, 'base64');

/** What the upstream reports as used; a value that is not a positive number is left out. */
export function usageIn({ usage }: DeclarativeAccount, json: unknown): readonly Usage[] {
  return usage.flatMap(({ unit, at }): readonly Usage[] => {
    const quantity = Number(valuesAt(json, at)[0] ?? Number.NaN);
    return Number.isFinite(quantity) && quantity >= 0 ? [{ unit, quantity, basis: 'reported' }] : [];
  });
}
