/** The JSON body of POST /v1/queue/{model_id}: parsing, types, fields and the sentences of 422. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodies, create, hexSpeech, image, speech, turbo } from '../../testkit/clients/queue.ts';
import { type Answer, startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

describe('the body of POST /v1/queue/{model_id}', () => {
  let gateway: TestGateway;
  let key: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    key = await gateway.key();
  });
  after(() => gateway.close());

  const post = (body: unknown, model = speech, headers: Readonly<Record<string, string>> = {}) =>
    gateway.ask('POST', `/v1/queue/${model}`, { key, body, headers });
  const isRefused = ({ status, headers, body }: Answer, detail: string, fields: string): void => {
    assert.equal(status, 422);
    assert.deepEqual(body, { detail });
    assert.equal(headers.get('x-error-fields'), fields);
  };

  describe('200', () => {
    test('a byte order mark before the JSON', async () => {
      await create(gateway, key, { body: '\ufeff{"text":"a"}' });
    });

    test('blanks around the JSON', async () => {
      await create(gateway, key, { body: '\r\n\t {"text":"a"} \n' });
    });

    test('a header that is only named like a webhook', async () => {
      const headers = { 'webhook-id': '1', 'x-webhook-id': '1', 'x-hook': '1', callback: '1' };
      await create(gateway, key, { headers });
    });
  });

  describe('400 of what is no JSON object', () => {
    const deep = (depth: number) => `{"text":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    const table: readonly [string, string | Uint8Array<ArrayBuffer>][] = [
      ['nothing', ''],
      ['blanks', ' \n'],
      ['an array', '[{"text":"a"}]'],
      ['an empty array', '[]'],
      ['a string', '"text"'],
      ['a number', '1'],
      ['null', 'null'],
      ['true', 'true'],
      ['text after the end', '{"text":"a"} x'],
      ['two objects', '{"text":"a"}{"text":"a"}'],
      ['an object that does not end', '{"text":"a"'],
      ['a comma too many', '{"text":"a",}'],
      ['a comma too many in an array', '{"text":[1,]}'],
      ['a missing colon', '{"text" "a"}'],
      ['single quotes', "{'text':'a'}"],
      ['a key without quotes', '{text:"a"}'],
      ['a comment', '{"text":"a"/* b */}'],
      ['a duplicate key', '{"text":"a","text":"a"}'],
      ['a duplicate key in other letters', '{"text":"a","\\u0074ext":"b"}'],
      ['a duplicate key further in', '{"text":"a","x":[{"y":1,"y":2}]}'],
      ['a bare line break in a string', '{"text":"a\nb"}'],
      ['a wrong escape', '{"text":"\\x41"}'],
      ['a cut escape', '{"text":"\\u00"}'],
      ['a word of JavaScript', '{"text":NaN}'],
      ['a number with a leading zero', '{"text":01}'],
      ['a number with a plus', '{"text":+1}'],
      ['a number that ends in a dot', '{"text":1.}'],
      ['33 levels', deep(33)],
      ['a hundred thousand levels', deep(100_000)],
      ['two byte order marks', '\ufeff\ufeff{"text":"a"}'],
      ['bytes that are not UTF-8', new Uint8Array([...Buffer.from('{"text":"'), 0xff, ...Buffer.from('"}')])],
      [
        'a surrogate written in UTF-8',
        new Uint8Array([...Buffer.from('{"text":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
      ],
      ['UTF-16', new Uint8Array(Buffer.from('\ufeff{"text":"a"}', 'utf16le'))],
      ['a form', 'text=a'],
    ];
    for (const [name, body] of table) {
      test(name, async () => {
        const answer = await post(body);
        assert.equal(answer.status, 400);
        assert.deepEqual(answer.body, { detail: 'Request body must be a JSON object' });
      });
    }
  });

  describe('400 of webhooks', () => {
    const isHook = ({ status, body }: Answer): void => {
      assert.equal(status, 400);
      assert.deepEqual(body, { detail: 'webhook not supported' });
    };
    const written = (word: string): readonly string[] => [
      word,
      word.toUpperCase(),
      word.replaceAll('_', '-'),
      word.replaceAll('_', ''),
      word.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      `_${word}-`,
    ];
    const words = [
      'webhook',
      'webhooks',
      'webhook_url',
      'webhook_endpoint',
      'webhook_events_filter',
      'fal_webhook',
    ];
    for (const word of words) {
      test(`${word} in the query, the body and its options, however it is written`, async () => {
        for (const name of new Set(written(word))) {
          const query = `/v1/queue/${speech}?${name}=https%3A%2F%2Fa.test`;
          isHook(await gateway.ask('POST', query, { key, body: bodies[speech] }));
          for (const value of ['https://a.test', null, '', false])
            isHook(await post({ ...bodies[speech], [name]: value }));
          isHook(await post({ ...bodies[turbo], options: { [name]: 'https://a.test' } }, turbo));
          isHook(await post({ ...bodies[speech], options: { [name]: 'https://a.test' } }));
        }
      });
    }

    for (const name of [
      'X-Webhook',
      'x_webhook',
      'X-Fal-Webhook',
      'XFalWebhook',
      'Webhook-Url',
      'X-Fal-Webhook-Url',
      'X-My-WebhookURL-2',
      'webhook_url',
      'Webhook',
      'X-Webhooks',
      'X-Webhook-Endpoint',
      'Webhook-Events-Filter',
      'Callback-Url',
      'X-Callback-URL',
      'callbackurl',
    ]) {
      test(`the header ${name}`, async () => {
        isHook(await post(bodies[speech], speech, { [name]: 'https://a.test' }));
      });
    }

    for (const name of [
      'x-webhook',
      'X_Webhooks',
      'fal_webhook_url',
      'callback_url',
      'x-callback-url',
      'callbackUrl',
      'webhooks[]',
      'options[callback_url]',
      'options.webhook',
    ]) {
      test(`${name} in the query, also of a model that takes a callback_url`, async () => {
        for (const model of [speech, image]) {
          const path = `/v1/queue/${model}?${name}=https%3A%2F%2Fa.test`;
          isHook(await gateway.ask('POST', path, { key, body: bodies[model] }));
        }
      });
    }

    test('the same names in the body, with an x- in front and without', async () => {
      for (const name of ['x-webhook', 'X-Webhook-Url', 'fal_webhook_url', 'my_webhook_url'])
        isHook(await post({ ...bodies[image], [name]: 'https://a.test' }, image));
    });

    test('a callback_url of a model that takes one is no webhook', async () => {
      const { status } = await post({ ...bodies[image], callback_url: 'https://a.test' }, image);
      assert.equal(status, 200);
      isRefused(
        await post({ ...bodies[image], callbackUrl: 'https://a.test' }, image),
        'callbackUrl: unknown field, did you mean callback_url?',
        'callbackUrl',
      );
    });

    test('a callback_url on a model that does not take one', async () => {
      for (const model of [speech, hexSpeech]) {
        isHook(await post({ ...bodies[model], callback_url: 'https://a.test' }, model));
        isHook(await post({ ...bodies[model], CallbackUrl: 'https://a.test' }, model));
        isHook(await post({ ...bodies[model], options: { callback_url: 'https://a.test' } }, model));
      }
    });
  });

  describe('422', () => {
    test('every fault at once, in one sentence and one header', async () => {
      const body = {
        settings: { duration: 2, resolution: '8k' },
        options: { watermark_info: { enabled: 1 } },
        sead: 1,
      };
      isRefused(
        await post(body, turbo),
        'prompt: is required; settings.resolution: must be one of 720p, 1080p; settings.duration: must be between 3 and 15; options.watermark_info.enabled: must be true or false; sead: unknown field',
        'prompt,settings.resolution,settings.duration,options.watermark_info.enabled,sead',
      );
    });

    test('positions in arrays are numbers of the path', async () => {
      const body = { prompt: 'x', element_list: [{ element_id: 1 }, { element_id: 'x' }] };
      const path = 'element_list.1.element_id';
      isRefused(await post(body, image), `${path}: must be a 64-bit integer`, path);
    });

    for (const [field, near] of [
      ['txt', ', did you mean text?'],
      ['Text', ', did you mean text?'],
      ['voice_nam', ', did you mean voice_name?'],
      ['seed', ''],
      ['constructor', ''],
      ['__proto__', ''],
    ] as const) {
      test(`the unknown field ${field}`, async () => {
        isRefused(await post(`{"text":"a","${field}":1}`), `${field}: unknown field${near}`, field);
      });
    }

    test('an unknown field further in is compared with its neighbours', async () => {
      const body = { prompt: 'x', settings: { aspect_ration: '1:1' } };
      isRefused(
        await post(body, turbo),
        'settings.aspect_ration: unknown field, did you mean aspect_ratio?',
        'settings.aspect_ration',
      );
    });

    for (const [name, body, detail] of [
      ['text for a number', { prompt: 'x', n: '5' }, 'n: must be an integer'],
      ['a number for text', { prompt: 5 }, 'prompt: must be a string'],
      ['null for a required field', { prompt: null }, 'prompt: must be a string'],
      ['a blank text', { prompt: ' \n' }, 'prompt: must not be empty'],
      ['a broken number', { prompt: 'x', n: 1.5 }, 'n: must be an integer'],
    ] as const) {
      test(`nothing is taken for something else: ${name}`, async () => {
        isRefused(await post(body, image), detail, detail.split(':')[0]!);
      });
    }

    test('32 levels are read', async () => {
      const body = `{"text":"a","deep":${'['.repeat(31)}${']'.repeat(31)}}`;
      isRefused(await post(body), 'deep: unknown field', 'deep');
    });

    test('an integer past 64 bits', async () => {
      const path = 'element_list.0.element_id';
      const body = '{"prompt":"x","element_list":[{"element_id":9223372036854775808}]}';
      isRefused(await post(body, image), `${path}: must be a 64-bit integer`, path);
    });

    for (const id of [' ', 'x'.repeat(257), 'a\u0000b', 'a\nb', 'a\ud800b']) {
      test(`the external_task_id ${JSON.stringify(id.slice(0, 8))} of ${id.length} units`, async () => {
        isRefused(
          await post({ prompt: 'x', external_task_id: id }, image),
          'external_task_id: must be 1 to 256 characters without control characters',
          'external_task_id',
        );
      });
    }

    test('X-Error-Fields is encoded outside printable ASCII, and where a comma would divide it', async () => {
      const { status, headers, body } = await post('{"text":"a","灯":1,"a,b":1,"c d":1,"%":1,"\\ud800":1}');
      assert.equal(status, 422);
      assert.deepEqual(body, {
        detail:
          '灯: unknown field; a,b: unknown field; c d: unknown field; %: unknown field; \ud800: unknown field',
      });
      assert.equal(headers.get('x-error-fields'), '%E7%81%AF,a%2Cb,c%20d,%25,%EF%BF%BD');
    });

    test('X-Error-Fields lists 20 fields', async () => {
      const names = Array.from({ length: 30 }, (_, index) => `unknown_${index}`);
      const { status, headers } = await post({
        text: 'a',
        ...Object.fromEntries(names.map(name => [name, 1])),
      });
      assert.equal(status, 422);
      assert.equal(headers.get('x-error-fields'), names.slice(0, 20).join(','));
    });

    test('X-Error-Fields is at most 1 KiB', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `${index}${'x'.repeat(98)}`.slice(0, 99));
      const { status, headers } = await post({
        text: 'a',
        ...Object.fromEntries(names.map(name => [name, 1])),
      });
      assert.equal(status, 422);
      // Ten of 99 and nine commas are 999; an eleventh would be 1099.
      assert.equal(headers.get('x-error-fields')?.length, 999);
    });
  });
});
