/** References to jobs and assets that only an upstream knows. */

import { mayBeJobId } from '../domain/ids.ts';
import type { Reference } from '../domain/reference.ts';

/** What only an upstream may know: the targets of references, and assets used as media. */
export type ForeignKind = Reference['kind'] | 'asset';

/** Ids of upstreams: no character that could change a path. */
const foreignId = /^[0-9A-Za-z][0-9A-Za-z._:-]{0,199}$/;
/** The upstream's own name of an asset. It is passed on as it is, so its characters are bounded. */
const foreignAsset = /^asset:\/\/[0-9A-Za-z][0-9A-Za-z._:-]{0,199}$/;

/** Whether a reference can only mean something that an upstream made for another client. */
export const isForeign = ({ id, mayBeForeign }: Reference): boolean =>
  mayBeForeign === true && !mayBeOurs(id) && foreignId.test(id);

/** Whether a medium is an `asset://…` that only an upstream knows. */
export const isForeignAsset = (value: string): boolean => foreignAsset.test(value) && !mayBeOurs(value);

/** Whether an id may be one of this gateway: then it is never sent to an upstream. */
const mayBeOurs = (id: string): boolean => mayBeJobId(id) || /file_/i.test(id);

/** Named in the sentence of a refusal: which account such an id would need. */
const providersByForeignKind: Readonly<Record<ForeignKind, string>> = {
  image: 'youchuan',
  draft: 'ark or modelark',
  video: 'vidu',
  asset: 'ark or modelark',
};

/** A hint which routes would accept an upstream's id; it follows a reason. */
export const foreignRouteHint = (kind: ForeignKind): string =>
  `; an upstream id is accepted only if all routes of the model use ${providersByForeignKind[kind]}, or a relay with foreign_ids`;
