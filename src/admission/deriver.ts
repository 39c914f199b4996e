import { Worker } from 'node:worker_threads';
import { seconds } from '../domain/clock.ts';
import type { Derivation, DerivationReport } from './password-worker.ts';

/** Derives keys of passwords in threads of their own: a derivation keeps neither the event loop nor libuv's pool. */
export interface Deriver {
  /** Rejects when it took too long, when its thread ended, and after `close`. */
  derive(derivation: Derivation): Promise<Buffer>;
  /** Ends the threads at once; whoever still waits is rejected. */
  close(): Promise<void>;
}

const bootTimeoutMs = 30 * seconds;
const derivationTimeoutMs = 30 * seconds;
/** A thread that nobody needs for this long is ended. */
const idleLifeMs = 60 * seconds;
const maxHeapMb = 64;

interface Slot {
  readonly worker: Worker;
  isReady: boolean;
  pending: PendingDerivation | null;
  watchdog: NodeJS.Timeout;
}

interface PendingDerivation {
  readonly derivation: Derivation;
  readonly resolve: (key: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** As many threads as derivations run at one moment; whoever calls sees to it that these are few. */
export function openDeriver(): Deriver {
  const slots = new Set<Slot>();
  let isClosed = false;

  function boot(pending: PendingDerivation): void {
    const worker = new Worker(new URL('./password-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      env: {},
    });
    const slot: Slot = { worker, isReady: false, pending, watchdog: watch(() => slot, bootTimeoutMs) };
    slots.add(slot);
    worker.on('message', (report: DerivationReport) => receive(slot, report));
    worker.on('error', cause => end(slot, new Error('a thread for passwords failed', { cause })));
    worker.on('exit', () => end(slot, new Error('a thread for passwords ended')));
  }

  function watch(slot: () => Slot, ms: number): NodeJS.Timeout {
    return setTimeout(() => end(slot(), new Error(`a thread for passwords took longer than ${ms} ms`)), ms);
  }

  function receive(slot: Slot, report: DerivationReport): void {
    if (!slots.has(slot)) return;
    clearTimeout(slot.watchdog);
    const { pending } = slot;
    if (report.kind === 'ready') {
      slot.isReady = true;
      if (pending) send(slot, pending);
      return;
    }
    slot.pending = null;
    // An idle thread keeps no process alive.
    slot.worker.unref();
    slot.watchdog = setTimeout(() => end(slot, new Error('nobody waits')), idleLifeMs).unref();
    pending?.resolve(Buffer.from(report.key));
  }

  function send(slot: Slot, order: PendingDerivation): void {
    clearTimeout(slot.watchdog);
    slot.pending = order;
    slot.worker.ref();
    slot.watchdog = watch(() => slot, derivationTimeoutMs);
    slot.worker.postMessage(order.derivation);
  }

  /** Takes a thread out, for good; the next derivation gets a new one. */
  function end(slot: Slot, error: Error): void {
    if (!slots.delete(slot)) return;
    clearTimeout(slot.watchdog);
    void slot.worker.terminate();
    slot.pending?.reject(error);
  }

  return {
    derive(derivation) {
      if (isClosed) return Promise.reject(new Error('the threads for passwords are closed'));
      return new Promise((resolve, reject) => {
        const order: PendingDerivation = { derivation, resolve, reject };
        const idle = [...slots].find(slot => slot.isReady && !slot.pending);
        if (idle) send(idle, order);
        else boot(order);
      });
    },
    async close() {
      isClosed = true;
      const ended = [...slots];
      slots.clear();
      for (const slot of ended) {
        clearTimeout(slot.watchdog);
        slot.pending?.reject(new Error('the threads for passwords are closed'));
      }
      await Promise.all(ended.map(slot => slot.worker.terminate()));
    },
  };
}
