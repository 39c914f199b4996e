-- An operator gives an account nothing new, until it is resumed; what is under way there goes on.
ALTER TABLE accounts ADD COLUMN paused_at BIGINT;
