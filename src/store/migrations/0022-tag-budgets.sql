-- Budgets of tags: an account may belong to a tag, too. A column with another constraint takes the place of `kind`.
ALTER TABLE money_accounts ADD COLUMN owner_kind TEXT NOT NULL DEFAULT 'project'
  CHECK (owner_kind IN ('project', 'key', 'tag'));
UPDATE money_accounts SET owner_kind = kind;
ALTER TABLE money_accounts DROP COLUMN kind;
ALTER TABLE money_accounts RENAME COLUMN owner_kind TO kind;
