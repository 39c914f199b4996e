import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { customModelId, customModelSchema } from '../catalog/custom/model.ts';
import { contractCatalog } from '../catalog/index.ts';
import { providers } from '../providers/index.ts';
import type { ProviderDefinition } from '../providers/kit/definition.ts';
import { fileSchema } from './config.ts';
import { modelSwitch } from './models.ts';
import { accountBase, accountName, routeBase, routeList, secretReference } from './routing.ts';

type Json = Readonly<Record<string, unknown>>;
/** What JSON Schema says of an object. */
type Shape = Json & { readonly properties?: Json; readonly required?: readonly string[] };

/** What editors know best. */
const draft = 'http://json-schema.org/draft-07/schema#';
const secret = secretReference.meta({
  description: 'env:NAME or file:PATH: a secret never stands here itself.',
});

/** JSON Schema of `atelier.yaml`, for editors: made of the schemas that read it. */
export function configSchema(): Json {
  const { properties, ...rest } = shapeOf(fileSchema);
  const accounts = { type: 'object', propertyNames: shapeOf(accountName), additionalProperties: account() };
  const routes = {
    type: 'object',
    propertyNames: shapeOf(customModelId),
    additionalProperties: modelRoutes(),
  };
  const whole = { ...rest, properties: { ...properties, models: models(), accounts, routes } };
  return { $schema: draft, title: 'atelier.yaml', ...hoistDefinitions(whole) };
}

/** Each part was made by itself with definitions of its own, but names them as if they stood at the root. */
function hoistDefinitions(whole: Json): Json {
  const definitions: Record<string, unknown> = {};
  const lifted = JSON.parse(JSON.stringify(whole), (key, value) => {
    if (key !== 'definitions') return value;
    for (const [name, definition] of Object.entries(value)) {
      if (name in definitions && !isDeepStrictEqual(definitions[name], definition))
        throw new Error(`expected one definition of ${name}, got two`);
      definitions[name] = definition;
    }
  });
  return { ...lifted, definitions };
}

/** Models of the contract are switched; every other is the operator's own. */
const models = (): Json => ({
  type: 'object',
  properties: Object.fromEntries(contractCatalog.all.map(({ id }) => [id, shapeOf(modelSwitch)])),
  additionalProperties: customModelShape(),
});

/** Its schema stands there, or in a file. */
function customModelShape(): Json {
  const { properties: { schema, ...properties } = {}, required = [], ...rest } = shapeOf(customModelSchema);
  const schemaFile = { type: 'string', description: 'A file beside this one, JSON or YAML.' };
  const others = required.filter(name => name !== 'schema');
  const whole = (more: Json): Json => ({
    ...rest,
    properties: { ...properties, ...more },
    required: [...others, ...Object.keys(more)],
  });
  return { anyOf: [whole({ schema }), whole({ schema_file: schemaFile })] };
}

/** What else an account has depends on its provider. */
const account = (): Json => ({
  anyOf: providers.map(({ name, settings }) =>
    mergeShapes(
      shapeOf(accountBase),
      { properties: { provider: { const: name } } },
      shapeOf(settings(secret)),
    ),
  ),
});

/** A file alone does not tell an editor of which provider an account is: whatever some provider has may stand here. */
const modelRoutes = (): Json => ({
  ...shapeOf(routeList),
  items: { anyOf: [...switches()].map(own => mergeShapes(shapeOf(routeBase), own)) },
});

/** None, and those of each provider that has some. */
function switches(): readonly Shape[] {
  const none: Shape = { additionalProperties: false };
  const some = providers
    .map(shapeOfSwitches)
    .filter(({ properties = {} }) => Object.keys(properties).length > 0);
  return [none, ...some];
}

const shapeOfSwitches = ({ name, routeOptions }: ProviderDefinition): Shape => ({
  title: `Routes to an account of ${name}`,
  ...shapeOf(routeOptions),
});

function shapeOf(schema: z.ZodType): Shape {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return shape;
}

/** One object with the members of all. */
const mergeShapes = (...shapes: readonly Shape[]): Shape => ({
  ...Object.assign({}, ...shapes),
  type: 'object',
  properties: Object.assign({}, ...shapes.map(({ properties }) => properties)),
  required: shapes.flatMap(({ required = [] }) => required),
  additionalProperties: false,
});
