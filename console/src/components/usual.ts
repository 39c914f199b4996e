/** What a run of a model usually takes and costs, in words. */
import type { ModelLine } from '../api/answers.ts';
import { formatCost, formatDuration } from './format.ts';

/** "usually 12 s · $0.04": the median of its last jobs, and the price of its first example; empty where neither is known. */
export function usualWords({ run_ms, example_cost }: Pick<ModelLine, 'run_ms' | 'example_cost'>): string {
  return [
    run_ms && `usually ${roughDuration(run_ms.p50)}`,
    // An example is what the page opens with, so it is its price that is of use.
    example_cost && `about ${formatCost(example_cost)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Whole seconds from ten on: a median has no tenths. */
export const roughDuration = (ms: number): string =>
  ms >= 10_000 && ms < 60_000 ? `${Math.round(ms / 1_000)} s` : formatDuration(ms);
