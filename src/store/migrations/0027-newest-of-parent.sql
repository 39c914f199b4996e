-- The newest jobs that were made from a job are the end of one range of this index, however many there are.
DROP INDEX jobs_of_parent;
CREATE INDEX jobs_of_parent ON jobs (parent_id, id) WHERE parent_id IS NOT NULL;
