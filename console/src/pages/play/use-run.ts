import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ask, Refused } from '../../api/ask.ts';
import type { Cost } from '../../api/shapes.ts';
import { type Faults, faultsOf, noFaults } from '../../form/faults.ts';
import type { Members } from '../../form/input-value.ts';
import { toast } from '../../parts/toasts.tsx';

export interface Run {
  readonly jobId: string | null;
  readonly isBusy: boolean;
  readonly faults: Faults;
  /** What was refused, where no field says it. */
  readonly refusal: string | null;
  /** What a check said; null until there was one. */
  readonly verdict: Verdict | null;
}

export interface Verdict {
  /** How many jobs the prompt would be billed as. */
  readonly billed_jobs: number;
  /** Null where the model has no price. */
  readonly estimate: Cost | null;
}

const idle: Run = { jobId: null, isBusy: false, faults: noFaults, refusal: null, verdict: null };

/** Runs an input of a model, or has it judged and nothing more. */
export function useRun(model: string) {
  const queries = useQueryClient();
  const [run, setRun] = useState<Run>(idle);
  const isBusy = useRef(false);

  async function once(work: () => Promise<Partial<Run>>) {
    // A second press while the first is under way is the same wish.
    if (isBusy.current) return;
    isBusy.current = true;
    setRun(before => ({ ...before, isBusy: true }));
    try {
      const came = await work();
      setRun(before => ({ ...before, faults: noFaults, refusal: null, ...came, isBusy: false }));
    } catch (failure) {
      setRun(before => ({ ...before, isBusy: false, ...told(failure) }));
    } finally {
      isBusy.current = false;
    }
  }

  return {
    run,
    show: (jobId: string | null) => setRun({ ...idle, jobId }),
    forgetFaults: () => setRun(before => ({ ...before, faults: noFaults, refusal: null, verdict: null })),
    begin: (input: Members) =>
      once(async () => {
        const job = await ask<{ request_id: string }>('POST', `models/${encodeURIComponent(model)}/run`, {
          body: input,
          // One key a press: whatever the network does to it, there is one job.
          headers: { 'idempotency-key': crypto.randomUUID() },
        });
        void queries.invalidateQueries({ queryKey: ['history', model] });
        return { jobId: job.request_id };
      }),
    judge: (input: Members) =>
      once(async () => {
        const verdict = await ask<Verdict>('POST', `models/${encodeURIComponent(model)}/validate`, {
          body: input,
        });
        toast('This input would be accepted. Nothing was run.');
        return { verdict };
      }),
  };
}

function told(failure: unknown): Pick<Run, 'faults' | 'refusal'> {
  if (!(failure instanceof Refused)) return { faults: noFaults, refusal: String(failure) };
  const faults = faultsOf(failure);
  return { faults, refusal: faults.size === 0 ? failure.message : null };
}
