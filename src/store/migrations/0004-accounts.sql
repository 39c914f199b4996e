-- What every process must know of an account: its limits hold over all of them.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  -- No call before this moment: the upstream said so, or calls failed one after another.
  blocked_until BIGINT NOT NULL DEFAULT 0,
  blocked_why TEXT,
  -- When its rate would be empty again (GCRA).
  empty_at BIGINT NOT NULL DEFAULT 0
);

-- The account whose slot a job takes; it stays while an attempt there may still go on.
ALTER TABLE jobs ADD COLUMN account TEXT;
CREATE INDEX jobs_running_at ON jobs (account) WHERE state = 'running';
CREATE INDEX jobs_running_of_key ON jobs (key_id) WHERE state = 'running';
CREATE INDEX jobs_to_cancel ON jobs (holder) WHERE state = 'running' AND cancel_requested_at IS NOT NULL;
-- Whether the result of an upstream is being brought here: then the job is more than a wait.
ALTER TABLE jobs ADD COLUMN collecting INTEGER NOT NULL DEFAULT 0 CHECK (collecting IN (0, 1));
CREATE INDEX jobs_under_suspicion ON jobs (model_id) WHERE state = 'available' AND deaths > 0;

-- How often the call of this attempt was made: more than once only where the key makes that free.
ALTER TABLE attempts ADD COLUMN sends INTEGER NOT NULL DEFAULT 1;
-- What was prepared for it (uploads, for one): the same call made again must be the same to the letter.
ALTER TABLE attempts ADD COLUMN prepared TEXT;
-- Whether an upstream charges for it.
ALTER TABLE attempts ADD COLUMN billable INTEGER NOT NULL DEFAULT 0 CHECK (billable IN (0, 1));
-- A doubt: the job ended and nobody knows whether this attempt was charged. An operator settles it.
ALTER TABLE attempts ADD COLUMN doubted_at BIGINT;
ALTER TABLE attempts ADD COLUMN doubt_settled_at BIGINT;
ALTER TABLE attempts ADD COLUMN doubt_settlement TEXT CHECK (doubt_settlement IN ('adopted', 'given_up', 'sent_again'));
CREATE INDEX attempts_in_doubt ON attempts (doubted_at, job_id) WHERE doubted_at IS NOT NULL AND doubt_settled_at IS NULL;
