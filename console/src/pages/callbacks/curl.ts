/** A command that sends a callback again, as it is copied. */
import { shellQuoted } from '../../components/shell-quoted.ts';

/** The body goes as it stands: another byte would break the signature. */
export const curlOf = ({
  url,
  headers,
  body,
}: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): string =>
  [
    `curl --include --max-time 15 ${shellQuoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${shellQuoted(`${name}: ${value}`)}`),
    `--data-binary ${shellQuoted(body)}`,
  ].join(' \\\n  ');
