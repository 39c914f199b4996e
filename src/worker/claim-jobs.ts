// One round of claims: a suspect first, then for each model in a fair turn the jobs to resume, then new ones.
import { type Route, shuffleByWeight } from '../routing/routes.ts';
import { readLastAttempts } from '../store/attempts/attempts.ts';
import {
  type ClaimableModel,
  type ClaimOptions,
  claimJobs,
  findClaimableModels,
  findModelsWithCrashedJobs,
} from '../store/jobs/claim.ts';
import { type ResumeOptions, resumeJobs } from '../store/jobs/resume.ts';
import type { AccountChecks } from './account-checks.ts';
import type { WorkerContext } from './context.ts';
import type { InFlightJobs } from './in-flight.ts';
import { leaseMs, type WorkerLease } from './lease.ts';

/** Jobs in one claim: one transaction for many where an account has many free slots. */
const maxClaim = 512;

/** The value that every step of a round takes. */
export interface Claiming {
  readonly context: WorkerContext;
  readonly inFlight: InFlightJobs;
  readonly accounts: AccountChecks;
  readonly lease: WorkerLease;
  /** Aborts when the worker stops: nothing is claimed any more. */
  readonly stopping: AbortSignal;
  /** Index in the catalog of the model that comes first in the next round. */
  firstModel: number;
}

/** Claims as many jobs as there are free slots, and starts them. Returns how many. */
export async function claimIntoFreeSlots(claiming: Claiming): Promise<number> {
  const { catalog, db, clock, routing } = claiming.context;
  const modelIds = modelsWithFreeSlots(claiming);
  let claimed = await claimSuspect(claiming, modelIds);
  for (const model of await findClaimableModels(db, modelIds, clock.now())) {
    for (const route of shuffleByWeight(routing.routesOf(model.modelId))) {
      if (claiming.stopping.aborted) return claimed;
      if (freeSlots(claiming, route) > 0) claimed += await resumeOrClaim(claiming, model, route);
    }
    const index = catalog.all.findIndex(({ id }) => id === model.modelId);
    claiming.firstModel = (index + 1) % catalog.all.length;
  }
  return claimed;
}

/** The model after the last one that was claimed is first, so that none waits behind another's queue. */
function modelsWithFreeSlots(claiming: Claiming): readonly string[] {
  const { catalog, routing } = claiming.context;
  const all = catalog.all.map(model => model.id);
  return [...all.slice(claiming.firstModel), ...all.slice(0, claiming.firstModel)].filter(modelId =>
    routing.routesOf(modelId).some(route => freeSlots(claiming, route) > 0),
  );
}

/** Of this process; the slots that an account shares with other processes are granted by the claim itself. */
function freeSlots({ accounts, inFlight }: Claiming, { account }: Route): number {
  return accounts.isUsable(account.id) ? account.slots - inFlight.countForAccount(account.id) : 0;
}

/** Suspects were in flight in a process that crashed: one at a time, so that the guilty one is found. */
async function claimSuspect(claiming: Claiming, modelIds: readonly string[]): Promise<number> {
  const { context, inFlight, stopping } = claiming;
  const { db, clock, routing } = context;
  if (inFlight.hasSuspect() || modelIds.length === 0) return 0;
  for (const modelId of await findModelsWithCrashedJobs(db, clock.now())) {
    if (!modelIds.includes(modelId)) continue;
    for (const route of shuffleByWeight(routing.routesOf(modelId))) {
      if (stopping.aborted || freeSlots(claiming, route) <= 0) continue;
      if ((await claimNew(claiming, modelId, route, 'suspects')) > 0) return 1;
    }
  }
  return 0;
}

/** Jobs that the upstream works on already take their slots before a new one is started. */
async function resumeOrClaim(
  claiming: Claiming,
  { modelId, isBound }: ClaimableModel,
  route: Route,
): Promise<number> {
  const resumed = isBound ? await resume(claiming, modelId, route) : 0;
  return resumed || claimNew(claiming, modelId, route, 'clean');
}

/** Claims jobs that are not at an upstream, or may not be, and runs them from their last attempt. */
async function claimNew(
  claiming: Claiming,
  modelId: string,
  route: Route,
  only: 'suspects' | 'clean',
): Promise<number> {
  const { db } = claiming.context;
  const account = accountLimits(route);
  const options = claimOptions(claiming, modelId);
  // The few slots of the local engine go round the models one by one.
  const limit = account && only === 'clean' ? Math.min(freeSlots(claiming, route), maxClaim) : 1;
  const jobs = await claimJobs(db, { ...options, limit, only, ...(account && { account }) });
  const claimedBefore = jobs.filter(job => job.claim > 1).map(job => job.id);
  const attempts = await readLastAttempts(db, claimedBefore);
  for (const job of jobs) claiming.inFlight.start(job, route, options.worker, attempts.get(job.id) ?? null);
  return jobs.length;
}

/** The local engine has nothing to resume: its renders end with their process. */
async function resume(claiming: Claiming, modelId: string, route: Route): Promise<number> {
  const account = accountLimits(route);
  if (!account) return 0;
  const options = claimOptions(claiming, modelId);
  const limit = Math.min(freeSlots(claiming, route), maxClaim);
  const jobs = await resumeJobs(claiming.context.db, { ...options, limit, account });
  for (const job of jobs) claiming.inFlight.resume(job, modelId, route, options.worker);
  return jobs.length;
}

/** Slots and rate that apply over all processes; null for the local engine, whose slots are counted in this one. */
function accountLimits({ account }: Route): ResumeOptions['account'] | null {
  const { id, slots, sharedLimits } = account;
  return sharedLimits && { id, slots, rate: sharedLimits.rate };
}

/** The worker id is read once a claim: it may change while the statement runs, and the jobs belong to the old one. */
function claimOptions(
  { context, lease }: Claiming,
  modelId: string,
): Omit<ClaimOptions, 'limit' | 'account' | 'only'> {
  const perKey = context.runningPerKey();
  const now = context.clock.now();
  return { worker: lease.workerId(), leaseMs, modelId, now, ...(perKey !== null && { perKey }) };
}
