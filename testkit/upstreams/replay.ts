/** A server that plays a cassette: each request gets the next answer of its method and path. */
import { isDeepStrictEqual } from 'node:util';
import { basePlaceholder, type Cassette } from '../../src/providers/kit/cassette.ts';
import { listen, readBody } from '../upstream/listen.ts';

export interface Replay {
  readonly url: string;
  /** Requests that the cassette does not have, or has with another body; calls that were never made. */
  faults(): readonly string[];
  close(): Promise<void>;
}

/** The last answer of a path repeats, as the state of a job that ended does. */
export async function openReplay({ exchanges }: Cassette): Promise<Replay> {
  const faults: string[] = [];
  const asked = new Set<(typeof exchanges)[number]>();
  const nameOf = (method: string, path: string) => `${method} ${path}`;
  let url = '';
  const written = (value: unknown) => JSON.stringify(value).replaceAll(basePlaceholder, url);

  const server = await listen(async (request, response) => {
    const body = (await readBody(request)).toString();
    const name = nameOf(request.method ?? '', request.url ?? '');
    const all = exchanges.filter(({ request: { method, path } }) => nameOf(method, path) === name);
    const found = all.find(exchange => !asked.has(exchange)) ?? all.at(-1);
    if (!found) {
      faults.push(`no answer to ${name} ${body}`);
      response.writeHead(501).end();
      return;
    }
    asked.add(found);
    const { request: expected, answer } = found;
    // A form is kept as a sentence.
    const isCompared = expected.body !== undefined && typeof expected.body !== 'string';
    if (isCompared && !isDeepStrictEqual(parse(body), parse(written(expected.body))))
      faults.push(`${name}: sent ${body}`);
    if ('broken' in answer) {
      request.socket.destroy();
      return;
    }
    const isText = typeof answer.body === 'string';
    const type = isText ? 'text/plain' : 'application/json';
    const text = isText ? String(answer.body) : written(answer.body);
    response.writeHead(answer.status, { 'content-type': type, ...answer.headers }).end(text);
  });
  url = server.url;
  return {
    url,
    faults: () => [
      ...faults,
      ...exchanges
        .filter(exchange => !asked.has(exchange))
        .map(({ request: { method, path } }) => `never sent: ${nameOf(method, path)}`),
    ],
    close: () => server.close(),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
