/** The request of a run as code that runs as it is copied: cURL, TypeScript, Python, command line, SDKs of others. */

import type { ModelDetail } from '../../api/answers.ts';
import { toJson } from '../../api/lossless-json.ts';
import { shellQuoted } from '../../components/shell-quoted.ts';
import { isMembers } from '../../form/input-value.ts';
import { aiSdk, fal, openai, replicate } from './sdk-snippets.ts';
import type { SnippetTarget } from './snippet-target.ts';

/** They need no package. */
const plain = ['cURL', 'TypeScript', 'Python', 'CLI'] as const;
/** Packages, and the mount that each one calls; null: our own protocol. */
const mountOf = {
  'OpenAI SDK': 'openai',
  'fal SDK': 'fal',
  'Replicate SDK': 'replicate',
  'AI SDK': null,
} as const;
const packages = ['OpenAI SDK', 'fal SDK', 'Replicate SDK', 'AI SDK'] as const;

/** The name of a tab. */
export type Language = (typeof plain | typeof packages)[number];

/** In the order of the tabs, those whose code runs: a mount may be switched off, and a model may be gone (undefined). */
export function languagesFor(model: Pick<ModelDetail, 'mounts'> | undefined): readonly Language[] {
  if (!model) return plain;
  const served = packages.filter(each => {
    const mount = mountOf[each];
    return mount === null || model.mounts.includes(mount);
  });
  return [...plain, ...served];
}

/** Stands where a key belongs; the gateway refuses it. */
export const placeholderKey = 'atl_YOUR_KEY';

/** A longer input goes to a file or to stdin: Linux limits one argument of a command to 128 KiB, and a character has up to three bytes. */
const longestArgument = 40_000;

/** The code that creates the job, waits for it and prints its result. */
export function snippet(language: Language, target: SnippetTarget, input: unknown): string {
  switch (language) {
    case 'cURL':
      return curl(target, input);
    case 'TypeScript':
      return typescript(target, input);
    case 'Python':
      return python(target, input);
    case 'CLI':
      return cli(target, input);
    case 'OpenAI SDK':
      return openai(target, input);
    case 'fal SDK':
      return fal(target, input);
    case 'Replicate SDK':
      return replicate(target, input);
    case 'AI SDK':
      return aiSdk(target, input);
  }
}

/** For any POSIX shell. `Prefer: wait` lets the gateway wait, so the loop asks once a minute. */
function curl({ url, key, model }: SnippetTarget, input: unknown): string {
  const json = toJson(input, 2);
  const isLong = json.length > longestArgument;
  return [
    `URL=${wordOf(`${url}/v1/queue/${model}`)}`,
    `KEY=${wordOf(key)}`,
    ...(isLong ? [`cat > input.json <<'INPUT'`, json, 'INPUT'] : []),
    'JOB=$(curl -sS "$URL" -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\',
    `  --data ${isLong ? '@input.json' : shellQuoted(json)})`,
    `printf '%s\\n' "$JOB"`,
    `ID=$(printf '%s' "$JOB" | sed -n 's/.*"request_id":"\\([^"]*\\)".*/\\1/p')`,
    'while [ -n "$ID" ] && [ "$(curl -sS -o result.json -w "%{http_code}" -H "Authorization: Bearer $KEY" \\',
    '  -H "Prefer: wait=60" "$URL/requests/$ID/response")" = 202 ]; do sleep 1; done',
    '[ -n "$ID" ] && cat result.json',
  ].join('\n');
}

/** With `fetch` alone, so that it needs no package: `node job.ts`. */
const typescript = ({ url, key, model }: SnippetTarget, input: unknown): string =>
  `// Save it as job.ts and run: node job.ts
// A client that is typed by model: npm install ${url}/client.tgz
const queue = ${toJson(`${url}/v1/queue/${model}`)};
const headers = { authorization: ${toJson(`Bearer ${key}`)}, 'content-type': 'application/json' };

const body = ${javascriptBody(input)};
const created = await fetch(queue, { method: 'POST', headers, body });
if (!created.ok) throw new Error(await created.text());
const { request_id } = (await created.json()) as { request_id: string };

let answer: Response;
do answer = await fetch(\`\${queue}/requests/\${request_id}/response\`, { headers: { ...headers, prefer: 'wait=60' } });
while (answer.status === 202);
console.log(await answer.json());

export {};`;

/** An integer beyond 2^53 would lose digits as a number of JavaScript: then the JSON is written as a text. */
const javascriptBody = (input: unknown): string =>
  hasBigInteger(input) ? toJson(toJson(input)) : `JSON.stringify(${toJson(input, 2)})`;

/** Whether any number of the input would lose digits in JavaScript. */
const hasBigInteger = (value: unknown): boolean =>
  typeof value === 'bigint' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(hasBigInteger));

/** With the standard library alone. */
const python = ({ url, key, model }: SnippetTarget, input: unknown): string =>
  `import json, time, urllib.request

queue = ${toJson(`${url}/v1/queue/${model}`)}
headers = {"Authorization": ${toJson(`Bearer ${key}`)}, "Content-Type": "application/json"}

def ask(url, body=None, **more):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, {**headers, **more})) as answer:
        return answer.status, json.load(answer)

_, job = ask(queue, ${pythonOf(input, '')})
status, result = 202, None
while status == 202:
    status, result = ask(f"{queue}/requests/{job['request_id']}/response", Prefer="wait=60")
print(json.dumps(result, indent=2))`;

/** A Python literal. Not by replacement in JSON: a string may contain `true`, too. */
function pythonOf(value: unknown, indent: string): string {
  const inner = `${indent}    `;
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map(item => inner + pythonOf(item, inner)).join(',\n')},\n${indent}]`;
  }
  if (isMembers(value)) {
    const members = Object.entries(value);
    if (members.length === 0) return '{}';
    return `{\n${members.map(([name, member]) => `${inner}${JSON.stringify(name)}: ${pythonOf(member, inner)}`).join(',\n')},\n${indent}}`;
  }
  return toJson(value);
}

/** `npx` finds the command there. */
const place = '# In the folder of Atelier';

/** `name=value` where every field is a short text, a number or a switch, else JSON on standard input. */
function cli({ url, key, model }: SnippetTarget, input: unknown): string {
  const members = isMembers(input) ? Object.entries(input) : [];
  const isFlat = members.every(
    ([, value]) => typeof value !== 'object' && String(value).length <= longestArgument,
  );
  const env = [`ATELIER_URL=${wordOf(url)}`, `ATELIER_API_KEY=${wordOf(key)}`];
  if (isFlat) {
    const words = members.map(([name, value]) => `  ${fieldOf(name, value)}`);
    return `${place}\n${[...env, `npx atelier run ${model}`, ...words, '  --save'].join(' \\\n')}`;
  }
  const command = [...env, `npx atelier run ${model} --json @- --save <<'INPUT'`].join(' \\\n');
  return `${place}\n${command}\n${toJson(input, 2)}\nINPUT`;
}

/** A text that is JSON, such as a length of `'5'`, is written as JSON: the command would read a number where the field takes both. */
const fieldOf = (name: string, value: unknown): string =>
  typeof value === 'string' && isJson(value)
    ? `${name}:=${wordOf(toJson(value))}`
    : `${name}=${wordOf(String(value))}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Quoted only where a shell needs it. */
const wordOf = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : shellQuoted(text));
