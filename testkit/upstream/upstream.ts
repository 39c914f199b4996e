/** A scripted upstream in this process: another gateway of the same queue contract that fails as it is told. */
import { join } from 'node:path';
import { type Dedupe, openJobs } from './jobs.ts';
import { type Entry, openLedger, readLedger } from './ledger.ts';
import { listen } from './listen.ts';
import { type Operation, openPicker, operations, type ScriptInput, script } from './script.ts';
import { play, serve, type UpstreamState } from './serve.ts';

/** Another gateway of the same queue contract that fails as it is told, and keeps a ledger of its own. */
export interface Upstream {
  readonly url: string;
  /** Takes the place of the script before; the jobs stay. */
  play(wanted: ScriptInput): Promise<void>;
  /** How often each operation was asked. */
  counts(): Promise<Counts>;
  ledger(): readonly Entry[];
  close(): Promise<void>;
}

export type Counts = Readonly<Record<Operation, number>>;

export interface UpstreamOptions {
  /** Where the ledger is kept. */
  readonly folder: string;
  /** What each account offers, by its API key. Default: `accounts`. */
  readonly accounts?: Readonly<Record<string, Dedupe>>;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Flushes the ledger; fsync unless a test looks on. */
  readonly flush?: (descriptor: number) => void;
}

/** The API keys of three accounts, one of each kind. */
export const accounts = { 'key-replay': 'replay', 'key-lookup': 'lookup', 'key-none': 'none' } as const;

export const ledgerPath = (folder: string): string => join(folder, 'ledger.jsonl');

export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { folder, port = 0, flush } = options;
  const ledger = openLedger(ledgerPath(folder), flush);
  const ended = new AbortController();
  const played = script.parse({});
  const state: UpstreamState = {
    ledger,
    jobs: openJobs(ledger),
    counts: emptyCounts(),
    dedupeByKey: options.accounts ?? accounts,
    ended: ended.signal,
    base: '',
    played,
    pick: openPicker(played),
    submissions: 0,
  };
  const server = await listen((request, response) => serve(state, request, response), port);
  state.base = server.url;
  return {
    url: server.url,
    play: async wanted => play(state, wanted),
    counts: async () => ({ ...state.counts }),
    ledger: () => readLedger(ledgerPath(folder)),
    async close() {
      ended.abort();
      await server.close();
      ledger.close();
    },
  };
}

/** No operation has been asked yet. */
export const emptyCounts = (): Record<Operation, number> => {
  const zeros = operations.map(name => [name, 0] as const);
  return Object.fromEntries(zeros) as Record<Operation, number>;
};
