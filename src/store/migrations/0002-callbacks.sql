-- Callbacks are made: their lines, their tries, and two secrets while one takes the other's place.

ALTER TABLE users ADD COLUMN previous_callback_secret TEXT;
ALTER TABLE users ADD COLUMN previous_callback_secret_ends_at BIGINT;

-- One user's callbacks to one host: lines take turns, so that no line waits behind another.
ALTER TABLE deliveries ADD COLUMN line TEXT NOT NULL DEFAULT '';
UPDATE deliveries SET line = user_id || ' ' || url;
-- Failed tries since it was last put in line: its place on the schedule.
ALTER TABLE deliveries ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
-- A claimed delivery is in flight until then; what a crash left in flight is free after that.
ALTER TABLE deliveries ADD COLUMN sending_until BIGINT;

DROP INDEX deliveries_due;
CREATE INDEX deliveries_in_line ON deliveries (line, due_at, id) WHERE state = 'waiting';
CREATE INDEX deliveries_in_flight ON deliveries (sending_until) WHERE sending_until IS NOT NULL;
CREATE INDEX deliveries_of_user ON deliveries (user_id, id);
CREATE INDEX deliveries_by_state ON deliveries (state, id);
CREATE INDEX deliveries_failed ON deliveries (ended_at) WHERE state = 'failed';

-- One row a try, written with its claim: one without an outcome is under way, or its process ended.
CREATE TABLE delivery_tries (
  delivery_id TEXT NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  at BIGINT NOT NULL,
  took_ms BIGINT,
  -- The status of the answer; null when none came.
  code INTEGER,
  -- The first bytes of the answer, or why there was none.
  answer TEXT,
  PRIMARY KEY (delivery_id, number),
  CHECK ((took_ms IS NULL) = (answer IS NULL)),
  CHECK (code IS NULL OR answer IS NOT NULL)
);
