/** The JSON Schema of `atelier.yaml`, for editors. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { customModelId, customModelSchema } from '../catalog/custom/model.ts';
import { contractCatalog } from '../catalog/index.ts';
import { providers } from '../providers/index.ts';
import type { ProviderDefinition } from '../providers/kit/definition.ts';
import { fileSchema } from './config.ts';
import { loginSchema } from './login.ts';
import { modelSwitch } from './models.ts';
import { accountBase, accountName, routeBase, routeList, secretReference } from './routing.ts';

type Json = Readonly<Record<string, unknown>>;
/** The JSON Schema of an object. */
type Shape = Json & { readonly properties?: Json; readonly required?: readonly string[] };

/** The draft that editors support best. */
const draft = 'http://json-schema.org/draft-07/schema#';
const secret = secretReference.meta({
  description: 'env:NAME or file:PATH: secrets are never written in this file.',
});

/** Built from the schemas that read the file, so that both accept the same. */
export function configSchema(): Json {
  const { properties, ...rest } = shapeOf(fileSchema);
  const accounts = { type: 'object', propertyNames: shapeOf(accountName), additionalProperties: account() };
  const routes = {
    type: 'object',
    propertyNames: shapeOf(customModelId),
    additionalProperties: modelRoutes(),
  };
  const login = shapeOf(loginSchema(secret));
  const whole = { ...rest, properties: { ...properties, login, models: models(), accounts, routes } };
  return { $schema: draft, title: 'atelier.yaml', ...hoistDefinitions(whole) };
}

/** Moves the `definitions` of each part to the root, where the references of the parts look for them. */
function hoistDefinitions(whole: Json): Json {
  const definitions: Record<string, unknown> = {};
  const rest = JSON.parse(JSON.stringify(whole), (key, value) => {
    if (key !== 'definitions') return value;
    for (const [name, definition] of Object.entries(value)) {
      if (name in definitions && !isDeepStrictEqual(definitions[name], definition))
        throw new Error(`expected one definition of ${name}, got two`);
      definitions[name] = definition;
    }
  });
  return { ...rest, definitions };
}

/** Contract models are switched on or off; every other id is a custom model. */
const models = (): Json => ({
  type: 'object',
  properties: Object.fromEntries(contractCatalog.all.map(({ id }) => [id, shapeOf(modelSwitch)])),
  additionalProperties: customModelShape(),
});

/** Either `schema` or `schema_file`. */
function customModelShape(): Json {
  const { properties: { schema, ...properties } = {}, required = [], ...rest } = shapeOf(customModelSchema);
  const schemaFile = { type: 'string', description: 'A file beside this one, JSON or YAML.' };
  const others = required.filter(name => name !== 'schema');
  // Both forms share all other members.
  const whole = (more: Json): Json => ({
    ...rest,
    properties: { ...properties, ...more },
    required: [...others, ...Object.keys(more)],
  });
  return { anyOf: [whole({ schema }), whole({ schema_file: schemaFile })] };
}

/** The other members of an account depend on its provider. */
const account = (): Json => ({
  anyOf: providers.map(({ name, settings }) =>
    mergeShapes(
      shapeOf(accountBase),
      { properties: { provider: { const: name } } },
      shapeOf(settings(secret)),
    ),
  ),
});

/** An editor cannot know the provider of the account that a route names, so the options of every provider are allowed. */
const modelRoutes = (): Json => ({
  ...shapeOf(routeList),
  items: { anyOf: [...routeOptionShapes()].map(options => mergeShapes(shapeOf(routeBase), options)) },
});

/** No options, or those of one provider. */
function routeOptionShapes(): readonly Shape[] {
  const none: Shape = { additionalProperties: false };
  const some = providers
    .flatMap(shapesOfRoutes)
    .filter(({ properties = {} }) => Object.keys(properties).length > 0);
  return [none, ...some];
}

/** Those of the provider's own options, and those with a body where there are such routes. */
const shapesOfRoutes = ({ name, routeOptions, bodyRoutes }: ProviderDefinition): readonly Shape[] => [
  { title: `Routes to an account of ${name}`, ...shapeOf(routeOptions) },
  ...(bodyRoutes
    ? [{ title: `Routes of custom models to an account of ${name}`, ...shapeOf(bodyRoutes.schema) }]
    : []),
];

/** The JSON Schema of what a schema accepts, which is its input. */
function shapeOf(schema: z.ZodType): Shape {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return shape;
}

/** One object with the members of all; no others are allowed. */
const mergeShapes = (...shapes: readonly Shape[]): Shape => ({
  ...Object.assign({}, ...shapes),
  type: 'object',
  properties: Object.assign({}, ...shapes.map(({ properties }) => properties)),
  required: shapes.flatMap(({ required = [] }) => required),
  additionalProperties: false,
});
