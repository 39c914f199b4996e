/** What the pickers of earlier results in the console ask for: one's own results, however much others make. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { promptsOf } from '../../src/catalog/prompt-of.ts';
import { hours } from '../../src/domain/clock.ts';
import { indexJobs } from '../../src/store/jobs/search-index.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { image } from '../../testkit/clients/queue.ts';
import { dialects } from '../../testkit/databases/databases.ts';
import { fillWithPictures, finishWithPictures } from '../../testkit/databases/finished-jobs.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

const token = 'the-admin-token-of-this-very-test';
const prompt = 'A pier at dusk';
/** Far more than a page shows, and than the first part of a search looks at. */
const others = 3_000;

for (const dialect of dialects) {
  describe(`behind ${others} newer results of others, on ${dialect}`, () => {
    let gateway: TestGateway;
    let own: string;
    before(async () => {
      gateway = await startGateway({
        dialect,
        role: 'api',
        isAlone: true,
        env: { ATELIER_ADMIN_TOKEN: token },
      });
      own = (await ask('POST', `models/${image}/run`, { prompt, aspect_ratio: '1:1' })).request_id;
      await finishWithPictures(gateway, own, 1);
      gateway.clock.advance(1 * hours);
      const wanted = { userName: 'busy', name: null, models: null, expiresAt: null };
      const { key } = await createKey(gateway.gateway.db, wanted, gateway.clock.now());
      await fillWithPictures(gateway, key.id, { count: others, prompt });
    });
    after(() => gateway.close());

    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await gateway.ask(method, `/admin/v1/${path}`, { key: token, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    /** All pages: a page whose search takes long is short, and the picker has a button for the next one. */
    const pages = async (path: string) => {
      const found: string[] = [];
      let after = '';
      do {
        const { data, next_after } = await ask('GET', `${path}&after=${after}`);
        found.push(...data.map((line: { request_id: string }) => line.request_id));
        after = next_after ?? '';
      } while (after !== '');
      return found;
    };

    test('the picker of files finds the file of the console', async () => {
      const query = 'files?kind=image&user=console&limit=48';
      assert.deepEqual(await pages(query), [own]);
      assert.deepEqual(await pages(`${query}&q=PICTURE`), [own]);
    });

    test('the picker of pictures finds the job of the console, by its prompt and without, indexed or not', async () => {
      const query = 'jobs?state=completed&kind=image&key=key_console&limit=50';
      const expectFound = async () => {
        assert.deepEqual(await pages(query), [own]);
        assert.deepEqual(await pages(`${query}&q=pier+dusk`), [own]);
        assert.deepEqual(await pages(`${query}&q=harbour`), []);
      };
      await expectFound();
      const now = gateway.clock.now() + 1 * hours;
      while (await indexJobs(gateway.gateway.db, { textOf: promptsOf, now, limit: 200 }));
      await expectFound();
    });
  });
}
