/** Generated bodies over the wire: what the schema of a model allows is accepted, each mutant is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { models } from '../../src/catalog/index.ts';
import { mutants, soundBodies } from '../../testkit/clients/payloads.ts';
import { finishedPictures } from '../../testkit/databases/finished-jobs.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

/** One user, and a key a test: a key has its rate. */
const userName = 'generated';
/** What the generator writes for a medium and for an earlier video; no such file is there. */
const madeUpFile = /^file_0123456789abcdefghijABCD$/;

describe('generated bodies over the wire', () => {
  let gateway: TestGateway;
  let pictures: string;
  before(async () => {
    gateway = await startGateway({ role: 'api' });
    pictures = await finishedPictures(gateway, await gateway.key({ userName }), 4);
  });
  after(() => gateway.close());

  for (const model of models) {
    const create = async (key: string, body: unknown) =>
      gateway.ask('POST', `/v1/queue/${model.id}`, { key, body });

    test(`${model.id} answers 200 to whatever its description allows and no rule forbids`, async () => {
      const key = await gateway.key({ userName });
      const sendable = soundBodies(model)
        .map(body => withThingsThatExist(body, pictures))
        .filter(body => model.parse(body).ok && !pointsAtDrafts(body));
      await fc.assert(
        fc.asyncProperty(sendable, async body => {
          const answer = await create(key, body);
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
        }),
        { numRuns: 100 },
      );
    });

    test(`${model.id} answers 422 to what its description forbids, and names the place`, async () => {
      const key = await gateway.key({ userName });
      await fc.assert(
        fc.asyncProperty(mutants(model), async ({ path, body }) => {
          const answer = await create(key, body);
          assert.equal(answer.status, 422, JSON.stringify(answer.body));
          assert.equal(decodeURIComponent(answer.headers.get('x-error-fields') ?? ''), path);
        }),
        { numRuns: 60 },
      );
    });
  }
});

/** Addresses instead of files that are not there, a job that gave pictures, and no task id twice. */
function withThingsThatExist(value: unknown, pictures: string): unknown {
  if (typeof value === 'string') return madeUpFile.test(value) ? 'https://files.test/a' : value;
  if (Array.isArray(value)) return value.map(item => withThingsThatExist(item, pictures));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name === 'external_task_id') return [];
      if (name === 'jobId') return [[name, pictures]];
      if (name === 'video_creation_id') return [['video_url', 'https://files.test/a']];
      // A polygon is drawn on a picture of one size; others are refused by a rule on media.
      if (name === 'mask') return [];
      return [[name, withThingsThatExist(member, pictures)]];
    }),
  );
}

const pointsAtDrafts = (body: unknown): boolean => JSON.stringify(body).includes('"draft_task"');
