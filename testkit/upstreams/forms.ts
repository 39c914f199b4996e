/** Reads multipart forms of upstreams that accept files. */
import type { ProtocolRequest } from './protocol.ts';

/** A form as JSON: `<image/jpeg>` for a file, a list where a name is repeated. */
export function readForm({ headers, text }: ProtocolRequest): Readonly<Record<string, unknown>> | null {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return null;
  const fields: Record<string, unknown> = {};
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...body] = part.split('\r\n\r\n');
    const name = / name="([^"]*)"/.exec(head)?.[1] ?? '';
    const type = /\r\nContent-Type: (\S+)/i.exec(head)?.[1];
    const value = type === undefined ? body.join('\r\n\r\n').replace(/\r\n$/, '') : `<${type}>`;
    fields[name] = name in fields ? [fields[name], value].flat() : value;
  }
  return fields;
}
