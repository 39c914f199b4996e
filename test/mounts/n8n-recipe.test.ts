/** The workflow of the recipe for n8n: the requests that its nodes make, with their expressions resolved. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { startGateway, type TestGateway, until } from '../../testkit/gateway/gateway.ts';

const named = z.object({ name: z.string(), value: z.string() });
const node = z.object({
  name: z.string(),
  type: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});
const workflow = z.object({
  nodes: z.array(node),
  connections: z.record(
    z.string(),
    z.object({ main: z.array(z.array(z.object({ node: z.string(), type: z.literal('main') }))) }),
  ),
});
const request = z.object({
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  authentication: z.literal('genericCredentialType').optional(),
  headerParameters: z.object({ parameters: z.array(named) }).optional(),
  jsonBody: z.string().optional(),
  options: z.object({
    response: z
      .object({
        response: z.object({
          fullResponse: z.boolean().optional(),
          responseFormat: z.literal('file').optional(),
        }),
      })
      .optional(),
  }),
});
const settings = z.object({ assignments: z.object({ assignments: z.array(named) }) });
const condition = z.object({
  conditions: z.object({
    conditions: z.tuple([
      z.object({
        leftValue: z.string(),
        rightValue: z.unknown(),
        operator: z.object({ operation: z.enum(['equals', 'true']) }),
      }),
    ]),
  }),
});

/** Of an execution; two for each second in which a job is asked for again. */
const maxSteps = 1_000;

type Node = z.infer<typeof node>;
/** What an item of n8n has: JSON, or a file. */
type Json = Readonly<Record<string, unknown>>;

let gateway: TestGateway;
let key: string;
before(async () => {
  gateway = await startGateway();
  key = await gateway.key();
});
after(() => gateway.close());

/** One execution by the rules of n8n: a node runs, and its output goes along one of its connections. */
function openExecution(
  id: string,
  flow: z.infer<typeof workflow>,
  changed: Readonly<Record<string, string>>,
) {
  const outputs = new Map<string, Json>();
  const requests: string[] = [];
  const names = {
    $execution: { id },
    $itemIndex: 0,
    $: (name: string) => ({ item: { json: outputs.get(name) } }),
  };

  /** `=text {{ expression }}`: an expression alone keeps its type. */
  function resolve(text: string, $json: Json): unknown {
    if (!text.startsWith('=')) return text;
    const all = { ...names, $json };
    const evaluate = (code: string): unknown =>
      new Function(...Object.keys(all), `return (${code})`)(...Object.values(all));
    const [, only] = /^=\{\{((?:(?!\}\} *\{\{|\}\}.).)*)\}\}$/s.exec(text) ?? [];
    if (only !== undefined) return evaluate(only);
    return text.slice(1).replaceAll(/\{\{(.*?)\}\}/g, (_, code: string) => String(evaluate(code)));
  }

  async function send(parameters: z.infer<typeof request>, $json: Json): Promise<Json> {
    const { method, url, authentication, headerParameters, jsonBody, options } = parameters;
    const headers = new Headers(authentication && { authorization: `Bearer ${key}` });
    for (const { name, value } of headerParameters?.parameters ?? [])
      headers.set(name, String(resolve(value, $json)));
    const body = jsonBody === undefined ? null : JSON.stringify(resolve(jsonBody, $json));
    if (body !== null) headers.set('content-type', 'application/json');
    const answer = await fetch(String(resolve(url, $json)), { method, headers, body });
    requests.push(`${method} ${answer.status}`);
    assert.ok(answer.ok, `a node fails at a status that is no success: ${await answer.clone().text()}`);
    const { fullResponse, responseFormat } = options.response?.response ?? {};
    if (responseFormat === 'file')
      return {
        mimeType: answer.headers.get('content-type'),
        bytes: (await answer.arrayBuffer()).byteLength,
      };
    const json = (await answer.json()) as Json;
    return fullResponse ? { statusCode: answer.status, body: json } : json;
  }

  /** The output of a node, and the index of the connection that it takes. */
  async function run({ name, type, parameters }: Node, $json: Json): Promise<readonly [Json, number]> {
    switch (type) {
      case 'n8n-nodes-base.manualTrigger':
        return [{}, 0];
      case 'n8n-nodes-base.set': {
        const given = settings
          .parse(parameters)
          .assignments.assignments.map(each => [each.name, changed[each.name] ?? each.value]);
        return [Object.fromEntries(given), 0];
      }
      case 'n8n-nodes-base.httpRequest':
        return [await send(request.parse(parameters), $json), 0];
      case 'n8n-nodes-base.if': {
        const [{ leftValue, rightValue, operator }] = condition.parse(parameters).conditions.conditions;
        const left = resolve(leftValue, $json);
        return [$json, left === (operator.operation === 'true' ? true : rightValue) ? 0 : 1];
      }
      case 'n8n-nodes-base.stopAndError':
        throw new Error(String(resolve(String(parameters.errorMessage), $json)));
      default:
        throw new Error(`the recipe has a node that this test does not know: ${name} (${type})`);
    }
  }

  return {
    requests,
    outputs,
    /** The output of the last node. */
    async run(): Promise<Json> {
      let at: Node | undefined = flow.nodes.find(({ type }) => type.endsWith('Trigger'));
      let json: Json = {};
      for (let steps = 0; at; steps += 1) {
        assert.ok(steps < maxSteps, 'the execution comes to an end');
        const [output, branch]: readonly [Json, number] = await run(at, json);
        outputs.set(at.name, output);
        json = output;
        const next: string | undefined = flow.connections[at.name]?.main[branch]?.[0]?.node;
        at = flow.nodes.find(({ name }) => name === next);
      }
      return json;
    },
  };
}

