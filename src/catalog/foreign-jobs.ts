import { mayBeJobId } from '../domain/ids.ts';
import type { Reference } from './model.ts';

/** What upstreams call their jobs: no text that could be more than a name. */
const foreignId = /^[0-9A-Za-z][0-9A-Za-z._:-]{0,199}$/;

/** Whether a reference can only be to a job that an upstream made for somebody else than this gateway. */
export const isForeign = ({ id, mayBeForeign }: Reference): boolean =>
  mayBeForeign === true && !mayBeJobId(id) && foreignId.test(id);
