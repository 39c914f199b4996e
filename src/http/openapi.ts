/** OpenAPI 3.1 of the public protocol: a fold over the declarations of the routes and over the catalog. */

import type { z } from 'zod';
import { errorBodies } from '../answers/error-bodies.ts';
import { type Json, referenceTo, schemasOfBodies } from '../answers/json-schema.ts';
import { models as catalog } from '../catalog/index.ts';
import type { Model } from '../catalog/model.ts';
import { publishedSchema } from '../catalog/published-schema.ts';
import { jsonContent, refusalAnswers, schemasBase } from './openapi-refusals.ts';
import { refusalsOf } from './refusals-of-route.ts';
import { type Answer, methodsOf, type Operation, type Route } from './route.ts';
import { usageGuide } from './usage-guide.ts';

/** The document of these routes. `publicUrl` is the base of the gateway; `models` are those that clients may use. */
export function openApi(
  routes: readonly Route[],
  publicUrl: string,
  models: readonly Model[] = catalog,
): Json {
  const documented = routes.flatMap(route => operationsOf(route, models));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atelier',
      version: '1.0.0',
      summary: 'One asynchronous job queue and one file endpoint in front of generative models.',
      description: introduction(publicUrl),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ key: [] }],
    tags: [
      { name: 'Create', description: 'A creation for each model.' },
      { name: 'Jobs', description: 'Status, result, cancel and lookup, the same for every model.' },
      { name: 'Money', description: 'What a key may still spend. Empty where no prices are set.' },
      { name: 'Callbacks', description: 'What callbacks (webhooks) to `callback_url` are signed with.' },
      { name: 'Files', description: 'Uploads and their signed URLs.' },
      { name: 'Models', description: 'What models there are, their inputs, and a dry run.' },
    ],
    paths: pathsOf(documented),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key, atl_…' } },
      schemas: {
        ...Object.fromEntries(models.map(model => [inputName(model), inputSchema(model)])),
        ...schemasOfBodies(documentedBodies(routes), schemasBase),
      },
    },
  };
}

/** The first page of /docs: where to try it, then how it is used. */
const introduction = (url: string): string =>
  `One asynchronous job queue and one file endpoint in front of generative models (video, image, speech). To try it in a browser: [the console](${url}/console/). Its keys are made under *Keys* there, or by \`atelier keys create --user NAME\`.\n\n${usageGuide(url)}`;

/** The schemas of every body that the documented ones of these routes answer, and of the errors. */
export const documentedBodies = (routes: readonly Route[]): readonly z.ZodType[] => [
  ...routes
    .filter(({ docs }) => !('undocumented' in docs))
    .flatMap(({ answers }) => Object.values(answers).flatMap(({ body }) => body ?? [])),
  ...Object.values(errorBodies),
];

/** The request body of a creation: the input of a model. */
export const jsonInputOf = (model: Model): Readonly<Record<string, Json>> => ({
  'application/json': { $ref: schemasBase + inputName(model) },
});

/** One operation and where it stands in `paths`. */
interface PathOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

/** None for a route that is not part of the protocol; one for each model where the route has that. */
function operationsOf(route: Route, models: readonly Model[]): readonly PathOperation[] {
  const { docs } = route;
  if ('undocumented' in docs) return [];
  const [method = ''] = methodsOf(route).map(name => name.toLowerCase());
  if ('ofModel' in docs) {
    return models.map(model => {
      const path = route.path.replace(':modelId', model.id);
      return { path: templateOf(path), method, operation: operationOf(route, docs.ofModel(model), path) };
    });
  }
  return [{ path: templateOf(route.path), method, operation: operationOf(route, docs, route.path) }];
}

/** The OpenAPI operation of a route; `path` is the one with the model id where it has one. */
function operationOf(route: Route, docs: Operation, path: string): Json {
  const { tag, operationId, summary, description, body } = docs;
  const parameters = [...namesIn(path).map(pathParameter), ...(docs.parameters ?? [])];
  return {
    tags: [tag],
    operationId,
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: mergeAnswers(successAnswers(route.answers), refusalAnswers(refusalsOf(route))),
  };
}

/** An answer of a handler stands before refusals of the same status, whose body may be another. */
function mergeAnswers(successes: Readonly<Record<string, Json>>, refused: Json): Json {
  const merged = Object.entries(refused).map(([status, refusal]) => {
    const success = successes[status];
    return [status, success ? joinAnswers(success, refusal as Json) : refusal];
  });
  return { ...successes, ...Object.fromEntries(merged) };
}

/** Two answers of one status: either body, and the headers of the refusal. */
function joinAnswers(first: Json, second: Json): Json {
  const schemas = [first, second].map(
    ({ content }) => (content as { 'application/json': { schema: Json } })['application/json'].schema,
  );
  return {
    ...second,
    description: `${first.description} · ${second.description}`,
    content: jsonContent({ anyOf: schemas }),
  };
}

/** The declared answers that are not refusals. */
const successAnswers = (answers: Readonly<Record<number, Answer>>): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, body }]) => [
      status,
      { description, ...(body && { content: jsonContent(referenceTo(body, schemasBase)) }) },
    ]),
  );

/** The request body by content type. */
const contentOf = (body: Readonly<Record<string, Json>>): Json =>
  Object.fromEntries(Object.entries(body).map(([contentType, schema]) => [contentType, { schema }]));

/** Operations by path and method, in the order of the routes. */
function pathsOf(operations: readonly PathOperation[]): Json {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, sharing]) => [
      path,
      Object.fromEntries(sharing.map(({ method, operation }) => [method, operation])),
    ]),
  );
}

/** The path as the document has it: `/v1/jobs/:jobId` is `/v1/jobs/{request_id}`: a job's id is called as it is in bodies. */
export const templateOf = (path: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => `{${publicName(name)}}`);

/** Names of the path parameters. */
const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => publicName(name!));

/** The name of a path parameter in the document. */
const publicName = (name: string): string =>
  name === 'jobId' ? 'request_id' : name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** A part of a path; it is always a text and always there. */
const pathParameter = (name: string): Json => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
});

/** The name of the schema of a model's input. */
const inputName = ({ id }: Model): string => `${id}.input`;

/** The schema of an input; what is ours beside JSON Schema gets the prefix that the standard requires. */
const inputSchema = (model: Model): Json => {
  const { $schema: _, ...schema } = publishedSchema(model.schema);
  const rules = [...model.rules, ...model.mediaRules].map(rule => rule.says);
  return {
    ...(prefixExtensions(schema) as Json),
    title: model.title,
    description: [model.summary, ...rules].join('\n\n- '),
    examples: model.examples,
  };
};

/** Keywords of published schemas that JSON Schema does not know. */
const extensionKeywords: ReadonlySet<string> = new Set([
  'media',
  'unit',
  'widget',
  'group',
  'requiredUnless',
]);

/** Prefixes them with `x-`, at every depth. */
function prefixExtensions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prefixExtensions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      // The names of properties are the contract's, whatever they are.
      if (key === 'properties' && typeof member === 'object' && member !== null) {
        return [
          key,
          Object.fromEntries(
            Object.entries(member).map(([name, property]) => [name, prefixExtensions(property)]),
          ),
        ];
      }
      return extensionKeywords.has(key) ? [`x-${key}`, member] : [key, prefixExtensions(member)];
    }),
  );
}
