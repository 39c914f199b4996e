-- Alerts of budgets are delivered like callbacks, but are of no job: they have a body of their own. A column cannot be
-- made nullable here, so both tables are made anew.
CREATE TABLE deliveries_new (
  id TEXT PRIMARY KEY,
  job_id TEXT REFERENCES jobs (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id),
  status TEXT NOT NULL CHECK (status IN ('IN_PROGRESS', 'COMPLETED', 'BUDGET_ALERT')),
  url TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed', 'superseded')),
  tries INTEGER NOT NULL DEFAULT 0,
  due_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  line TEXT NOT NULL DEFAULT '',
  failures INTEGER NOT NULL DEFAULT 0,
  sending_until BIGINT,
  -- Of an alert; that of a job is what the job is when it is sent.
  body TEXT,
  CHECK ((state = 'waiting') = (ended_at IS NULL)),
  CHECK ((job_id IS NULL) = (status = 'BUDGET_ALERT')),
  CHECK ((job_id IS NULL) = (body IS NOT NULL))
);
INSERT INTO deliveries_new (id, job_id, user_id, status, url, state, tries, due_at, created_at, ended_at, line, failures,
    sending_until)
  SELECT id, job_id, user_id, status, url, state, tries, due_at, created_at, ended_at, line, failures, sending_until
  FROM deliveries;
CREATE TABLE delivery_tries_new (
  delivery_id TEXT NOT NULL REFERENCES deliveries_new (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  at BIGINT NOT NULL,
  took_ms BIGINT,
  code INTEGER,
  answer TEXT,
  PRIMARY KEY (delivery_id, number),
  CHECK ((took_ms IS NULL) = (answer IS NULL)),
  CHECK (code IS NULL OR answer IS NOT NULL)
);
INSERT INTO delivery_tries_new (delivery_id, number, at, took_ms, code, answer)
  SELECT delivery_id, number, at, took_ms, code, answer FROM delivery_tries;
-- In this order, or SQLite deletes the rows that refer to a dropped one.
DROP TABLE delivery_tries;
DROP TABLE deliveries;
ALTER TABLE deliveries_new RENAME TO deliveries;
ALTER TABLE delivery_tries_new RENAME TO delivery_tries;
CREATE INDEX deliveries_of_job ON deliveries (job_id, id);
CREATE INDEX deliveries_in_line ON deliveries (line, due_at, id) WHERE state = 'waiting';
CREATE INDEX deliveries_in_flight ON deliveries (sending_until) WHERE sending_until IS NOT NULL;
CREATE INDEX deliveries_of_user ON deliveries (user_id, id);
CREATE INDEX deliveries_failed ON deliveries (ended_at) WHERE state = 'failed';
CREATE INDEX deliveries_by_state ON deliveries ((state || ''), id);

-- Its webhook secret signs alerts.
INSERT INTO users (id, name, callback_secret, created_at) VALUES ('user_budget_alerts', 'budget-alerts', '', 0)
  ON CONFLICT DO NOTHING;
