-- Jobs in line that an attempt binds to its account: after a restart they are taken up before anything is started.
CREATE INDEX jobs_bound ON jobs (model_id, account, band, rank, id) WHERE state = 'available' AND account IS NOT NULL;
