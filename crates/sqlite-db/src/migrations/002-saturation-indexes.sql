-- Every active learning stands in exactly one of these, so that counting reads each entry once and no row. An index over the
-- generated column itself does not do: SQLite takes no index for covering that answers for a generated column.
DROP INDEX memories_saturation;
CREATE INDEX memories_protected ON memories (feature_id) WHERE kind = 'learning' AND state = 'active' AND protected;
CREATE INDEX memories_prunable ON memories (feature_id) WHERE kind = 'learning' AND state = 'active' AND NOT protected;
