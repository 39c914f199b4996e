/** The provider youchuan: conformance. */
import { earlierJob, youchuan, youchuanApp } from '../../testkit/upstreams/youchuan.ts';
import { conformance } from './conformance.ts';

const canvas = { width: 1536, height: 1024 };
const imgPos = { x: 256, y: 0, width: 1024, height: 1024 };
const problem = (code: number, reason: string, message = 'not good') => ({ code, reason, message });
const ended = (comment: string) => ({ status: 3, comment, urls: [] });

conformance({
  provider: 'youchuan',
  protocol: youchuan,
  account: url => ({ api_key: undefined, app: youchuanApp, secret: 'env:CANARY', base_url: url }),
  earlier: {
    model: 'gamma-v3-image',
    body: { prompt: 'A tower', aspect_ratio: '1:1', n: 4 },
    ref: { id: earlierJob },
  },
  model: 'beta-edit',
  body: (mark, earlier) => ({
    jobId: earlier?.jobId,
    imageNo: 0,
    remixPrompt: `A red kite ${mark}`,
    canvas,
    imgPos,
  }),
  reported: [],
  requests: [
    {
      model: 'beta-edit',
      path: '/v1/tob/edit',
      body: {
        jobId: earlierJob,
        imageNo: 0,
        remixPrompt: 'A red kite in the sky --no clouds',
        canvas: { width: 1024, height: 1024 },
        imgPos: { x: 0, y: 0, width: 1024, height: 1024 },
      },
    },
    {
      model: 'beta-edit',
      input: (_, { jobId }) => ({
        jobId,
        imageNo: 3,
        remixPrompt: 'A red kite:: birds::0.5 --seed 7 --stylize 250 --v 8.1',
        canvas,
        imgPos,
        mask: { areas: [{ width: 1024, height: 1024, points: [0, 0, 400, 0, 400, 400.5, 0, 400] }] },
      }),
      path: '/v1/tob/edit',
      body: {
        jobId: earlierJob,
        imageNo: 3,
        remixPrompt: 'A red kite:: birds::0.5 --seed 7 --stylize 250 --v 8.1',
        canvas,
        imgPos,
        mask: { areas: [{ width: 1024, height: 1024, points: [0, 0, 400, 0, 400, 400.5, 0, 400] }] },
      },
    },
    {
      model: 'beta-edit',
      input: (media, { jobId }) => ({
        jobId,
        imageNo: 1,
        remixPrompt: 'A wide valley',
        canvas,
        imgPos,
        mask: { url: media.picture },
      }),
      path: '/v1/tob/edit',
      body: {
        jobId: earlierJob,
        imageNo: 1,
        remixPrompt: 'A wide valley',
        canvas,
        imgPos,
        mask: { url: '<data:image/jpeg>' },
      },
    },
    {
      model: 'beta-outpaint',
      path: '/v1/tob/outpaint',
      body: { jobId: earlierJob, imageNo: 0, scale: 1.1 },
    },
    {
      model: 'beta-outpaint',
      input: (_, { jobId }) => ({ jobId, imageNo: 2, scale: 2, remixPrompt: 'Snow --v 7' }),
      path: '/v1/tob/outpaint',
      body: { jobId: earlierJob, imageNo: 2, scale: 2, remixPrompt: 'Snow --v 7' },
    },
    // What the client leaves out is required there.
    {
      model: 'beta-upscale',
      path: '/v1/tob/upscale',
      body: { jobId: earlierJob, imageNo: 0, type: 0 },
    },
    {
      model: 'beta-upscale',
      input: (_, { jobId }) => ({ jobId, imageNo: 3, type: 1 }),
      path: '/v1/tob/upscale',
      body: { jobId: earlierJob, imageNo: 3, type: 1 },
    },
    // A job that Youchuan made for another client than this gateway.
    {
      model: 'beta-upscale',
      input: () => ({ jobId: earlierJob, imageNo: 2 }),
      path: '/v1/tob/upscale',
      body: { jobId: earlierJob, imageNo: 2, type: 0 },
    },
  ],
  gaps: [
    [
      'beta-edit',
      ({ jobId }) => ({ jobId, imageNo: 0, remixPrompt: 'A {red, yellow} kite', canvas, imgPos }),
      'remixPrompt: must make one job here: no {a,b} and no --repeat',
    ],
    [
      'beta-outpaint',
      ({ jobId }) => ({ jobId, imageNo: 0, scale: 2, remixPrompt: 'Snow --repeat 3' }),
      'remixPrompt: must make one job here: no {a,b} and no --repeat',
    ],
    [
      'beta-outpaint',
      ({ jobId }) => ({ jobId, imageNo: 0, scale: 2, remixPrompt: 'Snow --v 8.1' }),
      'remixPrompt: must not ask for version 8 here',
    ],
  ],
  says: words => problem(400, 'Invalid_Argument', words),
  refusals: {
    '400 Invalid_Prompt_Parameter': [400, problem(400, 'Invalid_Prompt_Parameter'), 'invalid_input'],
    '400 Invalid_Argument': [400, problem(400, 'Invalid_Argument'), 'invalid_input'],
    '400 Job_ReUpscale_Not_Support': [400, problem(400, 'Job_ReUpscale_Not_Support'), 'invalid_input'],
    '403 Upscale_Not_Support': [403, problem(403, 'Upscale_Not_Support'), 'invalid_input'],
    '403 Relax_Not_Allow': [403, problem(403, 'Relax_Not_Allow'), 'invalid_input'],
    '402 No_More_Relax_Credit': [402, problem(402, 'No_More_Relax_Credit'), 'invalid_input'],
    '404, no such job': [404, problem(404, 'Job_Not_Found'), 'invalid_input'],
    '405 Not_Support': [405, problem(405, 'Not_Support'), 'invalid_input'],
    '403 Msg_Sensitive': [403, problem(403, 'Msg_Sensitive'), 'content_policy_violation'],
    '401 Invalid_App_Identifier': [401, problem(401, 'Invalid_App_Identifier'), 'later'],
    '402 Account_Fee_Not_Enough': [402, problem(402, 'Account_Fee_Not_Enough'), 'later'],
    '403 No_Avaliable_Plan': [403, problem(403, 'No_Avaliable_Plan'), 'later'],
    '403 Permission_Denied': [403, problem(403, 'Permission_Denied'), 'later'],
    '429 Max_Concurrent_Limited': [429, problem(429, 'Max_Concurrent_Limited'), 'later'],
    '503 Server_Busy': [503, problem(503, 'Server_Busy'), 'later'],
    '503 Request_Timout': [503, problem(503, 'Request_Timout'), 'unknown'],
    '500': [500, problem(500, 'Internal'), 'unknown'],
  },
  failures: {
    'breaks the policy by a picture': ['status', 200, ended('JobStatusReject'), 'content_policy_violation'],
    'breaks the policy by words': ['status', 200, ended('TextReject'), 'content_policy_violation'],
    'was given a bad prompt': ['status', 200, ended('BadPrompt'), 'invalid_input'],
    'could not fetch a picture': ['status', 200, ended('InvalidImagePromptLink'), 'file_download_error'],
    'fails there': ['status', 200, ended('JobStatusFail'), 'runtime_error'],
    'runs out of credit': ['status', 200, ended('CreditNotEnough'), 'runtime_error'],
    'ends with another word': ['status', 200, ended('Surprise'), 'runtime_error'],
    'is stopped there': ['status', 200, ended('Canceled'), 'runtime_error'],
    'does not pass the audit': ['status', 200, { status: 4 }, 'content_policy_violation'],
  },
  result: { on: 'status', path: ['urls'], isList: true, mayBeNull: [['comment']] },
  unknownState: { status: 9 },
});
