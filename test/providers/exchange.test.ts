/** What a recording keeps of a call, and what it removes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from '../../src/providers/kit/exchange.ts';

const account = { secrets: ['key-of-the-account'], baseUrl: 'https://upstream.test/v1' };

test('keys, tokens, signed queries, media, personal members and most headers are removed', () => {
  const token = 'eyJhbGciOi.eyJpc3MiOi.c2lnbmF0dXJl';
  const kept = withoutSecrets(
    {
      request: {
        method: 'POST',
        path: '/tts?GroupId=1234&page=2',
        headers: { 'x-trace': 'a', 'content-type': 'application/json' },
        body: { image: `data:image/png;base64,${'A'.repeat(500)}`, prompt: 'A kite', note: token },
      },
      answer: {
        status: 200,
        headers: { 'retry-after': '2', 'set-cookie': 'session=1', date: 'today' },
        body: {
          url: 'https://cdn.test/a.mp4?X-Amz-Signature=abc&exp=1',
          own: 'https://upstream.test/v1/files/a?sig=abc',
          status_url: 'https://upstream.test/v1/jobs/1',
          echo: 'Bearer key-of-the-account',
          user_id: 'u1',
          email: 'ann@example.com',
          usage: { total_tokens: 7 },
          audio: 'A'.repeat(600),
        },
      },
    },
    account,
  );
  assert.deepEqual(kept, {
    request: {
      method: 'POST',
      path: '/tts?GroupId=(removed)&page=2',
      headers: { 'content-type': 'application/json' },
      body: { image: 'data:image/png;base64,AAAA', prompt: 'A kite', note: '(removed)' },
    },
    answer: {
      status: 200,
      headers: { 'retry-after': '2' },
      body: {
        url: 'https://cdn.test/a.mp4',
        own: '{base}/files/a',
        status_url: '{base}/jobs/1',
        echo: 'Bearer (removed)',
        user_id: '(removed)',
        email: '(removed)',
        usage: { total_tokens: 7 },
        audio: 'AAAA',
      },
    },
  });
});
