/** Sends raw bytes to a gateway and reads its answers; mutations of bytes. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import fc from 'fast-check';

/** How long a client waits for an answer, or for the rest of one. */
const patienceMs = 5_000;

/** What a bare connection was answered: the status, and whether the body has a documented shape. */
export interface Said {
  readonly status: number;
  readonly body: string;
}

/** Sends bytes as they are and returns every answer to them. Hangs up where the server waits for more. */
export async function exchange(
  url: string,
  bytes: Uint8Array,
  waitMs = patienceMs,
): Promise<readonly Said[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  // A refusal in the middle closes the connection: what was answered until then counts.
  const answered = new Promise<Buffer>(resolve => {
    const chunks: Buffer[] = [];
    socket.on('data', chunk => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
  socket.setTimeout(waitMs, () => socket.destroy());
  socket.write(bytes);
  return readAnswers((await answered).toString('latin1'));
}

/** Every answer is one that is documented, and none is a failure of ours. */
export function assertOrderly(answers: readonly Said[]): void {
  for (const { status, body } of answers) {
    assert.ok(status < 500, `${status}: ${body}`);
    // Where there is no request at all, Node itself may answer with a status alone.
    if (status >= 400) assert.ok(body === '' || isDocumented(body), body);
  }
}

/** One to six bytes of it exchanged, left out, doubled or put in. */
export function mutationsOf(right: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    at: fc.nat({ max: right.length - 1 }),
    kind: fc.constantFrom('exchange', 'leave out', 'double', 'cut'),
    byte: fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(...Buffer.from('"{}[]\\,:\r\n-;=%\0'))),
  });
  return fc.array(change, { minLength: 1, maxLength: 6 }).map(changes => {
    let bytes = Buffer.from(right);
    for (const { at, kind, byte } of changes) {
      const place = Math.min(at, Math.max(0, bytes.length - 1));
      const rest = bytes.subarray(place + 1);
      const start = bytes.subarray(0, place);
      if (kind === 'cut' && changes.length === 1) bytes = Buffer.from(start);
      else if (kind === 'leave out') bytes = Buffer.concat([start, rest]);
      else if (kind === 'double')
        bytes = Buffer.concat([bytes.subarray(0, place + 1), bytes.subarray(place)]);
      else bytes = Buffer.concat([start, Buffer.from([byte]), rest]);
    }
    return new Uint8Array(bytes);
  });
}

/** The three error bodies of the contract. */
function isDocumented(body: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return false;
  }
  const keys = (of: unknown) =>
    typeof of === 'object' && of !== null ? Object.keys(of).toSorted().join() : '';
  if (keys(value) === 'detail') return typeof (value as { detail: unknown }).detail === 'string';
  const { error } = value as { readonly error?: unknown };
  return (
    (keys(value) === 'error,request_id' && keys(error) === 'code,message') ||
    (keys(value) === 'error' && keys(error) === 'code,message,param,type')
  );
}

/** The answers that stand one after another in what a connection gave. */
function readAnswers(text: string): readonly Said[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(answer => answer !== '')
    .map(answer => {
      const [, status = ''] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
      const [head = '', ...rest] = answer.split('\r\n\r\n');
      const isEmpty = /^transfer-encoding: chunked$/im.test(head) && rest[0] === '0';
      return { status: Number(status), body: isEmpty ? '' : rest.join('\r\n\r\n') };
    });
}
