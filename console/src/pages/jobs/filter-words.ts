/** The words of filters: labels of their members and of their values. */
import type { JobFilter } from '../../api/queries.ts';

/**
 * Values of the state and their words. `unfinished` and `problem` stand for two states each; empty is no filter.
 */
export const stateWords = [
  ['', 'Every state'],
  ['unfinished', 'Queued or running'],
  ['available', 'Queued'],
  ['running', 'Running'],
  ['completed', 'Completed'],
  ['problem', 'Failed or cancelled'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const;

/** Orders; empty is the usual one. */
export const sortWords = [
  ['', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['longest', 'Longest run first'],
  ['dearest', 'Most expensive first'],
] as const;

/** Times until now. */
export const withinWords = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;

/** Kinds of models. */
export const kindWords = [
  ['', 'Every kind'],
  ['video', 'Video'],
  ['image', 'Image'],
  ['speech', 'Speech'],
] as const;

/** Codes of failed jobs. */
export const errorCodes: readonly string[] = [
  'runtime_error',
  'invalid_input',
  'file_download_error',
  'file_invalid',
  'content_policy_violation',
  'provider_unavailable',
  'submission_uncertain',
  'expired',
  'response_too_large',
  'internal_error',
];

/** What is not filtered by a select that always stands there; in the order of their chips. */
const labels = {
  kind: 'Kind',
  within: 'Created',
  from: 'From',
  to: 'To',
  error: 'Error',
  project: 'Project',
  user: 'User',
  key: 'Key',
  account: 'Provider',
  tag: 'Tag',
  min_run: 'Ran at least',
  max_run: 'Ran at most',
} as const satisfies Partial<Record<keyof JobFilter, string>>;

/** A member that is shown as a chip. */
export type ChipName = keyof typeof labels;

/** The members of a filter that have a chip, with its words. */
export const chipsOf = (filter: JobFilter): readonly { readonly name: ChipName; readonly words: string }[] =>
  (Object.keys(labels) as ChipName[]).flatMap(name => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, words: `${labels[name]} ${valueWords(name, value)}` }];
  });

/** A value as people read it. */
function valueWords(name: ChipName, value: string): string {
  if (name === 'min_run' || name === 'max_run') return `${value} s`;
  if (name === 'within') return withinWords.find(([key]) => key === value)?.[1].toLowerCase() ?? value;
  return value;
}
