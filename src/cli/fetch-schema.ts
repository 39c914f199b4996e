/** Reads a published schema from an address or a file, bounded in time and bytes. */
import { readFileSync, statSync } from 'node:fs';
import { parse } from 'yaml';
import { secretReader } from '../config/routing.ts';
import { seconds } from '../domain/clock.ts';
import { BodyFailed } from '../media/bounded-body.ts';
import { openOutbound } from '../media/outbound.ts';
import { CommandError } from './command-error.ts';

/** For the whole answer; an operator waits for it. */
const timeoutMs = 20 * seconds;
/** The largest known document of one endpoint has 200 KB. */
const maxBytes = 4 * 1024 * 1024;
/** The way out, where an address cannot be read. */
const hint = 'Save the schema and give the file: --schema FILE.';

/** An account as it is written, with references in the place of secrets. */
type Settings = Readonly<Record<string, unknown>>;

/**
 * JSON or YAML. `keyed` are the settings of an account whose key is sent, to an address below its own base alone;
 * `trusted` are those of an account whose host may be a private one. Throws `CommandError`.
 */
export async function fetchSchema(
  from: string,
  keyed: Settings | null = null,
  trusted = keyed,
): Promise<unknown> {
  return parseText(from, /^https?:\/\//.test(from) ? await download(from, keyed, trusted) : readText(from));
}

/** A file of this machine, bounded like an answer. */
function readText(path: string): string {
  try {
    if (statSync(path).size > maxBytes) throw new CommandError(`${path} is larger than ${maxBytes} bytes.`);
    return readFileSync(path, 'utf8');
  } catch (failure) {
    if (failure instanceof CommandError) throw failure;
    throw new CommandError(`${path} cannot be read: give the address or the file of the schema.`);
  }
}

/** JSON is a part of YAML, so one parser reads both. */
function parseText(from: string, text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    throw new CommandError(`${from} is neither JSON nor YAML: give the address of the schema itself.`);
  }
}

/** One GET; redirects are not followed, so that the key goes nowhere else. */
async function download(url: string, keyed: Settings | null, trusted: Settings | null): Promise<string> {
  const outbound = openOutbound({ allowPrivate: isPrivateAllowed(url, trusted) });
  try {
    const answer = await outbound.request(url, {
      method: 'GET',
      headers: { accept: 'application/json', ...authorization(keyed) },
      timeoutMs,
      maxBytes,
    });
    if (answer.kind !== 'answered') throw new CommandError(`${url}: ${answer.reason} ${hint}`);
    if (answer.status !== 200) {
      answer.body.discard();
      throw new CommandError(`${url} answered ${answer.status}. ${adviceFor(answer.status)}`);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  } catch (failure) {
    if (failure instanceof BodyFailed) throw new CommandError(`${url}: ${failure.message} ${hint}`);
    throw failure;
  } finally {
    await outbound.close();
  }
}

/** What to do about a status that is none of a schema. */
function adviceFor(status: number): string {
  if (status === 401 || status === 403)
    return 'Check the key of the account: atelier providers test ACCOUNT.';
  if (status === 404) return 'Check the name: the upstream has no such model.';
  return `Try later. ${hint}`;
}

/** The host of an account is trusted by configuration, as its jobs go there. */
function isPrivateAllowed(url: string, trusted: Settings | null): boolean {
  const base = URL.parse(String(trusted?.base_url ?? ''));
  return process.env.ATELIER_ALLOW_PRIVATE_NETWORK === '1' || base?.origin === new URL(url).origin;
}

/** The header with the account's key, where it has one; throws where its reference leads nowhere. */
function authorization(keyed: Settings | null): Readonly<Record<string, string>> {
  if (keyed?.api_key === undefined) return {};
  const key = secretReader(process.env).safeParse(keyed.api_key);
  if (key.success) return { authorization: `Bearer ${key.data}` };
  throw new CommandError(
    `The key of the account: ${key.error.issues[0]?.message}. Set it, and run the command again.`,
  );
}
