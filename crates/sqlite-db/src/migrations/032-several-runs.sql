-- Several runs of a project go on at once: each holds the lock of its slot, and in one checkout only one works in place.
ALTER TABLE runs ADD COLUMN slot INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN in_place INTEGER NOT NULL DEFAULT 1 CHECK (in_place IN (0, 1));
DROP INDEX one_active_run;
CREATE UNIQUE INDEX one_active_run_in_place ON runs (checkout) WHERE ended IS NULL AND in_place = 1;
CREATE UNIQUE INDEX one_active_run_in_slot ON runs (slot) WHERE ended IS NULL;
