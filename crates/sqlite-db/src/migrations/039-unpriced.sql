-- Whether a part of what an iteration used has no known cost, so that its dollars are not the whole.
ALTER TABLE iterations ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
