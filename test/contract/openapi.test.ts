/** GET /openapi.json: made from the catalog, complete, and free of lint faults. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { models } from '../../src/catalog/index.ts';
import { openApi } from '../../src/http/openapi.ts';
import { routes } from '../../src/http/route-list.ts';
import { startGateway } from '../../testkit/gateway/gateway.ts';

test('the published document is the one that is made from the catalog, and needs no key', async () => {
  const gateway = await startGateway({ role: 'api' });
  try {
    const answer = await gateway.ask('GET', '/openapi.json');
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, JSON.parse(JSON.stringify(openApi(routes, gateway.url))));
  } finally {
    await gateway.close();
  }
});

test('it has one create operation a model, with the input of that model', () => {
  const { paths } = JSON.parse(JSON.stringify(openApi(routes, 'https://gateway.test')));
  for (const { id } of models) {
    const { post } = paths[`/v1/queue/${id}`];
    assert.deepEqual(post.requestBody.content['application/json'].schema, {
      $ref: `#/components/schemas/${id}.input`,
    });
  }
});

test('a public linter finds nothing wrong with it', async () => {
  // One operation answers with a redirect and nothing else.
  const config = await createConfig({ extends: ['recommended'], rules: { 'operation-2xx-response': 'off' } });
  const problems = await lintFromString({
    source: JSON.stringify(openApi(routes, 'https://gateway.test')),
    config,
  });
  assert.deepEqual(
    problems.map(({ severity, ruleId, message, location }) => ({
      severity,
      ruleId,
      message,
      at: location[0]?.pointer,
    })),
    [],
  );
});
