-- Whether a death was counted while the result was brought: a submission that goes well says nothing of that.
ALTER TABLE jobs ADD COLUMN died_collecting INTEGER NOT NULL DEFAULT 0 CHECK (died_collecting IN (0, 1));
-- When the worker was told to stop: what ends its process afterwards comes from outside.
ALTER TABLE workers ADD COLUMN stopping_at BIGINT;
