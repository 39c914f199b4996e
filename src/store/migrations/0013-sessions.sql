-- Sessions of the console: a cookie carries a random secret, and the row says whether and as whom it counts.
CREATE TABLE sessions (
  -- Names a session in lists and in the audit; the secret is not in it.
  id TEXT PRIMARY KEY,
  -- SHA-256 of the secret in the cookie.
  secret_hash TEXT NOT NULL UNIQUE,
  -- Null: begun with the admin token.
  person_id TEXT,
  -- people.changed_at when the session began: another one means another password or role, and the end.
  person_changed_at BIGINT,
  -- At the beginning.
  role TEXT NOT NULL CHECK (role IN ('viewer', 'developer', 'admin')),
  began_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL,
  -- Of the client that began it.
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL
);
CREATE INDEX sessions_of_owner ON sessions (COALESCE(person_id, ''), began_at);

-- Rates of logins over all processes: a bucket is a place in a table of fixed size, so that no flood makes it grow.
CREATE TABLE login_buckets (
  bucket TEXT PRIMARY KEY,
  -- When it would be empty again.
  empty_at BIGINT NOT NULL
);

-- The setup has an address that ends: its code is stored hashed. From now on the row is always there; ended_at is 0
-- while nobody had an account yet, nor logged in with the admin token.
ALTER TABLE setup ADD COLUMN code_hash TEXT;
ALTER TABLE setup ADD COLUMN code_ends_at BIGINT;
INSERT INTO setup (id, ended_at) VALUES (1, 0) ON CONFLICT DO NOTHING;
