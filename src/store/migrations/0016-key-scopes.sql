-- What a key may do, as a JSON list of scopes; null: not limited to scopes.
ALTER TABLE keys ADD COLUMN scopes TEXT;
