/** Models by the names that clients of another protocol know them under. */

import type { Model } from '../../../catalog/model.ts';
import { refuseModel } from '../../../catalog/refuse-model.ts';
import type { MountName } from '../../../domain/mounts.ts';
import type { HttpContext } from '../../http-context.ts';

/** The model of a name: by the settings of the mount, by `builtIn` names, or our own id. Throws the 404 of others. */
export function mountedModel(
  context: Pick<HttpContext, 'mounts' | 'servedModels'>,
  mount: MountName,
  name: string,
  builtIn: ReadonlyMap<string, string> = new Map(),
): Model {
  const id = context.mounts()[mount]?.models.get(name) ?? builtIn.get(name) ?? name;
  const models = context.servedModels();
  const model = models.find(id);
  if (!model) throw refuseModel(models, name);
  return model;
}
