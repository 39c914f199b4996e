-- Routes whose submissions an upstream refuses for a reason that only the operator can remove: a wrong key, a model that
-- is gone. One row while the answers last; deleted by a submission that succeeds, and when the settings are read again.
CREATE TABLE route_troubles (
  account TEXT NOT NULL,
  model_id TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  since BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (account, model_id)
);
