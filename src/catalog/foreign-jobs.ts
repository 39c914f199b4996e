/** References to jobs and assets that only an upstream knows. */

import { mayBeJobId } from '../domain/ids.ts';
import type { Reference } from '../domain/reference.ts';

/** Things that only an upstream may know: what a reference can point at, and assets in the place of media. */
export type ForeignKind = Reference['kind'] | 'asset';

/** What upstreams call their jobs: no text that could be more than a name. */
const foreignId = /^[0-9A-Za-z][0-9A-Za-z._:-]{0,199}$/;
const foreignAsset = /^asset:\/\/[0-9A-Za-z][0-9A-Za-z._:-]{0,199}$/;

/** Whether a reference can only be to something that an upstream made for somebody else than this gateway. */
export const isForeign = ({ id, mayBeForeign }: Reference): boolean =>
  mayBeForeign === true && !mayBeOurs(id) && foreignId.test(id);

/** The same of a medium that is written `asset://…`. */
export const isForeignAsset = (value: string): boolean => foreignAsset.test(value) && !mayBeOurs(value);

const mayBeOurs = (id: string): boolean => mayBeJobId(id) || /file_/i.test(id);

const providersByForeignKind: Readonly<Record<ForeignKind, string>> = {
  image: 'youchuan',
  draft: 'ark or modelark',
  video: 'vidu',
  asset: 'ark or modelark',
};

/** Which routes would take the name of something that was made elsewhere: follows a reason. */
export const foreignRouteHint = (kind: ForeignKind): string =>
  `; one of an upstream is passed on where every route of the model leads to ${providersByForeignKind[kind]}, or to a relay with foreign_ids`;
