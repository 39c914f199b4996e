/** The descriptions of models that GET /v1/models publishes. */

import type { Model } from './model.ts';
import { publishedSchema } from './published-schema.ts';

/** One line of `GET /v1/models`. */
export function summarizeModel(model: Model) {
  const { id, kind, family, title, summary, acceptsCallback } = model;
  return {
    id,
    object: 'model',
    owned_by: 'atelier',
    kind,
    family,
    title,
    summary,
    accepts_callback: acceptsCallback,
  };
}

/** `GET /v1/models/{id}`: all that a form, a document or a typed client needs. */
export function describe(model: Model) {
  return {
    ...summarizeModel(model),
    limits: { max_body_bytes: model.maxBodyBytes },
    input_schema: publishedSchema(model.schema),
    rules: [...model.rules, ...model.mediaRules].map(({ says, fields }) => ({ says, fields })),
    examples: model.examples,
  };
}
