/** Running and checking an input of the playground. */
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Cost } from '../../api/answers.ts';
import { ApiError, callApi } from '../../api/call-api.ts';
import { toast } from '../../components/toasts.tsx';
import { type Faults, faultsOf, noFaults } from '../../form/faults.ts';
import type { Members } from '../../form/input-value.ts';

/** The state of the playground: the job that is shown, and the refusal or the check of the last request. */
export interface Run {
  readonly jobId: string | null;
  readonly isBusy: boolean;
  readonly faults: Faults;
  /** The sentence of a refusal that names no field. */
  readonly refusal: string | null;
  /** The answer of the last check; null before it, and after any change of the input. */
  readonly verdict: Verdict | null;
}

/** The answer of a check. */
export interface Verdict {
  /** How many jobs the prompt would be billed as. */
  readonly billed_jobs: number;
  /** Null where the model has no price. */
  readonly estimate: Cost | null;
  /** What a run may cost at most; null where the model has no price. */
  readonly quote: { readonly amount: string; readonly currency: string } | null;
}

/** Before the first run of a model. */
const idle: Run = { jobId: null, isBusy: false, faults: noFaults, refusal: null, verdict: null };

/** What a press of Run sends; a new idempotency key for each, so that a retry by the network makes no second job. */
export const createRun = (model: string, input: Members): Promise<{ request_id: string }> =>
  callApi('POST', `models/${encodeURIComponent(model)}/run`, {
    body: input,
    headers: { 'idempotency-key': crypto.randomUUID() },
  });

/** A run of the playground with its state, as the page has it. */
export type Running = ReturnType<typeof useRun>;

/** The state of a run of a model: `start` creates a job, `check` validates the input and creates nothing. */
export function useRun(model: string) {
  const queries = useQueryClient();
  const [run, setRun] = useState<Run>(idle);
  const isBusy = useRef(false);

  async function once(work: () => Promise<Partial<Run>>) {
    // A second press before the first is answered means the same run.
    if (isBusy.current) return;
    isBusy.current = true;
    setRun(before => ({ ...before, isBusy: true }));
    try {
      const change = await work();
      setRun(before => ({ ...before, faults: noFaults, refusal: null, ...change, isBusy: false }));
    } catch (failure) {
      setRun(before => ({ ...before, isBusy: false, ...failureOf(failure) }));
    } finally {
      isBusy.current = false;
    }
  }

  return {
    run,
    // Also drops what was said of the former input.
    show: (jobId: string | null) => setRun({ ...idle, jobId }),
    clearFaults: () => setRun(before => ({ ...before, faults: noFaults, refusal: null, verdict: null })),
    start: (input: Members) =>
      once(async () => {
        const job = await createRun(model, input);
        void queries.invalidateQueries({ queryKey: ['history', model] });
        return { jobId: job.request_id };
      }),
    check: (input: Members) =>
      once(async () => {
        const verdict = await callApi<Verdict>('POST', `models/${encodeURIComponent(model)}/validate`, {
          body: input,
        });
        toast('This input would be accepted. Nothing was run.');
        return { verdict };
      }),
  };
}

/** Faults of fields where the refusal names fields, else its sentence. */
function failureOf(failure: unknown): Pick<Run, 'faults' | 'refusal'> {
  if (!(failure instanceof ApiError)) return { faults: noFaults, refusal: String(failure) };
  const faults = faultsOf(failure);
  return { faults, refusal: faults.size === 0 ? failure.message : null };
}
