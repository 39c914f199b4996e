/** The text of docs/errors.md, made of the table of refusals. */

import { type RefusalEntry, refusals } from '../domain/refusal.ts';
import { codeOf, otherCodes, refusalHelp, refusalNames } from '../domain/refusal-help.ts';

/** The three error bodies of the contract (7.1 to 7.3), as the page shows them. */
const shapes: Readonly<Record<RefusalEntry['shape'], string>> = {
  gateway: '`{"error":{"code":…,"message":SENTENCE},"request_id":…}`',
  detail: '`{"detail":SENTENCE}`',
  file: '`{"error":{"message":SENTENCE,"type":…,"param":…,"code":…}}`',
};

/** The page docs/errors.md, from the table of refusals. */
export function errorsPage(): string {
  const names = refusalNames.filter(name => codeOf(name) === name);
  const rows = names.map(name => {
    const entry: RefusalEntry = refusals[name];
    return row(name, String(entry.status), entry.shape, sentenceOf(entry), refusalHelp[name]);
  });
  const others = Object.entries(otherCodes).map(([code, { status, words, help }]) =>
    row(code, String(status), 'own', words.replaceAll('|', '\\|'), help),
  );
  return `# Errors

Every answer that is no success carries the header \`X-Error-Code\` with one of the codes below. Codes do not change; sentences may. Beside it stand \`X-Request-Id\`, \`Retry-After\` where another try makes sense, \`X-Error-Fields\` with the fields at fault, \`X-Suggestion\` with the nearest model id, and \`Allow\` with the methods of a path.

A body has one of three shapes:

| shape | body |
|---|---|
${Object.entries(shapes)
  .map(([shape, body]) => `| ${shape} | ${body} |`)
  .join('\n')}

| code | status | shape | sentence | what it means, and what to do |
|---|---|---|---|---|
${[...rows, ...others].join('\n')}

The \`error\` of a job that failed is no refusal: it stands in the body of a 200 with a code of its own ([api.md](api.md#errors-of-a-job)).

This page is made from the table of refusals in the source: \`npm run errors-page\`.
`;
}

/** The \`code\` of a body that has one stands behind its sentence. */
function sentenceOf(entry: RefusalEntry): string {
  const words = entry.words.replaceAll('{subject}', '…').replaceAll('|', '\\|');
  return entry.shape === 'detail' ? words : `${words} (\`${entry.code}\`)`;
}

/** One row of a Markdown table. */
const row = (...cells: readonly [code: string, status: string, ...rest: string[]]): string =>
  `| \`${cells[0]}\` | ${cells.slice(1).join(' | ')} |`;
