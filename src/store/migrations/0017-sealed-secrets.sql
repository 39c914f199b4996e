-- Webhook secrets are encrypted by a key derived from the master secret. This one row is a known text encrypted by it:
-- it tells a start with another master secret before anything is read or written with that.
CREATE TABLE seal_proof (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sealed TEXT NOT NULL
);
