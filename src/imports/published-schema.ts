/** Reads the JSON Schema of published documents: references, combined schemas and null are resolved. */

import { z } from 'zod';
import { ImportError } from './import-error.ts';

const node: z.ZodType<SchemaNode> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .catch(undefined),
    title: z.string().optional().catch(undefined),
    description: z.string().optional().catch(undefined),
    format: z.string().optional().catch(undefined),
    pattern: z.string().optional().catch(undefined),
    enum: z.array(z.unknown()).optional().catch(undefined),
    allOf: z.array(node).optional().catch(undefined),
    anyOf: z.array(node).optional().catch(undefined),
    oneOf: z.array(node).optional().catch(undefined),
    items: node.optional().catch(undefined),
    properties: z.record(z.string(), node).optional().catch(undefined),
    required: z.array(z.string()).optional().catch(undefined),
    examples: z.array(z.unknown()).optional().catch(undefined),
  }),
);

/** A schema as it is published: what this gateway reads of it. */
export interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly $ref?: string | undefined;
  readonly type?: string | string[] | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly enum?: unknown[] | undefined;
  readonly allOf?: SchemaNode[] | undefined;
  readonly anyOf?: SchemaNode[] | undefined;
  readonly oneOf?: SchemaNode[] | undefined;
  readonly items?: SchemaNode | undefined;
  readonly properties?: Record<string, SchemaNode> | undefined;
  readonly required?: string[] | undefined;
  readonly examples?: unknown[] | undefined;
}

const maxReferences = 32;

/** A document whose references can be followed. */
export interface PublishedDocument {
  readonly root: unknown;
  /** The schema at a path of names; undefined where there is none. */
  at(...path: readonly string[]): SchemaNode | undefined;
  /**
   * A schema without `$ref`, `allOf`, `anyOf`, `oneOf` and null. Of several alternatives the first that is not an object
   * is taken; `alternatives` counts those that were left out.
   */
  resolve(schema: SchemaNode): ResolvedSchema;
}

/** A schema of one type. */
export interface ResolvedSchema extends SchemaNode {
  readonly type: string | undefined;
  /** Forms of the value that were left out. */
  readonly alternatives: number;
}

/** Opens a published document. Throws `ImportError` for a reference that leads nowhere. */
export function openDocument(root: unknown): PublishedDocument {
  const at = (...path: readonly string[]): SchemaNode | undefined =>
    node.safeParse(path.reduce(memberOf, root)).data;

  /** Follows references; the members beside one win. */
  function follow(schema: SchemaNode, left = maxReferences): SchemaNode {
    const { $ref: reference, ...beside } = schema;
    if (reference === undefined) return schema;
    const path = reference.split('/').map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const found = path[0] === '#' ? at(...path.slice(1)) : undefined;
    if (!found || left === 0)
      throw new ImportError(
        `the document refers to ${reference}, which it does not have. Save it, mend it, and give the file: --schema FILE.`,
      );
    return { ...follow(found, left - 1), ...beside };
  }

  function resolve(schema: SchemaNode): ResolvedSchema {
    const { allOf = [], anyOf, oneOf, ...own } = follow(schema);
    const parts = allOf.map(resolve);
    const forms = (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null').map(resolve);
    const chosen = forms.find(({ type }) => type !== 'object') ?? forms[0];
    const merged: SchemaNode = Object.assign({}, chosen, ...parts, own);
    const named = [merged.type ?? []].flat().filter(type => type !== 'null');
    return {
      ...merged,
      type: named[0] ?? typeOfValues(merged),
      alternatives: Math.max(0, forms.length - 1) + Math.max(0, named.length - 1),
    };
  }

  return { root, at, resolve };
}

/** A schema may have values, properties or items without naming its type. */
function typeOfValues({ enum: values, properties, items }: SchemaNode): string | undefined {
  if (properties) return 'object';
  if (items) return 'array';
  const types = new Set(values?.filter(value => value !== null).map(value => typeof value));
  return types.size === 1 ? [...types][0] : undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
