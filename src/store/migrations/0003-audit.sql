-- Who did what to keys, jobs and callbacks, for ever: each row carries the hash of the one before it.
CREATE TABLE audit (
  number BIGINT NOT NULL PRIMARY KEY CHECK (number >= 1),
  at BIGINT NOT NULL,
  -- `operator`, or the id of a key.
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE
);

-- The newest row, written by every writer: they stand in line here, and a chain cut at its end is seen.
CREATE TABLE audit_end (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number BIGINT NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO audit_end (id, number, hash) VALUES (1, 0, '');
