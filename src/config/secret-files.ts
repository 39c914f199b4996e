import { readFileSync, statSync } from 'node:fs';

/** Settings that may stand in a file of their own instead, as container platforms mount secrets. */
const fileBackedVariables = [
  'ATELIER_SECRET',
  'ATELIER_ADMIN_TOKEN',
  'ATELIER_METRICS_TOKEN',
  'ATELIER_DATABASE_URL',
] as const;
/** The variables that name such files. */
export const secretFileVariables: readonly string[] = fileBackedVariables.map(name => `${name}_FILE`);
const maxBytes = 64 * 1024;

type Given = Readonly<Record<string, string | undefined>>;

/** The environment with what its `…_FILE` variables point to; `faults` gets a sentence for each that cannot be. */
export function readSecretFiles(given: Given, faults: string[]): Given {
  const read: Record<string, string | undefined> = { ...given };
  for (const name of fileBackedVariables) {
    const variable = `${name}_FILE`;
    const path = given[variable];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      faults.push(`${variable}: ${name} is set too; set one of them`);
      continue;
    }
    const value = readValue(path);
    if ('fault' in value) faults.push(`${variable}: ${value.fault}`);
    else read[name] = value.text;
  }
  return read;
}

function readValue(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { fault: `${path} is no file` };
    if (found.size > maxBytes) return { fault: `${path} is longer than ${maxBytes} bytes` };
    // Editors and `echo` end a file with a line break, which belongs to no secret.
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { fault: `${path} is empty` } : { text };
  } catch (failure) {
    return { fault: failure instanceof Error ? failure.message : String(failure) };
  }
}
