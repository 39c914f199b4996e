/** The provider gemini: conformance, and raw sound as WAV. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRawType, wavOf } from '../../src/providers/gemini/wav.ts';
import { gemini } from '../../testkit/upstreams/gemini.ts';
import { conformance } from './conformance.ts';

const errorBody = (
  status: string,
  message = 'not good',
  details: { readonly [name: string]: string }[] = [],
) => ({
  error: { code: 0, message, status, details },
});
const ended = (finishReason: string) => ({ candidates: [{ content: {}, finishReason, index: 0 }] });
const model = 'theta-3.1-flash-tts-preview';

conformance({
  provider: 'gemini',
  protocol: gemini,
  account: url => ({ base_url: `${url}/v1beta` }),
  bytesInside: true,
  model,
  body: mark => ({ text: `A red boat ${mark}` }),
  reported: [['token', 18]],
  requests: [
    {
      model,
      path: '/v1beta/models/gemini-3.1-flash-tts-preview:generateContent',
      body: {
        contents: [{ role: 'user', parts: [{ text: 'The tide is out and the boats are resting.' }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      },
    },
  ],
  gaps: [],
  says: words => errorBody('INVALID_ARGUMENT', words),
  refusals: {
    '400 INVALID_ARGUMENT': [400, errorBody('INVALID_ARGUMENT'), 'invalid_input'],
    '400, a wrong key': [400, errorBody('INVALID_ARGUMENT', 'key', [{ reason: 'API_KEY_INVALID' }]), 'later'],
    '400 FAILED_PRECONDITION': [400, errorBody('FAILED_PRECONDITION'), 'later'],
    '401': [401, errorBody('UNAUTHENTICATED'), 'later'],
    '403': [403, errorBody('PERMISSION_DENIED'), 'later'],
    '404, no such model': [404, errorBody('NOT_FOUND'), 'later'],
    '429': [429, errorBody('RESOURCE_EXHAUSTED', 'slow down', [{ retryDelay: '37.5s' }]), 'later'],
    '429, the quota of the day': [
      429,
      {
        error: {
          status: 'RESOURCE_EXHAUSTED',
          details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }] }],
        },
      },
      'later',
    ],
    '500 INTERNAL': [500, errorBody('INTERNAL'), 'later'],
    '503 UNAVAILABLE': [503, errorBody('UNAVAILABLE'), 'later'],
    '504 DEADLINE_EXCEEDED': [504, errorBody('DEADLINE_EXCEEDED'), 'unknown'],
    'nothing, for the prompt is blocked': [
      200,
      { promptFeedback: { blockReason: 'OTHER' } },
      'content_policy_violation',
    ],
    'nothing, for the speech is': [200, ended('PROHIBITED_CONTENT'), 'content_policy_violation'],
    'nothing, for another reason': [200, ended('OTHER'), 'runtime_error'],
    'nothing, for no reason': [200, { candidates: [] }, 'unknown'],
  },
  failures: {},
  result: {
    on: 'created',
    path: ['candidates', '0', 'content', 'parts'],
    isList: true,
    isWhole: true,
    mayBeNull: [['usageMetadata'], ['candidates', '0', 'finishReason'], ['promptFeedback'], ['modelVersion']],
  },
  unknownState: {},
});

describe('raw sound', () => {
  test('of a second becomes a WAV file of a second', () => {
    const samples = Buffer.alloc(48_000, 1);
    const wav = wavOf({ sampleRate: 24_000, channels: 1, samples });
    assert.equal(wav.length, 48_044);
    assert.equal(wav.toString('latin1', 0, 4), 'RIFF');
    assert.equal(wav.readUInt32LE(4), 48_036);
    assert.equal(wav.toString('latin1', 8, 16), 'WAVEfmt ');
    assert.deepEqual(
      [wav.readUInt32LE(16), wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt32LE(24)],
      [16, 1, 1, 24_000],
    );
    assert.deepEqual([wav.readUInt32LE(28), wav.readUInt16LE(32), wav.readUInt16LE(34)], [48_000, 2, 16]);
    assert.equal(wav.toString('latin1', 36, 40), 'data');
    assert.equal(wav.readUInt32LE(40), 48_000);
    assert.deepEqual(wav.subarray(44), samples);
  });

  for (const [type, read] of [
    ['audio/L16;codec=pcm;rate=24000', { sampleRate: 24_000, channels: 1 }],
    ['audio/l16; rate=16000; channels=2', { sampleRate: 16_000, channels: 2 }],
    ['audio/pcm', { sampleRate: 24_000, channels: 1 }],
    ['audio/wav', null],
    ['text/plain', null],
  ] as const) {
    test(`is recognised by its type: ${type}`, () => {
      assert.deepEqual(readRawType(type), read);
    });
  }
});
