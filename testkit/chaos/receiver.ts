/** The receiver of callbacks in a chaos run: it records each of them and fails some. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** A callback as it was received. */
export interface Receipt {
  /** `webhook-id`: the same over all attempts. */
  readonly id: string;
  readonly jobId: string;
  readonly status: string;
  /** Whether its signature is valid. */
  readonly isSigned: boolean;
}

export interface Receiver {
  readonly url: string;
  readonly receipts: readonly Receipt[];
  /** Signatures are verified by this secret; call it before the first callback. */
  trust(secret: string): void;
  close(): Promise<void>;
}

/** Answers `failedShare` of the callbacks with 500, so that they are retried. */
export async function startReceiver(random: () => number, failedShare: number): Promise<Receiver> {
  const receipts: Receipt[] = [];
  let secret = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body: { readonly request_id: string; readonly status: string } = JSON.parse(text);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    receipts.push({
      id: headers['webhook-id'] ?? '',
      jobId: body.request_id,
      status: body.status,
      isSigned: isSigned(secret, text, headers),
    });
    response.writeHead(random() < failedShare ? 500 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('expected an address');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    receipts,
    trust(callbackSecret) {
      secret = callbackSecret;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function isSigned(secret: string, text: string, headers: Readonly<Record<string, string>>): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
