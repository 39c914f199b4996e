/** `atelier models import`: reads a published schema and writes the model, its mapping and its route into `atelier.yaml`. */
import { readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { parse } from 'yaml';
import { customModelId } from '../catalog/custom/model.ts';
import type { Kind } from '../catalog/model.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { type AddedModel, modelYaml, setModel } from '../config/edit-settings.ts';
import { readSettings, replaceSettings, settingsPath, writeCandidate } from '../config/settings-candidate.ts';
import { importComfyui } from '../imports/comfyui.ts';
import { falSchemaUrl, importFal } from '../imports/fal.ts';
import { ImportError } from '../imports/import-error.ts';
import type { ImportedModel } from '../imports/imported-model.ts';
import { importOpenapi } from '../imports/openapi.ts';
import { importReplicate, replicateSchemaPath } from '../imports/replicate.ts';
import { isRecord } from './client/input-fields.ts';
import { CommandError } from './command-error.ts';
import { fetchSchema } from './fetch-schema.ts';
import { print } from './print.ts';

/** Where a model comes from. */
export type ImportSource = 'fal' | 'replicate' | 'comfyui' | 'openapi';

/** Options of every `models import`. */
export interface ImportOptions {
  /** The id here; default: from the name at the upstream. */
  readonly id?: string;
  /** The account that the route leads to; default: the only one of the provider. */
  readonly account?: string;
  readonly kind?: string;
  /** The schema itself: an address or a file. */
  readonly schema?: string;
  /** Path of the operation, of an OpenAPI document. */
  readonly operation?: string;
  readonly dryRun?: true;
  readonly replace?: true;
  readonly json?: true;
}

/** An account as it is written. */
interface WrittenAccount {
  readonly id: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Runs one import. Throws `CommandError` with a sentence that says what to do; the file is then as it was. */
export async function importModelCommand(
  source: ImportSource,
  name: string,
  options: ImportOptions,
): Promise<void> {
  const text = await readSettings(settingsPath());
  const written = writtenIn(text);
  const account = accountOf(written, source, options);
  const read = { account, kind: kindOf(options), options };
  const imported = await readModel(source, name, read).catch(explainImport);
  const id = idOf(options, imported);
  refuseKnownId(written, id, options);
  const added = { id, model: imported.model, routes: [{ account: account.id, ...imported.route }] };
  if (!options.dryRun) await write(setModel(text, added), id);
  report({ account, imported, added }, options);
}

/** A mapping of YAML. */
type Members = Readonly<Record<string, unknown>>;

/** The settings as they are written: secrets and references are not read. */
function writtenIn(text: string): Members {
  try {
    const written: unknown = parse(text) ?? {};
    if (isRecord(written)) return written;
  } catch {
    // Reported below, by the command that names the line.
  }
  throw new CommandError(`${settingsPath()} is not valid YAML: atelier config check names the line.`);
}

/** A mapping within the settings; an empty one where it is absent or something else. */
const membersAt = (written: Members, name: string): Members => {
  const found = written[name];
  return isRecord(found) ? found : {};
};

/** Replaces the file, unless the gateway would refuse the model or its routes. */
async function write(text: string, id: string): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const candidate = await writeCandidate(settingsPath(), text, cleanup);
  refuseFaults(faultsOf(candidate), id);
  await replaceSettings(settingsPath(), candidate);
}

/** What is wrong with the settings of a file, a line each. */
function faultsOf(path: string): readonly string[] {
  try {
    readConfig({ ...process.env, ATELIER_CONFIG: path });
    return [];
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure;
    return failure.message.replaceAll(path, settingsPath()).split('\n');
  }
}

/** Values of `--kind`. */
const kinds: readonly string[] = ['video', 'image', 'speech'];

/** The kind that was named; null leaves it to the schema. */
function kindOf({ kind }: ImportOptions): Kind | null {
  if (kind === undefined) return null;
  if (kind === 'video' || kind === 'image' || kind === 'speech') return kind;
  throw new CommandError(`--kind must be one of ${kinds.join(', ')}`);
}

/** The provider of the accounts that a source is made by; null: any. */
const providerOf = (source: ImportSource): string | null => (source === 'openapi' ? null : source);

/** The account of the route: the one that is named, or the only one of the provider. */
function accountOf(
  written: Members,
  source: ImportSource,
  { account: wanted }: ImportOptions,
): WrittenAccount {
  const path = settingsPath();
  const accounts = Object.entries(membersAt(written, 'accounts')).flatMap(([id, settings]) =>
    isRecord(settings) ? [{ id, provider: String(settings.provider), settings }] : [],
  );
  const provider = providerOf(source);
  const fitting = accounts.filter(account => provider === null || account.provider === provider);
  const found = wanted === undefined ? fitting : fitting.filter(({ id }) => id === wanted);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const which = provider === null ? 'account' : `account of the provider ${provider}`;
  if (only)
    throw new CommandError(
      `${path} has several accounts: name one with --account. There are: ${found.map(({ id }) => id).join(', ')}.`,
    );
  throw new CommandError(
    wanted === undefined
      ? `${path} has no ${which}: add it first (atelier providers add, or docs/providers.md).`
      : `${path} has no ${which} that is called ${wanted}. See: atelier providers list`,
  );
}

/** What reading a schema needs beside the name of the model. */
interface ReadOptions {
  readonly account: WrittenAccount;
  readonly kind: Kind | null;
  readonly options: ImportOptions;
}

/** Fetches and reads the schema of one model. */
async function readModel(
  source: ImportSource,
  name: string,
  { account, kind, options }: ReadOptions,
): Promise<ImportedModel> {
  switch (source) {
    case 'fal': {
      const from = options.schema ?? falSchemaUrl(name);
      return importFal(name, await fetchSchema(from), { kind, from });
    }
    case 'replicate': {
      if (!/^[\w.-]+\/[\w.-]+(?::\w+)?$/.test(name))
        throw new CommandError(
          `${name} is not a model of Replicate: write OWNER/NAME, or OWNER/NAME:VERSION.`,
        );
      const { base_url: base = 'https://api.replicate.com/v1' } = account.settings;
      const from = options.schema ?? `${String(base).replace(/\/+$/, '')}${replicateSchemaPath(name)}`;
      // The key goes to the host of the account alone.
      const keyed = options.schema === undefined ? account.settings : null;
      return importReplicate(name, await fetchSchema(from, keyed), { kind, from });
    }
    case 'comfyui': {
      const file = resolve(name);
      return importComfyui(readJson(name), { name: basename(name, extname(name)), file, kind });
    }
    case 'openapi':
      return importOpenapi(await fetchSchema(name, null, account.settings), {
        kind,
        from: name,
        operation: options.operation ?? null,
        provider: account.provider,
      });
  }
}

/** A file of this machine as JSON. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (failure) {
    const reason = failure instanceof SyntaxError ? 'it is not JSON' : 'it cannot be read';
    throw new CommandError(
      `${path}: ${reason}. Give the file that ComfyUI exports by Workflow → Export (API).`,
    );
  }
}

/** Faults of the schema are faults of the command; anything else is a bug. */
function explainImport(failure: unknown): never {
  throw failure instanceof ImportError
    ? new CommandError(`Nothing was written: ${failure.message}`)
    : failure;
}

/** The id here: the one that was named, or the one made from the upstream's name. */
function idOf({ id: wanted }: ImportOptions, imported: ImportedModel): string {
  const id = customModelId.safeParse(wanted ?? imported.id);
  if (id.success) return id.data;
  throw new CommandError(
    `The id ${wanted ?? imported.id} ${id.error.issues[0]?.message}: choose one with --id.`,
  );
}

/** A model or a route of that id is replaced on request alone. */
function refuseKnownId(written: Members, id: string, { replace }: ImportOptions): void {
  const isKnown =
    Object.hasOwn(membersAt(written, 'models'), id) || Object.hasOwn(membersAt(written, 'routes'), id);
  if (replace || !isKnown) return;
  throw new CommandError(
    `${settingsPath()} has ${id} already, and nothing was written. Choose another id with --id, or replace its model and its routes with --replace.`,
  );
}

/** Faults of other parts of the settings were there before, and are reported by `config check`. */
function refuseFaults(faults: readonly string[], id: string): void {
  const own = faults.filter(line => line.includes(`models.${id}`) || line.includes(`routes.${id}`));
  if (own.length > 0)
    throw new CommandError(
      `Nothing was written, because the settings would be refused:\n${own.map(line => `  ${line}`).join('\n')}`,
    );
}

/** What was imported, and where it went. */
interface Report {
  readonly account: WrittenAccount;
  readonly imported: ImportedModel;
  readonly added: AddedModel;
}

/** What was read, what is not in it, and what to do next. */
function report({ account, imported, added }: Report, { dryRun, json }: ImportOptions): void {
  const { model, route, notes } = imported;
  const { id } = added;
  const path = settingsPath();
  if (json) {
    const written = dryRun ? null : path;
    print(JSON.stringify({ id, account: account.id, written, model, route, notes }));
    return;
  }
  // On stdout, so that it can be redirected; notes go to stderr.
  if (dryRun) print(modelYaml(added).trimEnd());
  const next = dryRun
    ? 'Nothing was written.'
    : `${id} (${model.kind}, by ${account.id}) is in ${path}. Read it there, then: atelier config check, and kill -HUP PID for a running gateway.`;
  const lines = notes.length === 0 ? [] : ['Not as published:', ...notes.map(note => `  ${note}`)];
  for (const line of [...lines, next]) process.stderr.write(`${line}\n`);
}
