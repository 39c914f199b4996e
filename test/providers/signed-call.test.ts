/** The signature of a call from Vidu. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutes } from '../../src/domain/clock.ts';
import { jobIdFromRow } from '../../src/domain/ids.ts';
import type { IngressRequest } from '../../src/domain/upstream-webhook-address.ts';
import { openIngress } from '../../src/domain/upstream-webhook-address.ts';
import {
  isWebhookSecret,
  verifyViduSignature,
  verifyWebhookSignature,
} from '../../src/providers/kit/webhook-signature.ts';

describe('a call that Vidu signed', () => {
  const key = 'vda_TEST';
  const date = 'Tue, 14 Oct 2025 08:00:00 GMT';
  const call: IngressRequest = {
    url: 'https://gateway.test/cb/vidu/t0ken',
    headers: {
      date,
      'x-request-nonce': 'n0nce',
      'x-hmac-access-key': 'vidu',
      'x-hmac-algorithm': 'hmac-sha256',
      'x-hmac-signed-headers': 'Date;x-request-nonce',
      'x-hmac-signature': 'J3SY4DWsYUnS0ehiGi9yj9bIMyQyDU3HM5WBWh/VDtM=',
    },
    body: Buffer.from('{"state":"success"}'),
    now: Date.parse(date),
  };
  const withHeader = (name: string, value: string | undefined): IngressRequest => ({
    ...call,
    headers: { ...call.headers, [name]: value },
  });

  test('is known by its golden vector', () => {
    assert.equal(verifyViduSignature(key, call), true);
  });
  test('covers its query', () => {
    const url = `${call.url}?name=james&age=36`;
    const signed = withHeader('x-hmac-signature', '+J5JMBdZPK85Etla4tA0zhblQCfvV2+o9zw3iP+bEp8=');
    assert.equal(verifyViduSignature(key, { ...signed, url }), true);
    assert.equal(verifyViduSignature(key, { ...call, url }), false);
  });
  test('is refused under another key, path, date or nonce, or without a signature', () => {
    assert.equal(verifyViduSignature('vda_OTHER', call), false);
    assert.equal(verifyViduSignature(key, { ...call, url: 'https://gateway.test/cb/vidu/other' }), false);
    assert.equal(verifyViduSignature(key, withHeader('date', 'Tue, 14 Oct 2025 08:00:01 GMT')), false);
    assert.equal(verifyViduSignature(key, withHeader('x-request-nonce', 'other')), false);
    assert.equal(verifyViduSignature(key, withHeader('x-hmac-signature', undefined)), false);
    assert.equal(verifyViduSignature(key, { ...call, headers: {} }), false);
  });
  test('is good for five minutes', () => {
    assert.equal(verifyViduSignature(key, { ...call, now: call.now + 5 * minutes }), true);
    assert.equal(verifyViduSignature(key, { ...call, now: call.now + 5 * minutes + 1 }), false);
    assert.equal(verifyViduSignature(key, { ...call, now: call.now - 5 * minutes - 1 }), false);
  });
});

describe('a call that is signed by Standard Webhooks', () => {
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
  const right = 'v1,aeGQrhHhNhoW9Oc3DYNVZICurtFWD7mPimikY2KeOMo=';
  const call: IngressRequest = {
    url: 'https://gateway.test/t0ken',
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1760000000', 'webhook-signature': right },
    body: Buffer.from('{"id":"p1","status":"succeeded"}'),
    now: 1_760_000_000_000,
  };
  const signedBy = (signature: string): IngressRequest => ({
    ...call,
    headers: { ...call.headers, 'webhook-signature': signature },
  });

  test('is known by its golden vector, alone and among others', () => {
    assert.equal(verifyWebhookSignature(secret, call), true);
    assert.equal(verifyWebhookSignature(secret, signedBy(`v1,AAAA ${right}`)), true);
  });
  test('is refused with another body, secret or time, or without a signature', () => {
    assert.equal(verifyWebhookSignature(secret, { ...call, body: Buffer.from('{}') }), false);
    assert.equal(verifyWebhookSignature('whsec_b3RoZXI=', call), false);
    assert.equal(verifyWebhookSignature(secret, { ...call, now: call.now + 5 * minutes + 1 }), false);
    assert.equal(verifyWebhookSignature(secret, signedBy('v1,AAAA')), false);
    assert.equal(verifyWebhookSignature(secret, { ...call, headers: {} }), false);
  });
  test('has a secret that is written in one way', () => {
    assert.equal(isWebhookSecret(secret), true);
    assert.equal(isWebhookSecret('whsec_'), false);
    assert.equal(isWebhookSecret('MDEyMzQ1Njc4OWFiY2RlZg=='), false);
  });
});

describe('the token of an address to call', () => {
  const calledFor = {
    account: 'studio',
    jobId: jobIdFromRow('019e0000-0000-7000-8000-000000000001'),
    attempt: 2,
  };
  const ingress = openIngress('a secret of sixteen and more');
  const token = ingress.pathOf(calledFor).replace('/v1/ingress/', '');
  const [account = '', jobId = '', attempt = '', mac = ''] = token.split('.');

  test('names the attempt, in every process that has the secret', () => {
    assert.deepEqual(openIngress('a secret of sixteen and more').read(token), calledFor);
  });
  test('is of no use in another installation', () => {
    assert.equal(openIngress('another secret of the same kind').read(token), null);
  });
  test('is ours to the letter or not at all', () => {
    const forged = [
      `other.${jobId}.${attempt}.${mac}`,
      `${account}.${jobId.replace(/1$/, '2')}.${attempt}.${mac}`,
      `${account}.${jobId}.3.${mac}`,
      `${account}.${jobId}.02.${mac}`,
      `${account}.${jobId}.${attempt}.${mac.slice(1)}`,
      `${account}.${jobId}.${attempt}.${'A'.repeat(43)}`,
      `${token}A`,
      '',
    ];
    for (const text of forged) assert.equal(ingress.read(text), null, text);
    const last = mac.slice(-1);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
    for (const letter of others.filter(other => other !== last))
      assert.equal(ingress.read(token.slice(0, -1) + letter), null, letter);
  });
});
