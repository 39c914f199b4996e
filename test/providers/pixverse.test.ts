/** The provider pixverse: conformance, and the trace id. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { traceIdOf } from '../../src/providers/pixverse/index.ts';
import { openMediaSite } from '../../testkit/media/media-site.ts';
import { pictureNumber, pixverse } from '../../testkit/upstreams/pixverse.ts';
import { conformance } from './conformance.ts';

const site = openMediaSite();
after(() => site.close());
const image = `${site.url}/portrait.png`;

const problem = (ErrCode: number, ErrMsg = 'not good') => ({ ErrCode, ErrMsg, Resp: null });
const ended = (status: number, more = {}) => ({ Resp: { id: 1, status, url: '', ...more } });
const boat = { image, prompt: 'A red boat', duration: 5, quality: '720p' };

conformance({
  provider: 'pixverse',
  protocol: pixverse,
  account: url => ({ base_url: url }),
  model: 'zeta-v6-i2v',
  body: mark => ({ image, prompt: `A red boat ${mark}`, duration: 1, quality: '360p' }),
  reported: [],
  requests: [
    {
      model: 'zeta-v6-i2v',
      path: '/openapi/v2/video/img/generate',
      body: {
        img_id: pictureNumber,
        model: 'v6',
        prompt: 'Boats rock gently in the harbour',
        duration: 1,
        quality: '360p',
        generate_audio_switch: false,
        generate_multi_clip_switch: false,
      },
    },
    {
      model: 'zeta-v6-i2v',
      input: () => ({
        ...boat,
        seed: 0,
        generate_audio_switch: true,
        generate_multi_clip_switch: true,
      }),
      path: '/openapi/v2/video/img/generate',
      body: {
        img_id: pictureNumber,
        model: 'v6',
        prompt: 'A red boat',
        duration: 5,
        quality: '720p',
        generate_audio_switch: true,
        generate_multi_clip_switch: true,
        seed: 0,
      },
    },
  ],
  gaps: [['zeta-v6-i2v', { ...boat, duration: 2.5 }, 'duration: must be a whole number here']],
  says: words => problem(400017, words),
  refusals: {
    '400011 for nothing': [200, problem(400011), 'invalid_input'],
    '400013 for a type': [200, problem(400013), 'invalid_input'],
    '400017 for a value': [200, problem(400017), 'invalid_input'],
    '400018 for a long prompt': [200, problem(400018), 'invalid_input'],
    '400032 for a picture': [200, problem(400032), 'invalid_input'],
    '500008 for what is not there': [200, problem(500008), 'invalid_input'],
    '500033 for a size': [200, problem(500033), 'invalid_input'],
    '500064 for what was deleted': [200, problem(500064), 'invalid_input'],
    '500031 for a picture that cannot be read': [200, problem(500031), 'file_download_error'],
    '500054 for a picture': [200, problem(500054), 'content_policy_violation'],
    '500063 for a text': [200, problem(500063), 'content_policy_violation'],
    '400012 for the account': [200, problem(400012), 'later'],
    '401': [401, {}, 'later'],
    '404 of an address': [404, {}, 'later'],
    '500020 for a right': [200, problem(500020), 'later'],
    '500090 for the balance': [200, problem(500090), 'later'],
    '500044 for too many at once': [200, problem(500044), 'later'],
    '500069 for its load': [200, problem(500069), 'later'],
    '429': [429, problem(500044), 'later'],
    '99999 for anything': [200, problem(99999), 'unknown'],
    '500100 for its database': [200, problem(500100), 'unknown'],
    'a code that is not known': [200, problem(424242), 'unknown'],
    '503': [503, {}, 'unknown'],
  },
  failures: {
    'breaks the policy': ['status', 200, ended(7), 'content_policy_violation'],
    'fails there': ['status', 200, ended(8), 'runtime_error'],
    'makes nothing': ['status', 200, ended(1), 'runtime_error'],
    'is not known any more': ['status', 200, problem(500008), 'provider_unavailable'],
  },
  result: {
    on: 'status',
    path: ['Resp', 'url'],
    mayBeNull: [['Resp', 'seed'], ['Resp', 'size'], ['Resp', 'prompt'], ['ErrMsg']],
  },
  unknownState: ended(6),
});

describe('pixverse: the trace id', () => {
  test('is a UUID, the same for every call of an attempt and another for the next', () => {
    const [first, again, next] = ['job-1', 'job-1', 'job-2'].map(traceIdOf);
    assert.equal(first, again);
    assert.notEqual(first, next);
    assert.match(first!, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
