/** The connection seam: what the store needs from a database, and the topics that processes announce to each other. */

/** A parameter or column: times are epoch milliseconds, JSON is text. */
export type Value = string | number | null;
/** Columns by name, as the statement selects them. */
export type Row = Readonly<Record<string, Value>>;

/** Thrown when the database cannot be reached, is full, or does not flush. Nothing was written in part. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** Whether the write may have been committed as a whole: the outcome of the commit is unknown. */
  readonly inDoubt: boolean;

  constructor(message: string, { cause, inDoubt = false }: { cause?: unknown; inDoubt?: boolean } = {}) {
    super(message, { cause });
    this.inDoubt = inDoubt;
  }
}

/** Statements with `$1`-style parameters in SQL that both databases speak. */
export interface Statements {
  /** Runs a SELECT; sees only committed rows (inside a transaction, also its own writes). */
  read(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** Any other statement; outside a transaction it is one of its own, flushed when the promise resolves. */
  write(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

/** The whole difference between SQLite and PostgreSQL. */
export interface Connection extends Statements {
  readonly dialect: 'sqlite' | 'postgres';
  /** Suffix of a SELECT whose rows are then updated. Not needed with a single writer. */
  readonly skipLocked: 'FOR UPDATE SKIP LOCKED' | '';
  /** The database's own clock as an SQL expression, epoch milliseconds: leases are compared with it. */
  readonly nowMs: string;
  /**
   * All or nothing; resolves after the commit is flushed. `work` must await nothing but `db`: on SQLite all other
   * writes wait for it. It may run again after a deadlock, so it must not change anything outside.
   */
  transaction<T>(work: (db: Statements) => Promise<T>): Promise<T>;
  /** Runs scripts in one transaction; only one process does so at a time. */
  migrate(work: (db: Statements & { script(text: string): Promise<void> }) => Promise<void>): Promise<void>;
  /**
   * Rewrites the file without what was deleted or replaced; other writes wait for it. For the one time that plain
   * secrets were encrypted. Nothing on a server, whose files are its administrator's.
   */
  eraseDeleted(): Promise<void>;
  /** Announces a change to every process. A hint: it may be lost, and is never waited for. */
  announce(topic: string): void;
  /** Returns a function that removes the listener. */
  onAnnounced(listener: (topic: string) => void): () => void;
  close(): Promise<void>;
}

/** Topic: a job can be claimed. */
export const availableTopic = 'available';
/** Topic: a callback is due. */
export const deliveryTopic = 'delivery';
/** Topic: a key was changed or revoked, so cached keys may be stale. */
export const keysTopic = 'keys';
/** Topic: this job changed, or its cancellation was requested. */
export const jobTopic = (jobId: string): string => `${jobPrefix}${jobId}`;
/** The id of the job of a job topic; null for every other topic. */
export const jobOfTopic = (topic: string): string | null =>
  topic.startsWith(jobPrefix) ? topic.slice(jobPrefix.length) : null;
/** Topic: the upstream of this job called its webhook, so its status may have changed. */
export const webhookTopic = (jobId: string): string => `${webhookPrefix}${jobId}`;
/** The id of the job of a webhook topic; null for every other topic. */
export const jobOfWebhookTopic = (topic: string): string | null =>
  topic.startsWith(webhookPrefix) ? topic.slice(webhookPrefix.length) : null;

/** Beginnings of topics: a change of a job, and a webhook of an upstream about one. */
const jobPrefix = 'job:';
const webhookPrefix = 'call:';
