/** Reads secrets from the files that `…_FILE` variables name, as container platforms mount them. */
import { readFileSync, statSync } from 'node:fs';

const fileBackedVariables = [
  'ATELIER_SECRET',
  'ATELIER_ADMIN_TOKEN',
  'ATELIER_METRICS_TOKEN',
  'ATELIER_DATABASE_URL',
] as const;
/** `ATELIER_SECRET_FILE` and the like. */
export const secretFileVariables: readonly string[] = fileBackedVariables.map(name => `${name}_FILE`);
/** No secret is longer; a larger file is another one by mistake. */
const maxBytes = 64 * 1024;

/** Variables by their names. */
type Given = Readonly<Record<string, string | undefined>>;

/** The environment with the content of these files; adds a sentence to `faults` for each file that cannot be used. */
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

/** The text without its last line break; the directory, an empty or a large file is a fault. */
function readValue(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { fault: `${path} is not a file` };
    if (found.size > maxBytes) return { fault: `${path} is longer than ${maxBytes} bytes` };
    // Editors and `echo` end a file with a line break, which is not part of the secret.
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { fault: `${path} is empty` } : { text };
  } catch (failure) {
    return { fault: failure instanceof Error ? failure.message : String(failure) };
  }
}
