-- What a job costs the house, beside what it is charged. `costs` has the lines of a quote, at the prices of the creation;
-- null: no cost was set for the model then.
ALTER TABLE money_holds ADD COLUMN costs TEXT;
ALTER TABLE money_holds ADD COLUMN cost BIGINT;
ALTER TABLE money_entries ADD COLUMN cost BIGINT;
