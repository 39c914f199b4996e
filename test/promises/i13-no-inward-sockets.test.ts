/** Promise I13: no address from a client opens a connection to a private network. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { models } from '../../src/catalog/index.ts';
import { replaceMedia } from '../../src/catalog/media.ts';
import type { Model } from '../../src/catalog/model.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { image, pathOf } from '../../testkit/clients/queue.ts';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

/** Hosts that lead, or could lead, to a machine that not everybody may reach. */
const hosts = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '127.0.0.1.', '0', '0.0.0.0', '00000000'],
  ...[
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7F.1',
    '0177.0.0.1',
    '0x7f.0.0.0x1',
    '127.0x0.0.1',
    '0177.1',
  ],
  ...['１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '127%2e0%2e0%2e1', '%31%32%37.0.0.1', '127．0．0．1'],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ｌｏｃａｌｈｏｓｔ',
    'a.localhost',
    'loc%61lhost',
    'a.b.localhost.',
  ],
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ],
  ...['[::ffff:0:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:0001]', '[::FFFF:127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...[
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
    '[fe80::1]',
    '[fec0::1]',
  ],
  ...[
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
    '[::ffff:a9fe:a9fe]',
    '[3fff::1]',
  ],
  ...[
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '3232235777',
    '169.254.169.254',
    '0xa9fea9fe',
  ],
  ...[
    '169.254.43518',
    '0251.0376.0251.0376',
    '168.63.129.16',
    '100.64.0.1',
    '100.100.100.200',
    '192.0.0.192',
  ],
  ...['198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.7'],
  ...['metadata.google.internal', 'metadata', 'printer.local', 'router.home.arpa'],
];
/** Addresses that are read differently by different readers, or that lead to no web at all. `@` is the canary. */
const wholes = [
  'http://example.com@@/',
  'http://user:secret@@/',
  'http://@@/#@example.com/',
  'http:/\\@/',
  'http:\\\\@/',
  'http:@/',
  'http:/@/',
  'http:///@/',
  '//@/',
  'file:///etc/passwd',
  'gopher://@/_GET',
  'ftp://@/a.png',
  'ws://@/',
  'jar:http://@/!/',
  'dict://@/d',
  'view-source:http://@/',
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:6379/',
  'http://[fe80::1%25lo]/',
  ' http://@/',
  'http://@/\n',
  'ht\ttp://@/',
  `http://@/${'a'.repeat(2_100)}`,
];

const reasons =
  /: (?:The address is not a public one|The address must be a plain http:\/\/ or https:\/\/ address|The address may not contain a user name or password|The port of the address is not accepted|The address is longer than 2048 characters)\.(?: `atelier listen` .*)?$/;
/** What the catalog takes for the address of a medium; everything else is refused at the door. */
const looksLikeAddress = /^https?:\/\/\S+$/i;

let visits = 0;
let port = 0;
// On `::` it hears every address of this machine, in both families.
const canary = createServer(socket => {
  visits++;
  socket.destroy();
});
before(async () => {
  canary.listen(0, '::');
  await once(canary, 'listening');
  ({ port } = canary.address() as AddressInfo);
});
after(() => canary.close());

/** Every form, led to the canary where it can be. */
const formsTo = (at: number): readonly string[] => [
  ...hosts.map(host => `http://${host}:${at}/a.png`),
  ...wholes.map(form =>
    form.replace('@@', `@127.0.0.1:${at}`).replace(/(?<![\w.])@(?=\/)/, `127.0.0.1:${at}`),
  ),
];

/** An example of a model with media in it, whose media can all be written differently. */
interface Field {
  readonly model: Model;
  readonly name: string;
  bodyWith(address: string): unknown;
}

function findFields(): readonly Field[] {
  const fields = models.flatMap(model =>
    model.examples.flatMap(example => {
      const parsed = model.parse(example);
      if (!parsed.ok || model.references(parsed.input).length > 0) return [];
      const found = model.media(parsed.input);
      return found.map(({ path }): Field => {
        const name = path.join('.');
        return {
          model,
          name,
          // The others would be looked up by a name server.
          bodyWith: address =>
            found.reduce((body: unknown, medium) => replaceMedia(body, medium.path, address), example),
        };
      });
    }),
  );
  return [...new Map(fields.map(field => [`${field.model.id} ${field.name}`, field])).values()];
}

