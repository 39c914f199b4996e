-- What lists of jobs are searched by: a narrow row a job, filled behind the creations and the ends of jobs, so that
-- neither waits for it. `number` is the time of the job's id, so that the newest stand last.
CREATE TABLE job_search (
  number BIGINT PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  tags TEXT,
  -- Of an unfinished job the columns below say nothing yet: its own row does.
  state TEXT NOT NULL CHECK (state IN ('unfinished', 'completed', 'failed', 'cancelled')),
  error_code TEXT,
  account TEXT,
  run_ms BIGINT,
  -- Millionths of the currency.
  cost BIGINT
);
CREATE INDEX job_search_by_run ON job_search (run_ms, number) WHERE run_ms IS NOT NULL;
CREATE INDEX job_search_by_cost ON job_search (cost, number) WHERE cost IS NOT NULL;
-- An error is searched together with jobs that have not ended.
CREATE INDEX job_search_by_error ON job_search (error_code, number) WHERE error_code IS NOT NULL;
CREATE INDEX job_search_unfinished ON job_search (number) WHERE state = 'unfinished';

-- The words of prompts by the same number: apart, so that the end of a job writes none of them again.
CREATE TABLE job_words (
  number BIGINT PRIMARY KEY,
  words TSVECTOR NOT NULL
);
CREATE INDEX job_words_by_word ON job_words USING gin (words);

-- How far it is: jobs up to the id `newest`, and ends up to `ended_at` and `ended_id`. Jobs of before this table are
-- added from the newest to the oldest: `oldest` is the last of them that was, null when all were.
CREATE TABLE job_search_progress (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  newest TEXT NOT NULL,
  oldest TEXT,
  ended_at BIGINT NOT NULL,
  ended_id TEXT NOT NULL
);
INSERT INTO job_search_progress (id, newest, oldest, ended_at, ended_id)
  SELECT 1, COALESCE(MAX(id), ''), MAX(id) || 'z', COALESCE(MAX(completed_at), 0), '' FROM jobs;
