/** The limits that docs/api.md states are the limits that the models apply. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { checkUrl } from '../../src/media/address-guard.ts';
import { modelOf, withChange } from './tables.ts';

const refusedPorts = [9042, 9092, 9200, 9300, 10250, 10255, 10256, 11211, 11434, 15672, 27017, 27018, 27019];

/** Each row: what the page states, the model, and a change to its first example that is accepted, and one that is not. */
type Row = readonly [says: string, model: string, accepted: object, refused: object];

const place = { x: 0, y: 0, width: 1024, height: 1024 };
const corner = [0, 0, 400, 0, 400, 400];
const areas = (count: number, numbers: number) => ({
  mask: {
    areas: Array.from({ length: count }, () => ({
      width: 1024,
      height: 1024,
      points: Array.from({ length: numbers }, (_, index) => corner[index % 6]!),
    })),
  },
});
const shots = (seconds: string) => ({
  prompt: `shot 1, ${seconds}, a boat\nshot 2, 3, a kite`,
  settings: { duration: 5 },
});

const rows: readonly Row[] = [
  [
    '64 to 4096 px each',
    'beta-edit',
    { canvas: { width: 64, height: 4096 } },
    { canvas: { width: 63, height: 4096 } },
  ],
  [
    '64 to 4096 px each',
    'beta-edit',
    { canvas: { width: 4096, height: 64 } },
    { canvas: { width: 4097, height: 64 } },
  ],
  [
    '-8192 to 8192 px',
    'beta-edit',
    { imgPos: { x: -8191, y: 0, width: 8192, height: 10 } },
    { imgPos: { x: -8193, y: 0, width: 8192, height: 10 } },
  ],
  [
    '1 to 8192 px',
    'beta-edit',
    { imgPos: { ...place, width: 8192, height: 1 } },
    { imgPos: { ...place, width: 8193 } },
  ],
  ['at most 100 areas', 'beta-edit', areas(100, 6), areas(101, 6)],
  ['at most 10,000 numbers in `points`', 'beta-edit', areas(1, 10_000), areas(1, 10_002)],
  [
    '1 to 256 characters',
    'gamma-v3-image',
    { external_task_id: '灯'.repeat(256) },
    { external_task_id: '灯'.repeat(257) },
  ],
  [
    'nested at most 10 deep',
    'beta-edit',
    { remixPrompt: `${'{'.repeat(10)}a${'}'.repeat(10)}` },
    { remixPrompt: `${'{'.repeat(11)}a${'}'.repeat(11)}` },
  ],
  ['whole seconds, at least 1', 'gamma-v3-turbo-t2v', shots('2'), shots('0')],
  ['whole seconds, at least 1', 'gamma-v3-turbo-t2v', shots('2'), shots('2.5')],
];

describe('the bounds in docs/api.md', () => {
  let page: string;
  before(async () => {
    page = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  });

  for (const [says, id, accepted, refused] of rows) {
    test(`${id}: ${says}, of ${Object.keys(refused).join(', ')}`, () => {
      assert.ok(page.includes(says));
      const model = modelOf(id);
      const [first] = model.examples;
      assert.equal(model.parse(withChange(first, { ...accepted })).ok, true);
      assert.equal(model.parse(withChange(first, { ...refused })).ok, false);
    });
  }

  test('the ports of callbacks and media', () => {
    const isOpen = (port: number) => checkUrl(`http://client.test:${port}/`, { allowPrivate: false }).ok;
    for (const port of [80, 443, 8080, 8443, 65_535]) assert.equal(isOpen(port), true, String(port));
    for (const port of [1, 79, 81, 3000, 8081, 8442, ...refusedPorts])
      assert.equal(isOpen(port), false, String(port));
    const documentedPorts =
      /from 8443 on but ([\d, ]+) and 27017 to 27019/.exec(page)?.[1]?.split(', ').map(Number) ?? [];
    assert.deepEqual([...documentedPorts, 27017, 27018, 27019], refusedPorts);
  });

  test('an extension is drawn without its source', () => {
    const model = modelOf('epsilon-q2-turbo-extend');
    const parsed = model.parse({ video_url: 'https://files.test/a.mp4', resolution: '540p', duration: 3 });
    assert.ok(parsed.ok);
    const plan = model.render(parsed.input);
    assert.ok(plan.kind === 'video');
    assert.equal(
      plan.shots.reduce((sum, { seconds }) => sum + seconds, 0),
      3,
    );
    assert.ok(page.includes('the source is not included'));
  });
});
