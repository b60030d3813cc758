-- The words of learnings stand together by feature: only learnings of one feature are compared, and a new one changes a few pages
-- instead of one for each of its words.
CREATE TABLE keys_by_feature (
    feature_id INTEGER NOT NULL,
    key INTEGER NOT NULL,
    -- memories.row
    memory INTEGER NOT NULL,
    PRIMARY KEY (feature_id, key, memory)
) STRICT, WITHOUT ROWID;
INSERT INTO keys_by_feature (feature_id, key, memory)
SELECT m.feature_id, k.key, k.memory FROM memory_keys k JOIN memories m ON m.row = k.memory WHERE m.feature_id IS NOT NULL ORDER BY 1, 2, 3;
DROP TABLE memory_keys;
ALTER TABLE keys_by_feature RENAME TO memory_keys;

CREATE TRIGGER memory_keys_move AFTER UPDATE OF feature_id ON memories WHEN new.feature_id IS NOT old.feature_id BEGIN
    UPDATE memory_keys SET feature_id = new.feature_id WHERE feature_id = old.feature_id AND memory = new.row;
END;
