/** The model and the words of an endpoint's name, as clients of fal write it. */

import type { JsonObject } from '../../../body/json-body.ts';
import type { Model } from '../../../catalog/model.ts';
import type { HttpContext } from '../../http-context.ts';
import { genericWords } from '../kit/generic-words.ts';
import { mountedModel } from '../kit/mounted-model.ts';
import type { Translation } from '../kit/translate.ts';
import { falEndpoints } from './endpoints.ts';

/** What a name stands for. */
export interface FoundEndpoint {
  readonly model: Model;
  readonly translation: Translation;
  /** What the name itself says of the input. */
  readonly preset: JsonObject;
}

/** Our own ids in the form that clients demand: with an owner before them. */
const ownPrefix = 'atelier/';

/**
 * The endpoint of a name: by the settings, by the table of the fal provider, or our own id behind `atelier/`. A name of
 * the settings says what the path says that it ends in. Throws the 404 of every other.
 */
export function findEndpoint(
  context: Pick<HttpContext, 'mounts' | 'servedModels'>,
  app: string,
): FoundEndpoint {
  const mount = context.mounts().fal;
  const own = app.startsWith(ownPrefix) ? app.slice(ownPrefix.length) : app;
  const configured = mount?.models.get(app);
  if (configured !== undefined) {
    const endpoint = falEndpoints[configured];
    const path = endpoint && longest(Object.keys(endpoint.paths).filter(each => endsIn(app, each)));
    return found(mountedModel(context, 'fal', app), path);
  }
  for (const [base, id] of mount?.upstreamNames ?? []) {
    if (app !== base && !app.startsWith(`${base}/`)) continue;
    const path = app.slice(base.length + 1);
    if (falEndpoints[id]?.paths[path])
      return found(mountedModel(context, 'fal', app, new Map([[app, id]])), path);
  }
  return found(mountedModel(context, 'fal', own), undefined);
}

const endsIn = (app: string, path: string): boolean => path === '' || app.endsWith(`/${path}`);
const longest = (paths: readonly string[]): string | undefined =>
  paths.toSorted((a, b) => b.length - a.length)[0];

/** Whatever its name, a model takes the words of its endpoints, else those that most protocols have in common. */
function found(model: Model, path: string | undefined): FoundEndpoint {
  const endpoint = falEndpoints[model.id];
  const preset = (path !== undefined && endpoint?.paths[path]) || {};
  return { model, translation: endpoint ?? genericWords(model), preset };
}
