/** Ids of jobs, files and keys: form, order and checksum. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hashApiKey,
  isWellFormedApiKey,
  mayBeJobId,
  newApiKeySecret,
  newFileId,
  newJobId,
  newKeyId,
  newUserId,
  newWorkerId,
  parseFileId,
  parseJobId,
  uuidv7,
} from '../../src/domain/ids.ts';

test('a job id is a UUID of version 7 that carries its time', () => {
  const at = Date.UTC(2026, 4, 21, 7, 33, 38, 123);
  const id = newJobId(at);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), at);
});

test('a later id sorts after an earlier one', () => {
  const times = [0, 1, 255, 256, 65_535, 65_536, 2 ** 40, 2 ** 41, 2 ** 48 - 1];
  const ids = times.map(uuidv7);
  assert.deepEqual(ids.toSorted(), ids);
});

test('ids of one millisecond differ', () => {
  assert.equal(new Set(Array.from({ length: 10_000 }, () => uuidv7(0))).size, 10_000);
});

test('every id has its prefix and its length', () => {
  assert.match(newFileId(), /^file_[0-9A-Za-z]{24}$/);
  assert.match(newUserId(), /^user_[0-9A-Za-z]{16}$/);
  assert.match(newKeyId(), /^key_[0-9A-Za-z]{16}$/);
  assert.match(newWorkerId(), /^worker_[0-9A-Za-z]{16}$/);
  assert.match(newApiKeySecret(), /^atl_[0-9A-Za-z]{36}$/);
});

test('what a client wrote is an id only in its exact form', () => {
  const [jobId, fileId] = [newJobId(1), newFileId()];
  assert.equal(parseJobId(jobId), jobId);
  assert.equal(parseFileId(fileId), fileId);
  for (const wrong of [
    '',
    jobId.toUpperCase().replace(/\d/g, 'A'),
    `${jobId}\n`,
    ` ${jobId}`,
    jobId.slice(1),
    `${jobId}0`,
  ]) {
    assert.equal(parseJobId(wrong), null);
  }
  for (const wrong of [
    '',
    `${fileId}\n`,
    fileId.slice(0, -1),
    `${fileId}0`,
    fileId.replace('file_', 'File_'),
    `file_${'-'.repeat(24)}`,
  ]) {
    assert.equal(parseFileId(wrong), null);
  }
});

test('a key checks itself: one changed character or a swap of two is seen', () => {
  const secret = newApiKeySecret();
  assert.equal(isWellFormedApiKey(secret), true);
  for (let at = 4; at < secret.length; at++) {
    const other = secret[at] === 'x' ? 'y' : 'x';
    assert.equal(isWellFormedApiKey(secret.slice(0, at) + other + secret.slice(at + 1)), false);
    const [one, two] = [secret[at]!, secret[at + 1] ?? ''];
    if (two !== '' && one !== two) {
      assert.equal(isWellFormedApiKey(secret.slice(0, at) + two + one + secret.slice(at + 2)), false);
    }
  }
  for (const wrong of ['', secret.slice(1), `${secret} `, `${secret}\n`, secret.slice(0, -1), `${secret}A`]) {
    assert.equal(isWellFormedApiKey(wrong), false);
  }
});

test('a key is kept as its SHA-256', () => {
  assert.equal(hashApiKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('whatever could be read as a job id of ours is distinguished from the ids of upstreams', () => {
  const id = newJobId(Date.UTC(2026, 4, 21));
  for (const text of [id, id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`, `${id}/..`])
    assert.equal(mayBeJobId(text), true, text);
  for (const text of ['b1f0c8de-0000-4000-8000-000000000001', 'task_8Zk2', '', '1234567890'])
    assert.equal(mayBeJobId(text), false, text);
});
