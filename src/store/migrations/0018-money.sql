-- Projects own keys and budgets. A key without a project is of the project `default`.
CREATE TABLE projects (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL
);
INSERT INTO projects (id, name, created_at) VALUES ('project_default', 'default', 0);
ALTER TABLE keys ADD COLUMN project_id TEXT;
CREATE INDEX keys_of_project ON keys (project_id) WHERE project_id IS NOT NULL;

-- Money accounts: a project or a key, and each calendar month (UTC) of one that has a monthly limit. Amounts are
-- millionths of the currency. `posted` is what was spent, `held` and `uncertain` are open holds.
CREATE TABLE money_accounts (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'key')),
  owner TEXT NOT NULL,
  -- Null: for ever. Otherwise such as 2026-12.
  period TEXT,
  -- Null: no limit.
  limit_micros BIGINT,
  -- The limit of the account of each month; null: none.
  month_limit BIGINT,
  -- The lowest that an overrun may bring what is available to.
  floor_micros BIGINT NOT NULL DEFAULT 0 CHECK (floor_micros <= 0),
  posted BIGINT NOT NULL DEFAULT 0,
  held BIGINT NOT NULL DEFAULT 0 CHECK (held >= 0),
  uncertain BIGINT NOT NULL DEFAULT 0 CHECK (uncertain >= 0),
  -- The newest entry of its journal, so that a chain cut at its end is seen.
  entries BIGINT NOT NULL DEFAULT 0,
  hash TEXT NOT NULL DEFAULT '',
  -- The highest share of its limit, in percent, of which the operator was notified.
  alerted INTEGER NOT NULL DEFAULT 0,
  CHECK (period IS NULL OR month_limit IS NULL)
);
INSERT INTO money_accounts (id, kind, owner) VALUES ('project:project_default', 'project', 'project_default');

-- The journal, append-only: each entry moves an amount between its account and the counter account of the house, and
-- carries the hash of the one before it in the same account.
CREATE TABLE money_entries (
  account TEXT NOT NULL REFERENCES money_accounts (id),
  number BIGINT NOT NULL CHECK (number >= 1),
  at BIGINT NOT NULL,
  -- limit and top_up change what may be spent; charge, overrun and adjustment what was; written_off neither.
  kind TEXT NOT NULL CHECK (kind IN ('limit', 'top_up', 'charge', 'overrun', 'adjustment', 'written_off')),
  amount BIGINT NOT NULL,
  counter TEXT NOT NULL,
  job_id TEXT,
  actor TEXT NOT NULL,
  reason TEXT,
  idempotency_key TEXT,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (account, number)
);
CREATE UNIQUE INDEX money_entries_idempotency ON money_entries (account, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX money_entries_of_job ON money_entries (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX money_entries_by_time ON money_entries (at, account, number);

-- What a job may cost at most, taken in the transaction that inserts it and ended in the one that ends the job. Outlives
-- the job, for reports.
CREATE TABLE money_holds (
  job_id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  -- Ids of its money accounts, in the order in which they are locked, each followed by a blank.
  path TEXT NOT NULL,
  amount BIGINT NOT NULL CHECK (amount >= 0),
  currency TEXT NOT NULL,
  -- The lines of the quote: prices are those of this moment, whatever the price book says later.
  lines TEXT NOT NULL,
  version TEXT NOT NULL,
  tags TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'uncertain', 'settled', 'released')),
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  -- What was posted, and the upstream account that the job ran under.
  charged BIGINT,
  account TEXT,
  CHECK ((state IN ('open', 'uncertain')) = (ended_at IS NULL)),
  CHECK ((ended_at IS NULL) = (charged IS NULL))
);
CREATE INDEX money_holds_open ON money_holds (state) WHERE ended_at IS NULL;
CREATE INDEX money_holds_ended ON money_holds (ended_at) WHERE ended_at IS NOT NULL;

-- `name=value` of the creation, as a JSON object; and the cost of a settled job.
ALTER TABLE jobs ADD COLUMN tags TEXT;
ALTER TABLE jobs ADD COLUMN cost TEXT;
