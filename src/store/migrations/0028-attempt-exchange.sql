-- The call of an attempt and its answer, without secrets, cut: what an operator reads when it failed.
ALTER TABLE attempts ADD COLUMN exchange TEXT;
