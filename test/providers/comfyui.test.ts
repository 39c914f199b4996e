/** The provider comfyui: conformance, files, restarts and faults of a workflow. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findModel } from '../../src/catalog/index.ts';
import comfyuiDefinition from '../../src/providers/comfyui/index.ts';
import { comfyuiRouteOptions } from '../../src/providers/comfyui/workflow.ts';
import { good } from '../../testkit/upstream/studio.ts';
import { comfyui } from '../../testkit/upstreams/comfyui.ts';
import { conformance } from './conformance.ts';
import type { Conformance, Earlier } from './description.ts';
import { openBench, type ProviderBench } from './provider-bench.ts';

const wanFile = fileURLToPath(new URL('../../testkit/workflows/wan-t2v.yaml', import.meta.url));
const wanGraph = comfyuiRouteOptions.parse({ workflow: wanFile }).workflow.graph;

/** A workflow of one node that has all its parameters, and one that saves. */
const saves = { video: 'SaveVideo', image: 'SaveImage', speech: 'SaveAudioMP3' } as const;
const graphOf = (kind: keyof typeof saves, given: Readonly<Record<string, unknown>>, prefix = 'x') => ({
  '1': { class_type: 'Given', inputs: given },
  '42': { class_type: saves[kind], inputs: { from: ['1', 0], filename_prefix: prefix } },
});
function workflow(kind: keyof typeof saves, names: string, more: Readonly<Record<string, unknown>> = {}) {
  const parameters = names.split(' ');
  return {
    ...more,
    workflow: {
      graph: graphOf(kind, Object.fromEntries(parameters.map(name => [name, `the operator's ${name}`]))),
      inputs: parameters.map(parameter => ({ parameter, node: '1', input: parameter })),
      outputs: ['42'],
      // The workflows of these tests have places for what they show alone.
      does: ['size', 'length', 'format', 'voice'],
    },
  };
}
const sent = (kind: keyof typeof saves, given: Readonly<Record<string, unknown>>) => ({
  prompt: graphOf(kind, given, 'atelier/<key>'),
  prompt_id: '<id>',
  client_id: 'atelier',
});
const uploaded = 'atelier/upload.png';
const alphaText = { type: 'text', text: 'The leaves turn' };
const picture = (url: string, role: string) => ({ type: 'image_url', image_url: { url }, role });
const silent = { ignores: ['sound'] };
const fault = (type: string, message = 'not good') => ({
  error: { type, message, details: '', extra_info: {} },
  node_errors: {},
});

