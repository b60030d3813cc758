-- Where a learning stands that became part of a document: file and heading; none = it did not.
ALTER TABLE memories ADD COLUMN consolidated_into TEXT;

-- Consolidations, a row for each source of one: told by the line with this id, and taken back by another.
CREATE TABLE consolidations (
    id TEXT PRIMARY KEY,
    -- Shared by all rows of one consolidation.
    act TEXT NOT NULL,
    -- Name of the feature; none = the learnings file.
    feature TEXT,
    source TEXT NOT NULL,
    entries TEXT NOT NULL,
    files TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- The day of whoever did it.
    day TEXT NOT NULL,
    undone INTEGER
) STRICT;
CREATE INDEX consolidations_by_act ON consolidations (act);
