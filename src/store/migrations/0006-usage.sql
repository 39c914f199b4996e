-- What a job used, ready for prices: as its upstream reported it, and as it was computed here. Outlives the job.
CREATE TABLE usage_lines (
  job_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  account TEXT,
  unit TEXT NOT NULL CHECK (unit IN ('second', 'image', 'character', 'token', 'credit', 'gpu_second')),
  quantity DOUBLE PRECISION NOT NULL CHECK (quantity >= 0),
  basis TEXT NOT NULL CHECK (basis IN ('reported', 'computed')),
  at BIGINT NOT NULL,
  PRIMARY KEY (job_id, line)
);

-- The accounts that may take a job, each between commas: those whose upstream takes all of its input, and
-- where it points at something of an upstream, the one that owns it. Null: every account of its model.
ALTER TABLE jobs ADD COLUMN accounts TEXT;