const machine: Conformance = {
  provider: 'comfyui',
  protocol: comfyui(true),
  account: url => ({ base_url: url }),
  earlier: { model: 'gamma-v2-image', body: { prompt: 'A fox', aspect_ratio: '1:1' } },
  model: 'gamma-v3-turbo-t2v',
  body: mark => ({ prompt: `A red boat ${mark}` }),
  reported: [['gpu_second', 2.5]],
  switches: {
    'alpha-2-0-mini': workflow('video', 'prompt first_frame last_frame seconds', silent),
    'alpha-1-5-pro': workflow('video', 'prompt seed sound camera_fixed width'),
    'beta-outpaint': workflow('image', 'prompt extend_picture left top right bottom'),
    'beta-upscale': workflow('image', 'upscale width creative_upscale'),
    'gamma-v2-6-motion-control': workflow('video', 'first_frame motion', { ignores: ['keep_sound'] }),
    'gamma-v2-image': workflow('image', 'prompt negative_prompt width height count'),
    'gamma-v2-multi-image2image': workflow('image', 'prompt image_1 image_2'),
    'gamma-v3-image': workflow('image', 'prompt image_1'),
    'gamma-v3-turbo-t2v': workflow('video', 'prompt'),
    'gamma-v3-omni-video': workflow('video', 'prompt image_1 image_2 seconds'),
    'epsilon-q2-turbo-extend': workflow('video', 'prompt extend'),
    'epsilon-q2-turbo-img2video': workflow('video', 'prompt first_frame'),
    'epsilon-q3-turbo-start-end2video': workflow('video', 'prompt first_frame last_frame sound'),
    'zeta-v6-i2v': workflow('video', 'prompt first_frame height'),
    'eta2.6-t2v': { workflow: wanFile, ignores: ['sound'] },
    'delta-speech-01-turbo': workflow('speech', 'text voice pitch', { voices: { 'calm-man': 'am_adam' } }),
    'delta-speech-02-hd': workflow('speech', 'text voice speed emotion language'),
    'theta-3.1-flash-tts-preview': workflow('speech', 'text voice'),
  },
  requests: [
    {
      model: 'alpha-2-0-mini',
      input: media => ({
        content: [alphaText, picture(media.picture, 'first_frame'), picture(media.picture, 'last_frame')],
        ratio: '16:9',
        duration: 6,
      }),
      path: '/prompt',
      body: sent('video', {
        ...{ prompt: 'The leaves turn', first_frame: uploaded, last_frame: uploaded, seconds: 6 },
      }),
    },
    {
      model: 'alpha-1-5-pro',
      input: () => ({ content: [alphaText], seed: 7, camera_fixed: true, ratio: '1:1' }),
      path: '/prompt',
      body: sent('video', {
        ...{ prompt: 'The leaves turn', seed: 7, sound: true, camera_fixed: true, width: 960 },
      }),
    },
    {
      model: 'beta-outpaint',
      input: (_, { jobId }) => ({ jobId, imageNo: 0, scale: 2, remixPrompt: 'Snow' }),
      path: '/prompt',
      body: sent('image', {
        ...{ prompt: 'Snow', extend_picture: uploaded, left: 13, top: 13, right: 13, bottom: 13 },
      }),
    },
    {
      model: 'beta-upscale',
      input: (_, { jobId }) => ({ jobId, type: 1 }),
      path: '/prompt',
      body: sent('image', { upscale: uploaded, width: 128, creative_upscale: true }),
    },
    {
      model: 'gamma-v2-6-motion-control',
      path: '/prompt',
      body: sent('video', { first_frame: uploaded, motion: uploaded }),
    },
    {
      model: 'gamma-v2-image',
      input: () => ({ prompt: 'A fox', n: 3, aspect_ratio: '3:2' }),
      path: '/prompt',
      body: sent('image', {
        // What a job does not set stays as the operator drew it.
        ...{ prompt: 'A fox', negative_prompt: "the operator's negative_prompt" },
        ...{ width: 1248, height: 832, count: 3 },
      }),
    },
    {
      model: 'gamma-v2-multi-image2image',
      input: media => ({
        prompt: 'Both friends',
        subject_image_list: [{ subject_image: media.picture }],
        style_image: media.picture,
      }),
      path: '/prompt',
      body: sent('image', { prompt: 'Both friends', image_1: uploaded, image_2: uploaded }),
    },
    {
      model: 'gamma-v3-image',
      input: media => ({ prompt: 'In snow', image: media.picture }),
      path: '/prompt',
      body: sent('image', { prompt: 'In snow', image_1: uploaded }),
    },
    {
      model: 'gamma-v3-turbo-t2v',
      path: '/prompt',
      body: sent('video', { prompt: 'A lighthouse on a cliff at dusk, slow waves, warm light' }),
    },
    {
      model: 'gamma-v3-omni-video',
      input: media => ({
        prompt: 'The ship of <<<image_1>>> in the harbour',
        image_list: [{ image_url: media.picture }, { image_url: media.picture }],
        aspect_ratio: '16:9',
        duration: 4,
      }),
      path: '/prompt',
      body: sent('video', {
        ...{ prompt: 'The ship of in the harbour', image_1: uploaded, image_2: uploaded, seconds: 4 },
      }),
    },
    {
      model: 'epsilon-q2-turbo-extend',
      input: media => ({ video_url: media.clip, prompt: 'It goes on' }),
      path: '/prompt',
      body: sent('video', { prompt: 'It goes on', extend: uploaded }),
    },
    {
      model: 'epsilon-q2-turbo-img2video',
      path: '/prompt',
      body: sent('video', { prompt: 'Waves roll under the pier', first_frame: uploaded }),
    },
    {
      model: 'epsilon-q3-turbo-start-end2video',
      path: '/prompt',
      body: sent('video', {
        ...{ prompt: 'Day turns into night', first_frame: uploaded, last_frame: uploaded, sound: false },
      }),
    },
    {
      model: 'zeta-v6-i2v',
      path: '/prompt',
      body: sent('video', {
        ...{ prompt: 'Boats rock gently in the harbour', first_frame: uploaded, height: 360 },
      }),
    },
    {
      model: 'eta2.6-t2v',
      input: () => ({
        ...{ prompt: 'A red boat', duration: 5, size: '1088*832', shot_type: 'multi' },
        ...{ prompt_extend: false, seed: 3 },
      }),
      path: '/prompt',
      body: {
        prompt: {
          ...wanGraph,
          '3': { ...wanGraph['3'], inputs: { ...wanGraph['3']?.inputs, seed: 3 } },
          '6': { ...wanGraph['6'], inputs: { ...wanGraph['6']?.inputs, text: 'A red boat' } },
          '40': {
            ...wanGraph['40'],
            inputs: { ...wanGraph['40']?.inputs, width: 1088, height: 832, length: 81 },
          },
          '42': {
            ...wanGraph['42'],
            inputs: { ...wanGraph['42']?.inputs, filename_prefix: 'atelier/<key>' },
          },
        },
        prompt_id: '<id>',
        client_id: 'atelier',
      },
    },
    {
      model: 'delta-speech-01-turbo',
      input: () => ({ text: 'Hello.', voice_setting: { voice_id: 'calm-man', pitch: 3 } }),
      path: '/prompt',
      body: sent('speech', { text: 'Hello.', voice: 'am_adam', pitch: 3 }),
    },
    {
      model: 'delta-speech-02-hd',
      input: () => ({
        text: 'Hello.',
        voice_setting: { voice_id: 'a', speed: 1.5, emotion: 'sad' },
        language_boost: 'English',
      }),
      path: '/prompt',
      body: sent('speech', { text: 'Hello.', voice: 'a', speed: 1.5, emotion: 'sad', language: 'English' }),
    },
    {
      model: 'theta-3.1-flash-tts-preview',
      path: '/prompt',
      body: sent('speech', { text: 'The tide is out and the boats are resting.', voice: 'Kore' }),
    },
  ],
  gaps: [
    [
      'gamma-v3-turbo-t2v',
      { prompt: 'A red boat', options: { watermark_info: { enabled: true } } },
      'options: is not available here',
    ],
    [
      'alpha-2-0-mini',
      { content: [alphaText] },
      'content: a medium that is its first_frame is required here; content: a medium that is its last_frame is required here',
    ],
    [
      'gamma-v3-image',
      { prompt: 'A fox', n: 2 },
      'n: is not available here; image_1: a medium that is its image_1 is required here',
    ],
    [
      'beta-outpaint',
      ({ jobId }: Earlier) => ({ jobId, imageNo: 0, scale: 2, remixPrompt: 'Snow --stylize 250' }),
      'remixPrompt: is not available here',
    ],
  ],
  says: words => fault('prompt_outputs_failed_validation', words),
  refusals: {
    '400, a value that the graph does not take': [
      400,
      {
        ...fault('prompt_outputs_failed_validation', 'Prompt outputs failed validation'),
        node_errors: {
          '40': { errors: [{ type: 'value_bigger_than_max', message: 'Too big', details: 'width' }] },
        },
      },
      'invalid_input',
    ],
    '400, a node that is not installed': [400, fault('missing_node_type'), 'later'],
    '400, an invalid graph': [400, fault('invalid_prompt'), 'later'],
    '400, no outputs': [400, fault('prompt_no_outputs'), 'later'],
    '401 of a proxy': [401, { error: 'Unauthorized' }, 'later'],
    '413': [413, {}, 'invalid_input'],
    '429 of a proxy': [429, {}, 'later'],
    '500': [500, {}, 'unknown'],
    '503 of a proxy': [503, {}, 'unknown'],
  },
  failures: {
    'runs out of memory': [
      ...(['status', 200] as const),
      {
        status: 'failed',
        outputs: null,
        execution_error: {
          exception_type: 'torch.OutOfMemoryError',
          exception_message: 'CUDA out of memory',
        },
      },
      'runtime_error',
    ],
    'saves nothing': ['status', 200, { outputs: { '8': { images: [] } } }, 'runtime_error'],
    'saves only previews': [
      ...(['status', 200] as const),
      { outputs: { '42': { images: [{ filename: 'a.png', subfolder: '', type: 'temp' }] } } },
      'runtime_error',
    ],
    'names files outside its folder': [
      ...(['status', 200] as const),
      { outputs: { '42': { images: [{ filename: '../../etc/passwd', subfolder: '..', type: 'output' }] } } },
      'runtime_error',
    ],
    'is stopped there': ['status', 200, { status: 'cancelled' }, 'runtime_error'],
  },
  result: {
    on: 'status',
    path: ['outputs', '42', 'images'],
    isList: true,
    isFree: true,
    mayBeNull: [
      ['execution_start_time'],
      ['execution_error'],
      ['outputs', '8'],
      ['outputs', '42', 'animated'],
      ['priority'],
    ],
  },
  unknownState: { status: 'dreaming' },
};

