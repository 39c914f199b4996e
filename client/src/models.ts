/** Descriptions of the models as data: `atelier-client/models`. */

/** What the catalog says of each model, as data: schema, rules, limits and examples. Take the ones you need. */
export type { JsonSchema, ModelDescription } from './bodies.ts';
export * from './generated/descriptions.ts';
