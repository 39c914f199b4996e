-- The tables of Atelier, in SQL that SQLite and PostgreSQL both speak.
-- Times are epoch milliseconds; JSON is text. The CHECKs forbid impossible rows.

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  callback_secret TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  name TEXT,
  hash TEXT NOT NULL UNIQUE,
  hint TEXT NOT NULL,
  models TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX keys_of_user ON keys (user_id);

-- A worker process is the lease of all it holds: one heartbeat renews a hundred thousand jobs.
CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  started_at BIGINT NOT NULL,
  heartbeat_at BIGINT NOT NULL
);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  key_id TEXT NOT NULL REFERENCES keys (id),
  model_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('available', 'running', 'completed', 'failed', 'cancelled')),
  band INTEGER NOT NULL CHECK (band IN (0, 1)),
  rank BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  holder TEXT,
  claim INTEGER NOT NULL DEFAULT 0,
  deaths INTEGER NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  started_at BIGINT,
  completed_at BIGINT,
  expires_at BIGINT NOT NULL,
  cancel_requested_at BIGINT,
  input TEXT NOT NULL,
  -- The job that this one was made from. It may be pruned before this one.
  parent_id TEXT,
  external_task_id TEXT,
  callback_url TEXT,
  idempotency_key TEXT,
  idempotency_hash TEXT,
  progress INTEGER CHECK (progress BETWEEN 0 AND 1000),
  result TEXT,
  error TEXT,
  CHECK ((state = 'running') = (holder IS NOT NULL)),
  CHECK ((state IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL)),
  CHECK ((state = 'completed') = (result IS NOT NULL)),
  CHECK ((state IN ('failed', 'cancelled')) = (error IS NOT NULL)),
  CHECK ((idempotency_key IS NULL) = (idempotency_hash IS NULL)),
  CHECK (state <> 'running' OR started_at IS NOT NULL)
);

-- The order of the claim is the order of its index.
CREATE INDEX jobs_to_claim ON jobs (model_id, band, rank, id) WHERE state = 'available';
-- The highest rank among one user's waiting jobs of a model.
CREATE INDEX jobs_waiting_of_user ON jobs (model_id, band, user_id, rank) WHERE state = 'available';
CREATE INDEX jobs_held ON jobs (holder) WHERE state = 'running';
CREATE INDEX jobs_to_expire ON jobs (expires_at) WHERE state = 'available';
CREATE INDEX jobs_to_prune ON jobs (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX jobs_of_parent ON jobs (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX jobs_of_user ON jobs (user_id, model_id, id);
CREATE UNIQUE INDEX jobs_external_task_id ON jobs (user_id, external_task_id) WHERE external_task_id IS NOT NULL;
CREATE UNIQUE INDEX jobs_idempotency_key ON jobs (user_id, model_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

-- One row a submission, written before the call: an open one (no end) is an intent whose outcome is not known.
CREATE TABLE attempts (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  provider TEXT NOT NULL,
  account TEXT NOT NULL,
  dedupe_key TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  answered_at BIGINT,
  answer TEXT CHECK (answer IN ('accepted', 'done', 'refused', 'unknown', 'lost')),
  ref TEXT,
  error TEXT,
  PRIMARY KEY (job_id, number),
  CHECK ((answer IS NULL) = (answered_at IS NULL)),
  CHECK ((answer IS NOT NULL AND answer = 'accepted') = (ref IS NOT NULL))
);

-- What the row of a job does not tell by itself: retries, rescues, words of a provider.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  at BIGINT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('INFO', 'WARN', 'ERROR')),
  message TEXT NOT NULL
);
CREATE INDEX events_of_job ON events (job_id, id);

-- Callbacks to be made, written with the change of state that they tell of.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  status TEXT NOT NULL CHECK (status IN ('IN_PROGRESS', 'COMPLETED')),
  url TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed', 'superseded')),
  tries INTEGER NOT NULL DEFAULT 0,
  due_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  CHECK ((state = 'waiting') = (ended_at IS NULL))
);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE state = 'waiting';
CREATE INDEX deliveries_of_job ON deliveries (job_id, id);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  key_id TEXT NOT NULL REFERENCES keys (id),
  source TEXT NOT NULL CHECK (source IN ('upload', 'input', 'output')),
  job_id TEXT,
  file_name TEXT NOT NULL,
  bytes BIGINT NOT NULL CHECK (bytes >= 0),
  mime_type TEXT NOT NULL,
  width INTEGER,
  height INTEGER,
  sha256 TEXT NOT NULL,
  blob_key TEXT NOT NULL UNIQUE,
  purpose TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  deleted_at BIGINT,
  CHECK ((width IS NULL) = (height IS NULL)),
  CHECK ((source = 'upload') = (job_id IS NULL))
);
CREATE INDEX files_of_user ON files (user_id, source, created_at, id);
CREATE INDEX files_of_job ON files (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX files_to_remove ON files (expires_at);
