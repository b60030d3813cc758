-- The run whose work caused an errand: its dollars are the run's, and count towards its limit.
ALTER TABLE errands ADD COLUMN run_id INTEGER REFERENCES runs (id);
CREATE INDEX errands_by_run ON errands (run_id) WHERE run_id IS NOT NULL;
