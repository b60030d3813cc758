-- Whether a selection was rolled back: it is history, and counts for nothing.
ALTER TABLE selections ADD COLUMN rolled_back INTEGER NOT NULL DEFAULT 0;
