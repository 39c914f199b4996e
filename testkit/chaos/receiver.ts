/** Receives the callbacks of a chaos run and verifies their signatures. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** A callback as it came in. */
export interface Receipt {
  /** `webhook-id`: the same over all tries. */
  readonly id: string;
  readonly jobId: string;
  readonly status: string;
  readonly isSigned: boolean;
}

export interface Receiver {
  readonly url: string;
  readonly receipts: readonly Receipt[];
  /** Verified from now on; before it, nothing is expected to come. */
  trust(secret: string): void;
  close(): Promise<void>;
}

/** Where callbacks go. It answers some of them with trouble, so that they come again. */
export async function startReceiver(random: () => number, troubleShare: number): Promise<Receiver> {
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
    response.writeHead(random() < troubleShare ? 500 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('expected an address');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    receipts,
    trust(given) {
      secret = given;
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
