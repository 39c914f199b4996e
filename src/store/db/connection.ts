/** What SQL is given and gives: times are epoch milliseconds, JSON is text. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Thrown when the database cannot be reached, is full, or does not flush. Nothing was half made. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** Whether what was to be written may be there, whole, nevertheless: nobody heard how the commit ended. */
  readonly inDoubt: boolean;

  constructor(message: string, { cause, inDoubt = false }: { cause?: unknown; inDoubt?: boolean } = {}) {
    super(message, { cause });
    this.inDoubt = inDoubt;
  }
}

/** Statements with `$1`-style parameters in SQL that both databases speak. */
export interface Statements {
  /** A SELECT; sees only what is committed (inside a transaction, also its own writes). */
  read(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
  /** Any other statement; outside a transaction it is one of its own, flushed when the promise resolves. */
  write(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

/** The whole difference between SQLite and PostgreSQL. */
export interface Connection extends Statements {
  readonly dialect: 'sqlite' | 'postgres';
  /** Ends a SELECT whose rows are about to be updated. One writer needs none. */
  readonly skipLocked: 'FOR UPDATE SKIP LOCKED' | '';
  /** The database's own clock as an SQL expression, epoch milliseconds: leases are judged by it. */
  readonly nowMs: string;
  /**
   * All or nothing; resolves after the commit is flushed. `work` must await nothing but `db`:
   * on SQLite others wait for it. It may be run again after a deadlock, so it changes nothing outside.
   */
  transaction<T>(work: (db: Statements) => Promise<T>): Promise<T>;
  /** Runs a file of statements in one transaction, alone on the whole database. */
  migrate(work: (db: Statements & { script(text: string): Promise<void> }) => Promise<void>): Promise<void>;
  /** Tells every process that something happened. A hint: it may be lost, never waited for. */
  announce(topic: string): void;
  /** Returns the function that ends the listening. */
  onAnnounced(listener: (topic: string) => void): () => void;
  close(): Promise<void>;
}

/** The topic that says: a job can be claimed. */
export const availableTopic = 'available';
/** The topic that says: a callback is to be made. */
export const deliveryTopic = 'delivery';
/** The topic that says: a key was changed or revoked, so what is remembered of keys may be wrong. */
export const keysTopic = 'keys';
/** The topic that says: this job changed, or its cancel was asked for. */
export const jobTopic = (jobId: string): string => `${jobPrefix}${jobId}`;
/** The id of the job that a topic is about; null for every other topic. */
export const jobOfTopic = (topic: string): string | null =>
  topic.startsWith(jobPrefix) ? topic.slice(jobPrefix.length) : null;
/** The topic that says: the upstream of this job called, so it may have news. */
export const webhookTopic = (jobId: string): string => `${webhookPrefix}${jobId}`;
/** The id of the job that a call was about; null for every other topic. */
export const jobOfWebhookTopic = (topic: string): string | null =>
  topic.startsWith(webhookPrefix) ? topic.slice(webhookPrefix.length) : null;

const jobPrefix = 'job:';
const webhookPrefix = 'call:';