/** The workflow of the recipe with these settings, and with a shorter `Prefer` of *Result* where a test asks for one. */
async function openRecipe(id: string, changed: Readonly<Record<string, string>> = {}, prefer = 'wait=60') {
  const text = await readFile(new URL('../../docs/recipes/n8n.json', import.meta.url), 'utf8');
  assert.match(text, /"wait=60"/);
  const flow = workflow.parse(JSON.parse(text.replace('"wait=60"', JSON.stringify(prefer))));
  return openExecution(id, flow, { gateway: gateway.url, ...changed });
}

test('creates a job, waits for it and downloads its file; its repetition is the same job', async () => {
  const first = await openRecipe('231');
  const file = await first.run();
  assert.equal(file.mimeType, 'image/png');
  assert.ok(Number(file.bytes) > 1000);
  assert.deepEqual(first.requests, ['POST 200', 'GET 200', 'GET 200']);
  const again = await openRecipe('231');
  await again.run();
  assert.equal(again.outputs.get('Create')?.request_id, first.outputs.get('Create')?.request_id);
});

test('an unfinished job is asked for again until its end, and then downloaded', async () => {
  // A wait of a second, so that an answer comes before the end.
  const execution = await openRecipe('232', { prompt: 'A slow balloon [atelier:slow=600]' }, 'wait=1');
  const seen = execution.run();
  await until(async () => execution.requests.includes('GET 202'), 'the answer before the end');
  // Past the half: it is drawn, and now only waits. A delay that begins after the clock was advanced lasts its time.
  const { status_url } = execution.outputs.get('Create') as { status_url: string };
  await until(
    async () => (await gateway.ask('GET', status_url, { key })).body.progress > 0.5,
    'the progress to show more than the half',
  );
  gateway.clock.advance(600_000);
  const file = await seen;
  assert.equal(file.mimeType, 'image/png');
  const unfinished = execution.requests.filter(each => each === 'GET 202');
  assert.deepEqual(execution.requests, ['POST 200', ...unfinished, 'GET 200', 'GET 200']);
});

test('a cancelled job stops the execution', async () => {
  const execution = await openRecipe('234', { prompt: 'A slow balloon [atelier:slow=60]' });
  const seen = execution.run();
  await until(async () => execution.requests.length > 0, 'the job');
  const { body } = await gateway.ask('GET', '/v1/jobs', { key });
  const { request_id: id, model } = body.data[0];
  await gateway.ask('PUT', `/v1/queue/${model}/requests/${id}/cancel`, { key });
  await assert.rejects(seen, { message: 'Runtime execution failed: the job was cancelled' });
});

test('a failed job stops the execution with its reason', async () => {
  const execution = await openRecipe('233', {
    prompt: 'A balloon [atelier:fail=content_policy_violation]',
  });
  await assert.rejects(execution.run(), {
    message: 'Runtime execution failed: requested by the switch [atelier:fail=content_policy_violation]',
  });
});
