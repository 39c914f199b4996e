/** Lists, deletions and repeated creations at the mount of OpenAI, on either database; jobs wait for ever. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dialects } from '../../testkit/databases/databases.ts';
import { startGateway, type TestGateway } from '../../testkit/gateway/gateway.ts';

for (const dialect of dialects)
  describe(dialect, () => {
    let gateway: TestGateway;
    let key: string;
    before(async () => {
      gateway = await startGateway({ dialect, role: 'api' });
      key = await gateway.key();
    });
    after(() => gateway.close());

    const create = async (prompt: string, headers: Record<string, string> = {}): Promise<string> => {
      const body = { model: 'eta2.6-t2v', prompt, seconds: '4', size: '1280x720' };
      const made = await gateway.ask('POST', '/openai/v1/videos', { key, body, headers });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      return made.body.id;
    };

    test('a list has the videos of its user in either order, and none that was deleted', async () => {
      const ids = [await create('one'), await create('two'), await create('three')];
      const list = async (query: string) => {
        const { body } = await gateway.ask('GET', `/openai/v1/videos?${query}`, { key });
        return [body.data.map((video: { id: string }) => video.id), body.has_more];
      };
      assert.deepEqual(await list('order=asc&limit=2'), [ids.slice(0, 2), true]);
      assert.deepEqual(await list(`order=asc&after=${ids[1]}`), [[ids[2]], false]);
      assert.deepEqual(await list(`after=${ids[2]}`), [[ids[1], ids[0]], false]);
      await gateway.ask('DELETE', `/openai/v1/videos/${ids[1]}`, { key });
      assert.deepEqual(await list('order=desc'), [[ids[2], ids[0]], false]);
    });

    test('the same body is another video, unless the package counts it as a retry', async () => {
      const first = await create('again');
      const second = await create('again');
      assert.notEqual(second, first);
      assert.equal(await create('again', { 'x-stainless-retry-count': '1' }), second);
    });

    test('a held request and its repetition wait for one job; other words are another one', async () => {
      const hold = async (prompt: string) => {
        const body = { model: 'gamma-v2-image', prompt };
        const headers = { prefer: 'wait=1' };
        const answer = await gateway.ask('POST', '/openai/v1/images/generations', { key, body, headers });
        assert.equal(answer.status, 504);
        return answer.headers.get('x-atelier-request-id');
      };
      const [first, atOnce, other] = await Promise.all([hold('A fox'), hold('A fox'), hold('A hare')]);
      assert.equal(atOnce, first);
      assert.notEqual(other, first);
      assert.equal(await hold('A fox'), first);
    });
  });
