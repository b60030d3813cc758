-- Who drives a run, as JSON: a process number alone is used again. Missing in runs of earlier versions.
ALTER TABLE runs ADD COLUMN owner TEXT CHECK (owner IS NULL OR json_type(owner) = 'object');
CREATE INDEX iterations_running ON iterations (run_id) WHERE outcome = 'running';
