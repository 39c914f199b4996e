/** A scripted upstream: another gateway of the queue contract that fails on purpose and keeps a ledger. */
import { join } from 'node:path';
import { type Dedupe, openJobs } from './jobs.ts';
import { type Entry, openLedger, readLedger } from './ledger.ts';
import { listen } from './listen.ts';
import { type Counts, openPlayer } from './player.ts';
import { type ScriptedGateway, serve } from './requests.ts';
import type { ScriptInput } from './script.ts';

export interface Upstream {
  readonly url: string;
  /** Replaces the script; the jobs stay. */
  play(wanted: ScriptInput): Promise<void>;
  /** Requests so far, by operation. */
  counts(): Promise<Counts>;
  ledger(): readonly Entry[];
  close(): Promise<void>;
}

export interface UpstreamOptions {
  /** Where the ledger is written. */
  readonly folder: string;
  /** How each account deduplicates, by its API key. Default: `accounts`. */
  readonly accounts?: Readonly<Record<string, Dedupe>>;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Flushes the ledger. Default: fsync. */
  readonly flush?: (descriptor: number) => void;
}

/** The API keys of three accounts, one of each way to deduplicate. */
export const accounts = { 'key-replay': 'replay', 'key-lookup': 'lookup', 'key-none': 'none' } as const;

export const ledgerPath = (folder: string): string => join(folder, 'ledger.jsonl');

export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { folder, port = 0, flush } = options;
  const ledger = openLedger(ledgerPath(folder), flush);
  const player = openPlayer();
  const ended = new AbortController();
  const gateway: ScriptedGateway = {
    base: '',
    dedupeByKey: options.accounts ?? accounts,
    ledger,
    jobs: openJobs(ledger),
    player,
    ended: ended.signal,
    submissions: 0,
  };
  const server = await listen((request, response) => serve(gateway, request, response), port);
  gateway.base = server.url;
  return {
    url: server.url,
    play: async wanted => player.play(wanted),
    counts: async () => player.counts(),
    ledger: () => readLedger(ledgerPath(folder)),
    async close() {
      ended.abort();
      await server.close();
      ledger.close();
    },
  };
}