conformance(machine);

describe('a machine of one’s own', () => {
  const plain: Conformance = { ...machine, protocol: comfyui(false) };
  let folder: string;
  let bench: ProviderBench;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atelier-comfyui-'));
    bench = await openBench(plain, folder);
  });
  after(async () => {
    await bench.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('gets the request for its file with the key, at its own host', async () => {
    const order = await bench.order(plain.body, []);
    assert.deepEqual(await bench.ending(order), good([['accepted', 1]]));
    assert.deepEqual(bench.fake.mediaRequests(), []);
  });

  test('is sent a job again that went with a restart', async () => {
    const { gateway, fake, key, earlier } = bench;
    await fake.play({
      rules: [
        { on: 'status', times: 1, act: { kind: 'answer', status: 404, body: '{"error":"Job not found"}' } },
        { on: 'list', times: 1, act: { kind: 'answer', status: 200, body: '{"jobs":[]}' } },
      ],
    });
    const mark = 'mark-forgotten';
    const body = plain.body(mark, earlier);
    const made = await gateway.ask('POST', `/v1/queue/${plain.model}`, { key, body });
    const ending = await bench.ending({ id: made.body.request_id, mark, model: plain.model });
    const attempts = [
      ['lost', 1],
      ['accepted', 1],
    ] as const;
    assert.deepEqual(ending, { ...good(attempts), charges: 2 });
  });
});

