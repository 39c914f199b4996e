/** The faults of the upstream during a chaos run. */
import { type RuleInput, resetPoints } from '../upstream/script.ts';

/** Each fault meets a small share of the requests of its operation, while processes are killed. */
export const faults: readonly RuleInput[] = [
  ...resetPoints.flatMap(at =>
    [true, false].map(
      (accepts): RuleInput => ({
        on: 'create',
        share: 0.015,
        accepts,
        act: { kind: 'reset', at },
      }),
    ),
  ),
  ...[500, 502, 504].flatMap(status =>
    [true, false].map(
      (accepts): RuleInput => ({
        on: 'create',
        share: 0.01,
        accepts,
        act: { kind: 'answer', status },
      }),
    ),
  ),
  { on: 'create', share: 0.02, accepts: false, act: { kind: 'answer', status: 503 } },
  {
    on: 'create',
    share: 0.01,
    accepts: false,
    act: { kind: 'answer', status: 429, headers: { 'retry-after': '1' } },
  },
  { on: 'create', share: 0.01, accepts: false, act: { kind: 'answer', status: 422 } },
  { on: 'create', share: 0.01, act: { kind: 'cut' } },
  { on: 'create', share: 0.01, act: { kind: 'change', set: { request_id: null } } },
  { on: 'create', share: 0.01, acceptsAfterMs: 500, act: { kind: 'reset', at: 'nothing' } },
  { on: 'list', share: 0.1, act: { kind: 'answer', status: 500 } },
  { on: 'list', share: 0.05, act: { kind: 'reset', at: 'half-body' } },
  { on: 'status', share: 0.03, act: { kind: 'reset', at: 'nothing' } },
  { on: 'status', share: 0.03, act: { kind: 'answer', status: 500 } },
  { on: 'status', share: 0.02, act: { kind: 'answer', status: 200, body: '<html>' } },
  { on: 'status', share: 0.02, act: { kind: 'answer', status: 404 } },
  { on: 'status', share: 0.02, act: { kind: 'change', set: { status: 'IN_QUEUE' } } },
  { on: 'status', share: 0.02, act: { kind: 'change', set: { status: 'PAUSED' } } },
  { on: 'response', share: 0.03, act: { kind: 'cut' } },
  { on: 'response', share: 0.03, act: { kind: 'answer', status: 500 } },
  { on: 'media', share: 0.03, act: { kind: 'answer', status: 404 } },
  { on: 'media', share: 0.03, act: { kind: 'reset', at: 'half-body' } },
  { on: 'cancel', share: 0.05, act: { kind: 'answer', status: 500 } },
  { on: 'cancel', share: 0.05, accepts: false, act: { kind: 'answer', status: 202, body: '{}' } },
];

/** How long a job of the upstream waits and runs. */
export const pace = { queueMs: 50, runMs: 250 };
