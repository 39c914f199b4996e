/** The provider dashscope: conformance. */
import { after } from 'node:test';
import { openMediaSite } from '../../testkit/media/media-site.ts';
import { dashscope } from '../../testkit/upstreams/dashscope.ts';
import { conformance } from './conformance.ts';

const site = openMediaSite();
after(() => site.close());
const audio_url = `${site.url}/waves.wav`;

const problem = (code: string, message = 'not good') => ({ request_id: '4909100c', code, message });
const failed = (code: string) => ({ output: { task_status: 'FAILED', code, message: 'not good' } });

conformance({
  provider: 'dashscope',
  protocol: dashscope,
  account: url => ({ base_url: url }),
  model: 'eta2.6-t2v',
  body: mark => ({ prompt: `A red boat ${mark}`, duration: 2, size: '1280*720' }),
  reported: [['second', 2]],
  requests: [
    {
      model: 'eta2.6-t2v',
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      body: {
        model: 'wan2.6-t2v',
        input: { prompt: 'A sailboat crossing a calm bay at sunrise' },
        parameters: { size: '1280*720', duration: 2, prompt_extend: true, watermark: false },
      },
    },
    {
      model: 'eta2.6-t2v',
      input: () => ({
        prompt: 'Waves',
        negative_prompt: 'text',
        audio_url,
        duration: 15,
        shot_type: 'multi',
        prompt_extend: true,
        seed: 0,
        watermark: true,
      }),
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      body: {
        model: 'wan2.6-t2v',
        input: { prompt: 'Waves', negative_prompt: 'text', audio_url },
        parameters: {
          size: '1920*1080',
          duration: 15,
          shot_type: 'multi',
          prompt_extend: true,
          seed: 0,
          watermark: true,
        },
      },
    },
  ],
  gaps: [
    [
      'eta2.6-t2v',
      { prompt: 'A red boat', negative_prompt: 'a'.repeat(501) },
      'negative_prompt: must be at most 500 here',
    ],
  ],
  says: words => problem('InvalidParameter', words),
  refusals: {
    '400 InvalidParameter': [400, problem('InvalidParameter'), 'invalid_input'],
    '400 BadRequest.EmptyInput': [400, problem('BadRequest.EmptyInput'), 'invalid_input'],
    '400 InvalidFile.Duration': [400, problem('InvalidFile.Duration'), 'invalid_input'],
    '400 UnsupportedOperation': [400, problem('UnsupportedOperation'), 'invalid_input'],
    '400 a code that is not known': [400, problem('Surprise'), 'invalid_input'],
    '400 InvalidParameter.DataInspection': [
      400,
      problem('InvalidParameter.DataInspection'),
      'file_download_error',
    ],
    '400 InvalidURL.Timeout': [400, problem('InvalidURL.Timeout'), 'file_download_error'],
    '400 DataInspectionFailed': [400, problem('DataInspectionFailed'), 'content_policy_violation'],
    '400 IPInfringementSuspect': [400, problem('IPInfringementSuspect'), 'content_policy_violation'],
    '400 Arrearage': [400, problem('Arrearage'), 'later'],
    '401 InvalidApiKey': [401, problem('InvalidApiKey'), 'later'],
    '403 AccessDenied.Unpurchased': [403, problem('AccessDenied.Unpurchased'), 'later'],
    '403 AllocationQuota.FreeTierOnly': [403, problem('AllocationQuota.FreeTierOnly'), 'later'],
    '403 Model.AccessDenied': [403, problem('Model.AccessDenied'), 'later'],
    '404 ModelNotFound': [404, problem('ModelNotFound'), 'later'],
    '404 of an address': [404, {}, 'later'],
    '429 Throttling': [429, problem('Throttling'), 'later'],
    '429 Throttling.RateQuota': [429, problem('Throttling.RateQuota'), 'later'],
    '429 Throttling.AllocationQuota': [429, problem('Throttling.AllocationQuota'), 'later'],
    '429 insufficient_quota': [429, problem('insufficient_quota'), 'later'],
    '408 RequestTimeOut': [408, problem('RequestTimeOut'), 'unknown'],
    '500 InternalError': [500, problem('InternalError'), 'unknown'],
    '500 InternalError.Timeout': [500, problem('InternalError.Timeout'), 'unknown'],
    '503 ModelUnavailable': [503, problem('ModelUnavailable'), 'unknown'],
    '504': [504, {}, 'unknown'],
  },
  failures: {
    'breaks the policy': ['status', 200, failed('DataInspectionFailed'), 'content_policy_violation'],
    'was given a bad input': ['status', 200, failed('InvalidParameter.Size'), 'invalid_input'],
    'could not fetch the sound': ['status', 200, failed('InvalidURL'), 'file_download_error'],
    'fails inside': ['status', 200, failed('InternalError.Algo'), 'runtime_error'],
    'fails without a word': ['status', 200, { output: { task_status: 'FAILED' } }, 'runtime_error'],
    'is stopped there': ['status', 200, { output: { task_status: 'CANCELED' } }, 'runtime_error'],
    'makes nothing': ['status', 200, { output: { task_status: 'SUCCEEDED' } }, 'runtime_error'],
    'is forgotten there': ['status', 200, { output: { task_status: 'UNKNOWN' } }, 'provider_unavailable'],
  },
  result: {
    on: 'status',
    path: ['output', 'video_url'],
    mayBeNull: [['usage'], ['output', 'orig_prompt'], ['output', 'submit_time'], ['request_id']],
  },
  unknownState: { output: { task_status: 'DREAMING' } },
});
