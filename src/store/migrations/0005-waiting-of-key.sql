-- How many jobs of a key wait is counted on the way of its creations.
CREATE INDEX jobs_waiting_of_key ON jobs (key_id) WHERE state = 'available';
