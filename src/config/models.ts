/** Reads `models` of `atelier.yaml`: contract models switched on or off, and custom models. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Catalog, openCatalog } from '../catalog/catalog.ts';
import { customModelId, maxCustomModels, readCustomModel } from '../catalog/custom/model.ts';
import { maxSchemaBytes } from '../catalog/custom/schema.ts';
import { contractCatalog } from '../catalog/index.ts';
import type { Model } from '../catalog/model.ts';
import { loadYaml } from '../domain/lazy-packages.ts';
import { didYouMean, type Issue, type IssueList, openIssueList, parseSettings } from './issues.ts';

/** What `models` means, with its faults. */
export interface ParsedModels {
  readonly catalog: Catalog;
  /** Ids of models that are described with faults: they are in the settings, but not in the catalog. */
  readonly invalid: ReadonlySet<string>;
  /** Ids of models that clients cannot see or use. */
  readonly disabled: readonly string[];
  readonly issues: readonly Issue[];
}

/** The value of a contract model. */
export const modelSwitch = z.enum(['on', 'off'], { error: 'must be on or off' });
const written = z.record(z.string(), z.unknown(), { error: 'must be models by their ids' });
const members = z.looseObject({});
const contractIds = contractCatalog.all.map(({ id }) => id);

/** `folder` is that of `atelier.yaml`: a custom model may have its schema in a file beside it. */
export function readModels(models: unknown, folder: string): ParsedModels {
  const issues = openIssueList();
  const disabled: string[] = [];
  const invalid = new Set<string>();
  const custom: Model[] = [];
  const entries = issues.valueOf(parseSettings(written, models ?? {}), 'models') ?? {};
  for (const [id, value] of Object.entries(entries)) {
    if (contractCatalog.find(id)) {
      if (readSwitch(issues, id, value) === 'off') disabled.push(id);
    } else if (typeof value === 'string') {
      issues.add(`there is no such model${didYouMean(id, contractIds)}`, 'models', id);
    } else {
      const read = readCustomEntry(issues, id, value, folder);
      if (read) custom.push(read.model);
      else invalid.add(id);
      if (read?.isOff) disabled.push(id);
    }
  }
  if (custom.length > maxCustomModels)
    issues.add(`must be at most ${maxCustomModels} models of your own`, 'models');
  return {
    catalog: openCatalog([...contractCatalog.all, ...custom]),
    invalid,
    disabled,
    issues: issues.list,
  };
}

/** Undefined for anything but `on` or `off`, which is an issue. */
function readSwitch(issues: IssueList, id: string, value: unknown): 'on' | 'off' | undefined {
  const parsed = modelSwitch.safeParse(value);
  if (!parsed.success) issues.add(parsed.error.issues[0]?.message ?? '', 'models', id);
  return parsed.data;
}

/** Null where the description has a fault, which is then in `issues`. */
function readCustomEntry(
  issues: IssueList,
  id: string,
  value: unknown,
  folder: string,
): { readonly model: Model; readonly isOff: boolean } | null {
  const parsedId = customModelId.safeParse(id);
  for (const { message } of parsedId.error?.issues ?? []) issues.add(message, 'models', id);
  const whole = inlineSchemaFile(value, folder);
  if (typeof whole === 'string') {
    issues.add(whole, 'models', id, 'schema_file');
    return null;
  }
  const model = readCustomModel(id, whole);
  if (model.ok) return parsedId.success ? model : null;
  for (const { path, reason } of model.faults)
    issues.add(reason, 'models', id, ...path.split('.').filter(Boolean));
  return null;
}

/** The description with the content of its `schema_file` as `schema`; a sentence where the file cannot be used. */
function inlineSchemaFile(value: unknown, folder: string): unknown {
  const { schema_file: file, ...model } = members.safeParse(value).data ?? {};
  if (file === undefined) return value;
  if (typeof file !== 'string') return 'must be the path of a file';
  if (model.schema !== undefined) return 'set schema or schema_file, not both';
  try {
    const text = readFileSync(resolve(folder, file), 'utf8');
    if (Buffer.byteLength(text) > 2 * maxSchemaBytes)
      return `must be at most ${(2 * maxSchemaBytes) / 1024} KiB`;
    const schema: unknown = loadYaml().parse(text);
    return { ...model, schema };
  } catch {
    return `cannot read ${file}`;
  }
}
