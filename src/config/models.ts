import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import { customModelId, maxCustomModels, readCustomModel } from '../catalog/custom/model.ts';
import { maxSchemaBytes } from '../catalog/custom/schema.ts';
import { contractCatalog } from '../catalog/index.ts';
import type { Model } from '../catalog/model.ts';
import { didYouMean, type Issue, issuesOf, parseSettings } from './issues.ts';

export interface ParsedModels {
  readonly catalog: Catalog;
  /** Ids of models whose description is wrong: they are in the settings, and not in the catalog. */
  readonly invalid: ReadonlySet<string>;
  /** Ids of models that clients are not told of. */
  readonly disabled: readonly string[];
  readonly issues: readonly Issue[];
}

export const modelSwitch = z.enum(['on', 'off'], { error: 'must be on or off' });
const written = z.record(z.string(), z.unknown(), { error: 'must be models by their ids' });
const members = z.looseObject({});
const contractIds = contractCatalog.all.map(({ id }) => id);

/**
 * `models` of `atelier.yaml`: models of the contract switched on or off, and models of the operator's own. A schema
 * may stand in a file beside that one, which lies in `folder`.
 */
export function readModels(models: unknown, folder: string): ParsedModels {
  const issues: Issue[] = [];
  const disabled: string[] = [];
  const invalid = new Set<string>();
  const own: Model[] = [];
  const read = parseSettings(written, models ?? {});
  for (const issue of issuesOf(read)) tell(issue.message, ...issue.path);
  for (const [id, value] of Object.entries(read.data ?? {})) {
    if (contractCatalog.find(id)) readSwitch(id, value);
    else if (typeof value === 'string') tell(`there is no such model${didYouMean(id, contractIds)}`, id);
    else readOwn(id, value);
  }
  if (own.length > maxCustomModels) tell(`must be at most ${maxCustomModels} models of your own`);
  return { catalog: openCatalog([...contractCatalog.all, ...own]), invalid, disabled, issues };

  function readSwitch(id: string, value: unknown): void {
    const parsed = modelSwitch.safeParse(value);
    if (!parsed.success) tell(parsed.error.issues[0]?.message ?? '', id);
    if (parsed.data === 'off') disabled.push(id);
  }

  function readOwn(id: string, value: unknown): void {
    const read = readOne(id, value);
    if (!read) {
      invalid.add(id);
      return;
    }
    own.push(read.model);
    if (read.isOff) disabled.push(id);
  }

  /** Null where something is wrong, which is told. */
  function readOne(id: string, value: unknown): { readonly model: Model; readonly isOff: boolean } | null {
    const named = customModelId.safeParse(id);
    for (const { message } of named.error?.issues ?? []) tell(message, id);
    const whole = inlineSchemaFile(value, folder);
    if (typeof whole === 'string') {
      tell(whole, id, 'schema_file');
      return null;
    }
    const model = readCustomModel(id, whole);
    if (model.ok) return named.success ? model : null;
    for (const { path, reason } of model.faults) tell(reason, id, ...path.split('.').filter(Boolean));
    return null;
  }

  function tell(message: string, ...path: readonly PropertyKey[]): void {
    issues.push({ path: ['models', ...path], message });
  }
}

/** With what stands in its `schema_file`; a sentence where that cannot be had. */
function inlineSchemaFile(value: unknown, folder: string): unknown {
  const { schema_file: file, ...model } = members.safeParse(value).data ?? {};
  if (file === undefined) return value;
  if (typeof file !== 'string') return 'must be the path of a file';
  if (model.schema !== undefined) return 'stands beside a schema: one of them';
  try {
    const text = readFileSync(resolve(folder, file), 'utf8');
    if (Buffer.byteLength(text) > 2 * maxSchemaBytes)
      return `must be at most ${(2 * maxSchemaBytes) / 1024} KiB`;
    const schema: unknown = parseYaml(text);
    return { ...model, schema };
  } catch {
    return `nothing can be read from ${file}`;
  }
}
