/** The header X-Error-Code of every refusal. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { jobError } from '../../src/domain/job.ts';
import { bodies, create, hold, image, pathOf, speech, unknownId } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

describe('X-Error-Code', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api', isAlone: true });
    key = await gateway.key();
  });
  after(() => gateway.close());

  const codeOf = async (method: string, path: string, options = {}) => {
    const { status, headers } = await gateway.ask(method, path, options);
    return [status, headers.get('x-error-code')];
  };

  test('every refusal names itself, whatever its body', async () => {
    const json = { key, body: bodies[speech] };
    const table: readonly [string, string, object, number, string][] = [
      ['POST', `/v1/queue/${speech}`, {}, 401, 'key_missing'],
      ['GET', '/v1/jobs', { key: 'atl_x' }, 401, 'key_invalid'],
      ['POST', `/v1/queue/${speech}?webhook=1`, json, 400, 'webhook_unsupported'],
      ['POST', `/v1/queue/${speech}`, { key, body: {} }, 422, 'input_invalid'],
      ['POST', `/v1/queue/${speech}`, { key, body: '[]' }, 400, 'body_not_object'],
      ['POST', `/v1/queue/${speech}/sync`, json, 404, 'path_unknown'],
      ['GET', pathOf(unknownId, '/status'), { key }, 404, 'job_unknown'],
      ['GET', pathOf(unknownId, '/status/stream'), { key }, 400, 'stream_unsupported'],
      ['POST', '/v1/ingress/forged', { body: '{}' }, 404, 'path_unknown'],
      ['GET', '/v1/files/file_000000000000000000000000', { key }, 404, 'file_not_found'],
      ['POST', '/v1/files', { key, body: {} }, 400, 'file_request_invalid'],
      ['GET', '/v1/f/file_000000000000000000000000/a.png', {}, 403, 'invalid_signature'],
      ['GET', '/admin/v1/overview', { key }, 401, 'operator_token_invalid'],
    ];
    for (const [method, path, options, status, code] of table)
      assert.deepEqual(await codeOf(method, path, options), [status, code], `${method} ${path}`);
  });

  test('so does an answer that is no refusal and no success', async () => {
    const { request_id } = await create(gateway, key, { model: image });
    const path = pathOf(request_id, '/cancel', image);
    assert.deepEqual(await codeOf('PUT', path, { key }), [200, null]);
    assert.deepEqual(await codeOf('PUT', path, { key }), [400, 'already_completed']);
  });

  test('a success has none', async () => {
    assert.deepEqual(await codeOf('GET', '/v1/models', { key }), [200, null]);
  });

  test('the response of a failed job has its status and its code, and is logged as no error of ours', async () => {
    const { request_id } = await create(gateway, key, { model: image });
    const job = await hold(gateway, image, request_id);
    await job.settle({ kind: 'failed', error: jobError('runtime_error', 'the canvas tore') });
    const answer = await gateway.ask('GET', pathOf(request_id, '', image), { key });
    assert.deepEqual([answer.status, answer.body], [500, { detail: 'Runtime execution failed' }]);
    assert.equal(answer.headers.get('x-error-code'), 'job_failed');
    const line = gateway.logged.find(({ request }) => request === answer.headers.get('x-request-id'));
    assert.deepEqual([line?.level, line?.refusal, line?.err], [30, 'job_failed', undefined]);
  });
});
