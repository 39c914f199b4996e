/**
 * Prints `ready`, waits for input, sends concurrent uploads as fast as they are accepted, and prints the seconds they
 * took. A separate program, so that sending does not slow the measuring process.
 */
import { once } from 'node:events';
import { request } from 'node:http';

const [url = '', key = '', form = 'multipart', uploads = '8', contentBytes = '0'] = process.argv.slice(2);
const boundary = 'the-edge';
const bytes = Number(contentBytes);
/** Repeated to the length of the content: a multiple of three bytes, so that its base64 can be concatenated. */
const piece = Buffer.alloc(3 * 16 * 1024, 'words ');
const encodedPiece = Buffer.from(piece.toString('base64'));

process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const begun = performance.now();
const statuses = await Promise.all(Array.from({ length: Number(uploads) }, send));
const refused = statuses.filter(status => status !== 200);
if (refused.length > 0) throw new Error(`expected every upload to be accepted, got ${refused.join(', ')}`);
process.stdout.write(`${(performance.now() - begun) / 1000}\n`);

/** Sends one upload with backpressure; its HTTP status. */
function send(): Promise<number> {
  const body = form === 'json' ? jsonBody() : formBody();
  return new Promise((resolve, reject) => {
    const sending = request(`${url}/v1/files`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': form === 'json' ? 'application/json' : `multipart/form-data; boundary=${boundary}`,
        'content-length': body.lengthBytes,
      },
    });
    sending.on('error', reject);
    sending.on('response', response => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    const chunks = body.chunks();
    const write = () => {
      for (let next = chunks.next(); ; next = chunks.next()) {
        if (next.done) return void sending.end();
        if (!sending.write(next.value)) return void sending.once('drain', write);
      }
    };
    write();
  });
}

/** A body that is generated while it is sent: uploads are larger than this process should keep. */
interface Body {
  readonly lengthBytes: number;
  chunks(): Generator<Uint8Array, void>;
}

function formBody(): Body {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n`;
  return bodyOf(Buffer.from(head), piece, bytes, Buffer.from(`\r\n--${boundary}--\r\n`));
}

/** The content in base64, as `POST /v1/files` accepts it. */
function jsonBody(): Body {
  const whole = Math.floor(bytes / 3) * 4;
  const rest = Buffer.alloc(bytes % 3, 'w').toString('base64');
  return bodyOf(
    Buffer.from('{"mime_type":"text/plain","filename":"a.txt","data":"'),
    encodedPiece,
    whole,
    Buffer.from(`${rest}"}`),
  );
}

function bodyOf(head: Uint8Array, repeated: Uint8Array, repeatedBytes: number, tail: Uint8Array): Body {
  return {
    lengthBytes: head.length + repeatedBytes + tail.length,
    *chunks() {
      yield head;
      for (let left = repeatedBytes; left > 0; left -= repeated.length) {
        yield left < repeated.length ? repeated.subarray(0, left) : repeated;
      }
      yield tail;
    },
  };
}
