-- Alerts of budgets are delivered like callbacks, but are of no job: they have a body of their own.
ALTER TABLE deliveries
  ADD COLUMN body TEXT,
  ALTER COLUMN job_id DROP NOT NULL,
  DROP CONSTRAINT deliveries_status_check,
  ADD CONSTRAINT deliveries_status_check CHECK (status IN ('IN_PROGRESS', 'COMPLETED', 'BUDGET_ALERT')),
  ADD CHECK ((job_id IS NULL) = (status = 'BUDGET_ALERT')),
  ADD CHECK ((job_id IS NULL) = (body IS NOT NULL));

-- Its webhook secret signs alerts.
INSERT INTO users (id, name, callback_secret, created_at) VALUES ('user_budget_alerts', 'budget-alerts', '', 0)
  ON CONFLICT DO NOTHING;