describe('a workflow', () => {
  const faultsOf = (workflow: unknown) =>
    comfyuiRouteOptions
      .safeParse({ workflow })
      .error?.issues.map(({ path, message }) => [path.join('.'), message]);
  const { workflow: whole } = workflow('image', 'prompt');

  test('that names what the graph does not have is refused at the start', () => {
    const inputs = [
      { parameter: 'prompt', node: '1', input: 'words' },
      { parameter: 'prompt', node: '42', input: 'from' },
    ];
    assert.deepEqual(faultsOf({ ...whole, inputs, outputs: ['43'] }), [
      ['workflow.inputs.0', 'the graph has no input words of a node 1'],
      ['workflow.inputs.1', 'the input from of node 42 is a link, not a value'],
      ['workflow.outputs.0', 'the graph has no node 43'],
    ]);
  });

  test('that has no place for the prompt, the size or the length of a job refuses it', () => {
    const { does: _, ...bare } = whole;
    const options = comfyuiRouteOptions.parse({ workflow: { ...bare, inputs: [] } });
    const model = findModel('gamma-v3-turbo-t2v')!;
    const input = model.parse({ prompt: 'A red boat' });
    assert.ok(input.ok);
    assert.deepEqual(
      comfyuiDefinition.faults(model, input.input, { upstreamModel: '', options }),
      ['prompt', 'settings.aspect_ratio', 'settings.duration'].map(path => ({
        path,
        reason: 'is not available here',
      })),
    );
  });

  test('whose file is missing is refused at the start', () => {
    assert.deepEqual(faultsOf('/nowhere/wan.yaml'), [['workflow', 'cannot read /nowhere/wan.yaml']]);
  });
});