describe('I13 with private addresses refused', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({
      env: {
        ATELIER_ALLOW_PRIVATE_NETWORK: '',
        ATELIER_LOCAL_CONCURRENCY: '32',
        // As behind a balancer: more connections than one client may have.
        ATELIER_TRUSTED_PROXIES: '127.0.0.1',
      },
    });
  });
  after(() => gateway.close());

  test('I13 the canary is alive', async () => {
    const outbound = openOutbound({ allowPrivate: true });
    for (const host of ['127.0.0.1', '[::1]'])
      await outbound.request(`http://${host}:${port}/`, { method: 'GET', timeoutMs: 5_000, maxBytes: 1 });
    await outbound.close();
    assert.equal(visits, 2);
    visits = 0;
  });

  test('I13 three hundred hostile addresses in every media field reach no server inside', async () => {
    const fields = findFields();
    assert.ok(fields.length >= 20, `found ${fields.length} fields`);
    const forms = formsTo(port);
    const key = await gateway.key();
    const tried = forms.flatMap((form, index) =>
      [0, 1, 2].map(turn => ({ form, field: fields[(index * 3 + turn) % fields.length]! })),
    );
    assert.ok(tried.length >= 300, `${tried.length} texts`);
    const ends = await Promise.all(
      tried.map(async ({ form, field: { model, bodyWith } }) => {
        const path = `/v1/queue/${model.id}`;
        const made = await gateway.ask('POST', path, { key, body: bodyWith(form) });
        if (made.status !== 200) return made.status;
        const ended = await until(async () => {
          const response = pathOf(made.body.request_id, '/response', model.id);
          const { status, body } = await gateway.ask('GET', response, {
            key,
            headers: { prefer: 'wait=30' },
          });
          return status === 200 && body;
        }, `the end of a job with ${form}`);
        return `${ended.error?.code} ${reasons.test(ended.error?.message ?? '')}`;
      }),
    );
    assert.equal(visits, 0);
    for (const [index, { form, field }] of tried.entries()) {
      const expected = looksLikeAddress.test(form) ? 'file_download_error true' : 422;
      assert.deepEqual({ form, in: field.name, end: ends[index] }, { form, in: field.name, end: expected });
    }
  });

  test('I13 none of them is taken for the address of a callback', async () => {
    const key = await gateway.key();
    for (const form of formsTo(port)) {
      const body = { prompt: 'A boat', aspect_ratio: '1:1', callback_url: form };
      const { status, body: refusal } = await gateway.ask('POST', `/v1/queue/${image}`, { key, body });
      assert.deepEqual({ form, status }, { form, status: 422 });
      assert.match(refusal.detail, /^callback_url: /);
    }
    assert.equal(visits, 0);
  });
});

test('I13 a name that resolves to a private address between two requests, or within one, reaches no server inside', async () => {
  // A public address that is assigned to no server: the connection fails wherever this runs.
  const outside = '3ffe::1';
  const answers = [
    [outside],
    ['127.0.0.1'],
    [outside],
    ['::1'],
    [outside, '127.0.0.1'],
    ['::ffff:127.0.0.1'],
  ];
  let lookups = 0;
  const outbound = openOutbound({
    allowPrivate: false,
    resolve: async () => answers[lookups++ % answers.length]!,
  });
  const kinds: string[] = [];
  for (const _ of answers) {
    const url = `http://rebinding.example:${port}/a.png`;
    kinds.push((await outbound.request(url, { method: 'GET', timeoutMs: 300, maxBytes: 1 })).kind);
  }
  await outbound.close();
  assert.deepEqual(kinds, [
    'failed',
    'refused_address',
    'failed',
    'refused_address',
    'refused_address',
    'refused_address',
  ]);
  // Looked up once a request: there is no second answer that could differ.
  assert.equal(lookups, answers.length);
  assert.equal(visits, 0);
});
