/**
 * A gateway with an account whose provider completes a job within its submission, so that a job's latency has no wait for
 * an upstream. Arguments: the account, the URL of a medium and a folder.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { openGateway } from '../../src/app/gateway.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import type { Provider, ProviderTask, SubmitResult } from '../../src/domain/provider.ts';
import { openOutbound } from '../../src/media/outbound.ts';
import { createKey } from '../../src/store/people/keys.ts';
import { picture } from '../../testkit/media/media-maker.ts';

const [accountId = '', mediumUrl = '', folder = ''] = process.argv.slice(2);
const medium = await picture('png', 64, 64);

/** The outcome of a job, by its prompt. */
const outcomes: Readonly<Record<string, (task: ProviderTask) => Promise<SubmitResult>>> = {
  refused: async () => ({
    kind: 'refused',
    error: { code: 'invalid_input', message: 'this upstream refuses it', retry: false },
  }),
  kept: async ({ dedupeKey }) => {
    const path = join(folder, dedupeKey);
    await writeFile(path, medium);
    return done({ kind: 'path', path });
  },
  fetched: async () => done({ kind: 'url', url: mediumUrl }),
};
const input = z.looseObject({ prompt: z.string() });

const never = () => Promise.reject(new Error('expected every job to end with its submission'));
const provider: Provider = {
  name: 'instant',
  traits: () => ({
    dedupe: 'none',
    dedupeWindowMs: 0,
    submitTimeoutMs: 1000,
    billable: true,
    minPollMs: 1000,
  }),
  ready: async () => ({ ok: true }),
  async submit(task) {
    const outcome = outcomes[input.parse(task.job.input).prompt];
    return outcome ? outcome(task) : never();
  },
  poll: never,
  cancel: never,
  release: async () => {},
};

const gateway = await openGateway(withInstant(readConfig(process.env)), pino({ level: 'silent' }));
const made = await createKey(
  gateway.db,
  { userName: 'bench', name: null, models: null, expiresAt: null },
  Date.now(),
);
process.on('SIGTERM', () => void gateway.close().then(() => process.exit()));
// The banner names a file with the key, as that of `serve` does.
const keyFile = join(folder, 'first-key');
await writeFile(keyFile, made.secret);
process.stdout.write(`Address   ${gateway.url}\n    ${keyFile}\n\n`);

/** Replaces the provider of that account. */
function withInstant(config: Config): Config {
  const accounts = config.routing.accounts.map(account =>
    account.id === accountId ? { ...account, open: openInstant } : account,
  );
  return { ...config, routing: { ...config.routing, accounts } };
}

/** An account as the provider's `open` gives it; results are fetched from a private address. */
function openInstant() {
  const resultsClient = openOutbound({ allowPrivate: true });
  return { provider, resultsClient, close: () => resultsClient.close() };
}

type Source =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

const done = (source: Source): SubmitResult => ({
  kind: 'done',
  production: { files: [{ role: 'primary', index: 0, mimeType: 'image/png', source }] },
});
