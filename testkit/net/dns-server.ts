/** A DNS server that knows a few names and leaves others unanswered. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** What a name has: addresses of both families, or another name; absent: the server never answers. */
export type Zone = Readonly<Record<string, readonly string[] | { readonly alias: string }>>;

/** A DNS server on 127.0.0.1 that knows a few names, says of `…unknown.test` that there is none, and else is silent. */
export interface TestDns {
  /** As `ATELIER_DNS_SERVERS` names it. */
  readonly address: string;
  /** The names that were asked for, one entry a question. */
  readonly asked: readonly string[];
  close(): void;
}

const types = { a: 1, cname: 5, aaaa: 28 };

export async function startDns(zone: Zone = {}): Promise<TestDns> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question);
    asked.push(name);
    const answers = answersFor(zone, name, type);
    if (!answers) return;
    const head = Buffer.from(question.subarray(0, end));
    // An answer, recursion available; 3: there is no such name.
    head.writeUInt16BE(name.endsWith('unknown.test') ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(answers.length, 6);
    head.fill(0, 8, 12);
    socket.send(Buffer.concat([head, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() };
}

function readQuestion(question: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 };
}

/** Null: no answer at all. */
function answersFor(zone: Zone, name: string, type: number): readonly Buffer[] | null {
  if (name.endsWith('unknown.test')) return [];
  const found = zone[name];
  if (!found) return null;
  if ('alias' in found) {
    const rest = answersFor(zone, found.alias, type) ?? [];
    return [record(nameIn(name), types.cname, nameIn(found.alias)), ...rest];
  }
  return found
    .filter(address => (isIPv6(address) ? types.aaaa : types.a) === type)
    .map(address => record(nameIn(name), type, bytesOf(address)));
}

const nameIn = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map(label => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);

function record(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([name, fixed, data]);
}

/** Of IPv6 the few spellings with one `::` and no dots. */
function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [first = '', last = ''] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16));
  const [head, tail] = [groups(first), groups(last)];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of head.entries()) bytes.writeUInt16BE(group, 2 * index);
  for (const [index, group] of tail.entries()) bytes.writeUInt16BE(group, 16 - 2 * (tail.length - index));
  return bytes;
}
