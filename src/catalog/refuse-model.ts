/** The refusal of an unknown model id. */

import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Catalog } from './catalog.ts';
import { closestMatch } from './faults.ts';

/** Of a model that is not served. Contract 7.2 fixes the body, so the id that was perhaps meant goes into a header. */
export function refuseModel(served: Catalog, modelId: string): Refusal {
  const suggestion = closestMatch(
    modelId,
    served.all.map(({ id }) => id),
  );
  return refuse('model_unknown', { subject: modelId, ...(suggestion !== null && { suggestion }) });
}
