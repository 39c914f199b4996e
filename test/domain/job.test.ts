/** States of a job, their public words, and its errors. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isFinal, type JobErrorCode, jobError, publicStatus, transitions } from '../../src/domain/job.ts';

describe('the states of a job', () => {
  test('follow each other along these edges and no others', () => {
    assert.deepEqual(transitions, {
      available: ['running', 'failed', 'cancelled'],
      running: ['available', 'completed', 'failed', 'cancelled'],
      completed: [],
      failed: [],
      cancelled: [],
    });
  });
  test('show themselves as three words, every end as COMPLETED', () => {
    assert.equal(publicStatus('available'), 'IN_QUEUE');
    assert.equal(publicStatus('running'), 'IN_PROGRESS');
    for (const state of ['completed', 'failed', 'cancelled'] as const)
      assert.equal(publicStatus(state), 'COMPLETED');
  });
  test('are final exactly where they are shown as COMPLETED', () => {
    for (const state of ['available', 'running', 'completed', 'failed', 'cancelled'] as const) {
      assert.equal(isFinal(state), publicStatus(state) === 'COMPLETED');
    }
  });
});

describe('the error of a job', () => {
  const retryable: Readonly<Record<JobErrorCode, boolean>> = {
    runtime_error: false,
    invalid_input: false,
    file_download_error: false,
    file_invalid: false,
    content_policy_violation: false,
    provider_unavailable: true,
    submission_uncertain: false,
    expired: true,
    cancelled: false,
    response_too_large: false,
    internal_error: true,
  };
  for (const [code, expected] of Object.entries(retryable)) {
    test(`${code} says that the same job ${expected ? 'may help' : 'does not help'}`, () => {
      assert.deepEqual(jobError(code as JobErrorCode, 'it broke'), {
        code,
        message: 'Runtime execution failed: it broke',
        retryable: expected,
      });
    });
  }
  test('names the provider only where an upstream said something', () => {
    const provider = { code: 'E7', message: 'no' };
    assert.deepEqual(jobError('runtime_error', 'x', provider).provider, provider);
    assert.equal('provider' in jobError('runtime_error', 'x'), false);
  });
});
