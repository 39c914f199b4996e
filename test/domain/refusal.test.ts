/** The table of refusals: status, code, type and words. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RefusalEntry, type RefusalName, refusals, refuse } from '../../src/domain/refusal.ts';

/** Codes that clients retry by themselves: on a create that is a second paid job. */
const retriedStatuses: readonly number[] = [408, 409, 425, 429];
/** Refusals that pass with time, and the two answers about a job or a bug that decisions 2 gives such a code. */
const mayBeRetried: readonly RefusalName[] = [
  'quota_of_key_used',
  'storage_of_key_used',
  'logins_exceeded',
  'logins_full',
  'rate_exceeded',
  'bodies_of_key_full',
  'spool_of_key_full',
  'probes_of_key_full',
  'work_of_share_full',
  'waiting_of_key_full',
  'oidc_unavailable',
  'request_too_slow',
  'job_failed',
  'unavailable',
  'bodies_full',
  'spool_full',
  'probes_full',
  'waiting_full',
  'work_full',
  'work_stopped',
  'bug',
  'upload_rate_exceeded',
  'storage_quota_exceeded',
  'file_rate_exceeded',
  'file_unavailable',
  'storage_unavailable',
  'file_bug',
];

describe('the table of refusals', () => {
  const entries = Object.entries(refusals) as [RefusalName, RefusalEntry][];

  test('gives a retried status to exactly those that pass with time', () => {
    const retried = entries.filter(([, { status }]) => status >= 500 || retriedStatuses.includes(status));
    assert.deepEqual(
      retried.map(([name]) => name),
      mayBeRetried,
    );
  });

  test('says api_error for rate, overload and storage alone, invalid_request_error for the rest of the files', () => {
    const files = entries.flatMap(([name, entry]) => (entry.shape === 'file' ? [{ name, ...entry }] : []));
    assert.deepEqual(
      files.filter(entry => entry.type === 'api_error').map(entry => entry.name),
      [
        'upload_rate_exceeded',
        'storage_quota_exceeded',
        'file_rate_exceeded',
        'file_unavailable',
        'storage_unavailable',
        'file_bug',
      ],
    );
  });

  test('has the words and codes of the contract', () => {
    const messageOf = (name: RefusalName, subject = '') => refuse(name, { subject }).message;
    assert.equal(messageOf('model_unknown', 'x-1'), 'App not found: x-1');
    assert.equal(messageOf('model_forbidden'), 'Model not allowed for this user');
    assert.equal(messageOf('webhook_unsupported'), 'webhook not supported');
    assert.equal(messageOf('stream_unsupported'), 'SSE streaming not supported');
    assert.equal(messageOf('path_unknown'), 'Not Found');
    assert.equal(messageOf('job_failed'), 'Runtime execution failed');
    assert.equal(messageOf('job_unknown'), 'Request not found');
    assert.equal(refusals.key_missing.code, 'UNAUTHORIZED');
    assert.equal(refusals.rate_exceeded.code, 'RATE_LIMIT_EXCEEDED');
    const files = [
      'file_request_invalid',
      'file_required',
      'invalid_base64',
      'unsupported_file_type',
    ] as const;
    assert.deepEqual(
      files.map(name => [refusals[name].status, refusals[name].code]),
      [
        [400, 'invalid_request'],
        [400, 'file_required'],
        [400, 'invalid_base64'],
        [400, 'unsupported_file_type'],
      ],
    );
    assert.deepEqual([refusals.file_too_large.status, refusals.file_too_large.code], [413, 'file_too_large']);
    assert.deepEqual(
      [refusals.storage_unavailable.status, refusals.storage_unavailable.code],
      [500, 'storage_unavailable'],
    );
  });
});

test('a subject is put into the words as it stands', () => {
  assert.equal(
    refuse('model_unknown', { subject: '$& {subject} $1' }).message,
    'App not found: $& {subject} $1',
  );
});

test('the cause of a refusal stays out of its sentence', () => {
  const cause = new Error('the password is x');
  const refusal = refuse('unavailable', { cause });
  assert.equal(refusal.message, 'Service temporarily unavailable');
  assert.equal(refusal.cause, cause);
});
