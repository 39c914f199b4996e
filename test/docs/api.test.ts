/** The page of the protocol has every documented endpoint. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { templateOf } from '../../src/http/openapi.ts';
import { methodsOf } from '../../src/http/route.ts';
import { routes } from '../../src/http/route-list.ts';

/** A path whose parameters have no names: the page shortens them. */
const withoutNames = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

test('docs/api.md has every path of the OpenAPI document, with its method', async () => {
  const page = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const written = [...page.matchAll(/`(GET|POST|PUT|DELETE) ([^ ?`]+)[^`]*`/g)].map(
    ([, method, path = '']) => `${method} ${withoutNames(path.replace('…', '/v1/queue/{model_id}'))}`,
  );
  const documented = routes
    .filter(({ docs }) => !('undocumented' in docs))
    .map(route => `${methodsOf(route)[0]} ${withoutNames(templateOf(route.path))}`);
  assert.deepEqual(
    documented.filter(name => !written.includes(name)),
    [],
  );
});
