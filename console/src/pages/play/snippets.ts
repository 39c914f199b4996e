/** The request of a run as code: cURL, TypeScript, Python, command line. */
import { toJson } from '../../api/lossless-json.ts';
import { isMembers } from '../../form/input-value.ts';

/** In the order of the tabs. */
export const languages = ['cURL', 'TypeScript', 'Python', 'CLI'] as const;
export type Language = (typeof languages)[number];

/** A longer input goes to a file: shells limit the length of a command. */
const longestInline = 4_096;

/** The code of a request; address and key come from the environment of its user. */
export function snippet(language: Language, model: string, input: unknown): string {
  switch (language) {
    case 'cURL':
      return curl(model, input);
    case 'TypeScript':
      return typescript(model, input);
    case 'Python':
      return python(model, input);
    case 'CLI':
      return cli(model, input);
  }
}

/** The secret is a variable of the shell, so that it is not copied with the command. */
function curl(model: string, input: unknown): string {
  const json = toJson(input, 2);
  const body = json.length > longestInline ? '@input.json' : quoted(json);
  return [
    `curl -X POST "$ATELIER_URL/v1/queue/${model}" \\`,
    '  -H "Authorization: Bearer $ATELIER_API_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  --data ${body}`,
  ].join('\n');
}

/** Quoted for a POSIX shell: within single quotes only the quote itself is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const typescript = (model: string, input: unknown): string =>
  `import { createClient } from 'atelier-client';

const atelier = createClient({
  baseUrl: process.env.ATELIER_URL,
  apiKey: process.env.ATELIER_API_KEY,
});

const { data, requestId } = await atelier.subscribe('${model}', {
  input: ${indented(toJson(input, 2), '  ')},
});
console.log(requestId, data);`;

/** With `requests`, which most Python environments have; there is no package of ours. */
const python = (model: string, input: unknown): string =>
  `import os, time, requests

queue = os.environ["ATELIER_URL"] + "/v1/queue/${model}"
headers = {"Authorization": "Bearer " + os.environ["ATELIER_API_KEY"]}

job = requests.post(queue, headers=headers, json=${pythonOf(input, '')})
job.raise_for_status()
result = f"{queue}/requests/{job.json()['request_id']}/response"
while (answer := requests.get(result, headers={**headers, "Prefer": "wait=60"})).status_code == 202:
    time.sleep(1)
print(answer.json())`;

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

/** `name=value` where no field is an object or a list, else JSON on standard input. */
function cli(model: string, input: unknown): string {
  const members = isMembers(input) ? Object.entries(input) : [];
  const isFlat = members.every(([, value]) => typeof value !== 'object');
  if (isFlat) {
    const words = members.map(([name, value]) => `  ${name}=${wordOf(String(value))}`);
    return [`atelier run ${model}`, ...words, '  --save'].join(' \\\n');
  }
  return `atelier run ${model} --json @- --save <<'INPUT'\n${toJson(input, 2)}\nINPUT`;
}

/** Quoted only where a shell needs it. */
const wordOf = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : quoted(text));

/** Lines after the first, so that JSON stands in the code around it. */
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);
