-- People who use the console beside whoever has the admin token.
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'developer', 'admin')),
  -- scrypt, with its salt and its cost.
  password_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- A session that began before is none any more.
  changed_at BIGINT NOT NULL
);

-- What the operator allows a key; null: any number.
ALTER TABLE keys ADD COLUMN jobs_at_once BIGINT CHECK (jobs_at_once >= 1);
ALTER TABLE keys ADD COLUMN jobs_per_day BIGINT CHECK (jobs_per_day >= 1);
-- How many jobs a key with such a limit made on a day of UTC.
CREATE TABLE key_days (
  key_id TEXT NOT NULL REFERENCES keys (id),
  day BIGINT NOT NULL,
  jobs BIGINT NOT NULL,
  PRIMARY KEY (key_id, day)
);

-- The pages of the console: what was done to one thing, what was used in a time, the newest files of all users.
CREATE INDEX audit_of_subject ON audit (subject, number);
CREATE INDEX usage_lines_at ON usage_lines (at);
CREATE INDEX files_by_time ON files (created_at, id);
