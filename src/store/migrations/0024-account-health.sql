-- What the last test of an account showed, and the last error for which the account, not one job, was at fault.
ALTER TABLE accounts ADD COLUMN tested_at BIGINT;
ALTER TABLE accounts ADD COLUMN test_outcome TEXT;
ALTER TABLE accounts ADD COLUMN test_says TEXT;
ALTER TABLE accounts ADD COLUMN last_error_at BIGINT;
ALTER TABLE accounts ADD COLUMN last_error TEXT;
