/** Descriptions of models, and the dry run of an input. */

import type { JsonSchema, ModelDescription, ModelSummary, Validation } from './bodies.ts';
import type { CallOptions, Exchange } from './exchange.ts';
import type { InputOf, ModelId } from './queue.ts';

/** The models of the gateway. */
export interface Models {
  /** What there is, a line each. */
  list(options?: CallOptions): Promise<readonly ModelSummary[]>;
  /** One of them whole: schema, rules, limits, examples. */
  get(model: ModelId, options?: CallOptions): Promise<ModelDescription>;
  /** The JSON Schema of what a creation takes. */
  schema(model: ModelId, options?: CallOptions): Promise<JsonSchema>;
  /** A dry run: throws what a creation would throw, and stores nothing. */
  validate<Id extends ModelId>(model: Id, input: InputOf<Id>, options?: CallOptions): Promise<Validation>;
}

/** Calls about models. */
export function openModels(ask: Exchange): Models {
  const get = async (model: string, { signal }: CallOptions = {}) =>
    (await ask({ method: 'GET', path: pathOf(model), repeatable: 'read', signal })).body as ModelDescription;
  return {
    async list({ signal } = {}) {
      const { body } = await ask({ method: 'GET', path: '/v1/models', repeatable: 'read', signal });
      return (body as { readonly data: readonly ModelSummary[] }).data;
    },
    get,
    schema: async (model, options) => (await get(model, options)).input_schema,
    async validate(model, input, { signal } = {}) {
      const path = `${pathOf(model)}/validate`;
      const { body } = await ask({ method: 'POST', path, body: input, repeatable: 'keyed', signal });
      return body as Validation;
    },
  };
}

const pathOf = (model: string): string => `/v1/models/${encodeURIComponent(model)}`;
