/** Address, region and credentials of a bucket. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { parseS3Address } from '../../src/domain/s3-location.ts';

const form = 'must be s3://bucket/prefix?endpoint=…&region=…';
const bucket = 'the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens';
const prefix =
  'the prefix must have at most 512 letters, digits, dots, hyphens, underscores and single slashes';
const credentials = 'must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
const endpoint = 'the endpoint must be an http or https URL without a query';

describe('the address of a bucket', () => {
  for (const [text, parsed] of [
    ['s3://bucket', { bucket: 'bucket', prefix: '', endpoint: null, region: null }],
    ['s3://bucket/', { bucket: 'bucket', prefix: '', endpoint: null, region: null }],
    [
      's3://my.bucket-1/a/b_c?region=eu-central-1',
      { bucket: 'my.bucket-1', prefix: 'a/b_c/', endpoint: null, region: 'eu-central-1' },
    ],
    [
      's3://bucket/a/?endpoint=http://127.0.0.1:9000/',
      { bucket: 'bucket', prefix: 'a/', endpoint: 'http://127.0.0.1:9000', region: null },
    ],
    [
      's3://bucket?endpoint=https%3A%2F%2Fs3.test&region=auto',
      { bucket: 'bucket', prefix: '', endpoint: 'https://s3.test', region: 'auto' },
    ],
  ] as const) {
    test(`${text} is read`, () => assert.deepEqual(parseS3Address(text), parsed));
  }

  for (const [text, ...faults] of [
    ['bucket/prefix', form],
    ['https://bucket.s3.test/', form],
    ['s3://ab', bucket],
    ['s3://My-Bucket', bucket],
    ['s3://bucket-', bucket],
    ['s3:///prefix', bucket],
    ['s3://bucket/a//b', prefix],
    ['s3://bucket/a b', prefix],
    [`s3://bucket/${'a'.repeat(600)}`, prefix],
    ['s3://key:secret@bucket', credentials],
    ['s3://bucket:9000/a', 'must have neither a port nor a fragment'],
    ['s3://bucket?endpoint=s3.test', endpoint],
    ['s3://bucket?endpoint=ftp://s3.test', endpoint],
    ['s3://bucket?endpoint=http://s3.test%3Fa', endpoint],
    ['s3://bucket?region=a/b', 'the region is invalid'],
    ['s3://bucket?regoin=a', 'unknown parameter regoin'],
    ['s3://bucket?region=a&region=b', 'region must be given once'],
    ['s3://A/b b?endpoint=x&zone=1', bucket, prefix, 'unknown parameter zone', endpoint],
  ] as const) {
    test(`${text.slice(0, 60)} is refused with every fault`, () =>
      assert.deepEqual(parseS3Address(text), { faults }));
  }
});

describe('the place of the blobs', () => {
  const read = (env: Readonly<Record<string, string>>) => readConfig(env).s3;
  const keys = { AWS_ACCESS_KEY_ID: 'an id', AWS_SECRET_ACCESS_KEY: 'a secret' };

  test('is a folder where nothing is said, whatever AWS_ says', () => {
    assert.equal(read({ AWS_ACCESS_KEY_ID: 'alone', AWS_REGION: 'eu-west-1' }), null);
  });

  test('takes region and credentials from the usual variables', () => {
    const env = { ATELIER_BLOBS_URL: 's3://bucket/a', AWS_DEFAULT_REGION: 'eu-west-2', ...keys };
    const place = { bucket: 'bucket', prefix: 'a/', endpoint: null };
    const own = { accessKeyId: 'an id', secretAccessKey: 'a secret' };
    assert.deepEqual(read(env), { ...place, region: 'eu-west-2', credentials: own });
    assert.deepEqual(read({ ...env, AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: 'a token' }), {
      ...place,
      region: 'eu-west-1',
      credentials: { ...own, sessionToken: 'a token' },
    });
  });

  test('prefers the region of the address, and needs none for another server', () => {
    const region = (url: string, env = {}) => read({ ATELIER_BLOBS_URL: url, ...env })?.region;
    assert.equal(region('s3://bucket?region=eu-south-1', { AWS_REGION: 'eu-west-1' }), 'eu-south-1');
    assert.equal(region('s3://bucket?endpoint=http://s3.test'), 'us-east-1');
  });

  test('leaves credentials to the SDK where no variable contains them', () => {
    assert.equal(read({ ATELIER_BLOBS_URL: 's3://bucket?region=eu-west-1' })?.credentials, null);
  });

  test('has all its faults reported at once', () => {
    const env = { ATELIER_BLOBS_URL: 's3://bucket', AWS_ACCESS_KEY_ID: 'an id', ATELIER_PORT: 'x' };
    assert.throws(() => readConfig(env), {
      name: 'ConfigError',
      message: [
        'ATELIER_PORT: must be a number',
        'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: must be set both, or neither',
        'ATELIER_BLOBS_URL: must name a region (…?region=eu-central-1), or AWS_REGION must be set',
      ].join('\n'),
    });
  });
});
