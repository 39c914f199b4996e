/** The client of one gateway. */

import { type Models, openModels } from './descriptions.ts';
import { type ClientOptions, openExchange } from './exchange.ts';
import { type Files, openFiles } from './files.ts';
import { type Jobs, openJobs } from './jobs.ts';
import { type Callbacks, openCallbacks } from './own-callbacks.ts';
import { type ModelId, openQueue, type Queue } from './queue.ts';
import { type Finished, type SubscribeOptions, subscribe } from './subscribe.ts';

/** All calls of one gateway, by subject. */
export interface Client {
  /** Creates a job, waits for its end and returns its result. */
  subscribe<Id extends ModelId>(model: Id, options: SubscribeOptions<Id>): Promise<Finished<Id>>;
  readonly queue: Queue;
  readonly jobs: Jobs;
  readonly files: Files;
  readonly models: Models;
  readonly callbacks: Callbacks;
}

/** A client of one gateway. It sends nothing until a method is called, and stores nothing. */
export function createClient(options: ClientOptions): Client {
  const ask = openExchange(options);
  const queue = openQueue(ask);
  return {
    subscribe: (model, subscribed) => subscribe(queue, model, subscribed),
    queue,
    jobs: openJobs(ask),
    files: openFiles(ask),
    models: openModels(ask),
    callbacks: openCallbacks(ask),
  };
}
