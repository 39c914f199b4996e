-- How many bytes the files of a key hold that were not deleted and whose bytes were not removed yet: changed with every
-- row of a file, in the same transaction. In parts, of which the sum is the figure: jobs of one key that end at the same
-- moment would otherwise wait for one row.
CREATE TABLE stored_bytes (
  user_id TEXT NOT NULL REFERENCES users (id),
  key_id TEXT NOT NULL REFERENCES keys (id),
  part INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  PRIMARY KEY (user_id, key_id, part)
);
INSERT INTO stored_bytes (user_id, key_id, part, bytes)
  SELECT user_id, key_id, 0, CAST(SUM(bytes) AS BIGINT) FROM files WHERE deleted_at IS NULL GROUP BY user_id, key_id;

-- The job with whose creation the inputs of this one came, where this one is a copy of it. It may be pruned before.
ALTER TABLE jobs ADD COLUMN inputs_of TEXT;
CREATE INDEX jobs_of_inputs ON jobs (inputs_of) WHERE inputs_of IS NOT NULL;
