/** The JSON Schema of atelier.yaml accepts what the program accepts. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../src/config/json-schema.ts';
import { runProgram } from '../../testkit/gateway/program.ts';

const docs = new URL('../../docs/', import.meta.url);
type Written = Parameters<typeof z.fromJSONSchema>[0];

describe('the schema of atelier.yaml', () => {
  let schema: z.ZodType;
  before(() => {
    schema = z.fromJSONSchema(configSchema() as Written);
  });
  const takes = (settings: unknown): boolean => schema.safeParse(settings).success;

  test('stands in docs/atelier.schema.json as `atelier config schema` prints it', async () => {
    const { code, stdout, stderr } = await runProgram(['config', 'schema']);
    assert.deepEqual([code, stderr], [0, '']);
    const kept = await readFile(new URL('atelier.schema.json', docs), 'utf8');
    assert.deepEqual(JSON.parse(kept), JSON.parse(stdout));
  });

  test('accepts the accounts and routes in the page of every provider', async () => {
    const pages = await readdir(new URL('providers/', docs));
    for (const page of pages) {
      const text = await readFile(new URL(`providers/${page}`, docs), 'utf8');
      const parts = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, part]) => parseYaml(part!));
      const examples = parts.filter(part => 'accounts' in part);
      assert.equal(examples.length > 0, true, page);
      for (const example of examples) assert.equal(takes(example), true, JSON.stringify(example));
    }
  });

  test('accepts the model of one’s own in the page about models', async () => {
    const text = await readFile(new URL('adding-a-model.md', docs), 'utf8');
    assert.equal(takes(parseYaml(/```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? '')), true);
  });

  const studio = { provider: 'fal', api_key: 'env:KEY' };
  const refused: Readonly<Record<string, unknown>> = {
    'a member that is not there': { limit: {} },
    'a secret in the file itself': { accounts: { studio: { ...studio, api_key: 'sk-1234' } } },
    'an account without its secret': { accounts: { studio: { provider: 'fal' } } },
    'a provider that is not there': { accounts: { studio: { ...studio, provider: 'fall' } } },
    "another provider's setting": { accounts: { studio: { ...studio, dedupe: 'replay' } } },
    'a name in capitals': { accounts: { Studio: studio } },
    'a route of a model that cannot be': { routes: { 'eta 9': [{ account: 'local' }] } },
    'a model of no kind': {
      models: { eta9: { title: 'Nine', summary: 'Draws.', schema: {}, examples: [{}] } },
    },
    'a model without its schema': {
      models: { eta9: { kind: 'video', title: 'Nine', summary: 'Draws.', examples: [{}] } },
    },
    'an unknown model that is off': { models: { eta9: 'off' } },
    'an unknown switch of a route': { routes: { 'beta-edit': [{ account: 'local', fast: true }] } },
    'a model that is neither on nor off': { models: { 'beta-edit': 'maybe' } },
    'a limit beyond its bound': { limits: { waiting: { per_key: 0 } } },
  };
  for (const [what, settings] of Object.entries(refused)) {
    test(`refuses ${what}`, () => assert.equal(takes(settings), false));
  }
  test('accepts what it refuses once it is corrected', () => {
    const right = {
      limits: { waiting: { per_key: 1 } },
      models: {
        'beta-edit': 'off',
        eta9: { kind: 'video', title: 'Nine', summary: 'Draws.', schema_file: './nine.json', examples: [{}] },
      },
      accounts: { studio },
      routes: { 'beta-upscale': [{ account: 'local' }] },
    };
    assert.equal(takes(right), true);
  });
});
