/** A receiver of callbacks whose answer can be changed. */
import { once } from 'node:events';
import { createServer } from 'node:http';

/** The other side of callbacks. */
export interface Receiver {
  readonly url: string;
  /** The `webhook-id` of every call, in order. */
  readonly ids: readonly string[];
  answerFromNowOn(code: number): void;
  close(): Promise<void>;
}

/** Answers 410, which ends the attempts of a callback, until another answer is set. */
export async function startReceiver(): Promise<Receiver> {
  const ids: string[] = [];
  let code = 410;
  const server = createServer((request, response) => {
    request.resume();
    ids.push(String(request.headers['webhook-id']));
    response.writeHead(code).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('expected a port');
  return {
    url: `http://127.0.0.1:${address.port}/hooks`,
    ids,
    answerFromNowOn: next => {
      code = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
