-- `alerted` is the highest step of its limit, in percent, that an account reached; `notified` the one that was logged.
ALTER TABLE money_accounts ADD COLUMN notified INTEGER NOT NULL DEFAULT 0;
CREATE INDEX money_accounts_to_notify ON money_accounts (id) WHERE alerted > notified;
