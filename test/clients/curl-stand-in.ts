/** A program that takes the arguments of curl that the tests use, for machines without curl. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

/** `curl -s [-H header]… [-d body] [-o file] URL`, for machines without curl. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    output: { type: 'string', short: 'o' },
  },
});
const [url = ''] = positionals;
const headers = values.header.map((line): [string, string] => {
  const [name = '', ...rest] = line.split(':');
  return [name, rest.join(':').trim()];
});
const answer = await fetch(url, {
  headers,
  redirect: 'manual',
  ...(values.data !== undefined && { method: 'POST', body: values.data }),
});
if (answer.body)
  await pipeline(answer.body, values.output ? createWriteStream(values.output) : process.stdout);
