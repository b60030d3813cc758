-- Episodes are learnt again, compared by their vectors once, and told as dead ends where what they tell of was taken back.

-- Iterations that learnt the same, each once.
ALTER TABLE episodes ADD COLUMN seen TEXT NOT NULL DEFAULT '[]' CHECK (json_type(seen) = 'array');
-- Whether it was compared with those before it; derived, in no journal.
ALTER TABLE episodes ADD COLUMN compared INTEGER NOT NULL DEFAULT 0 CHECK (compared IN (0, 1));
CREATE INDEX episodes_to_compare ON episodes (row) WHERE compared = 0 AND withdrawn IS NULL;

-- What a passage says of an episode; NULL = it is not searched.
CREATE VIEW episode_texts AS
    SELECT row, CASE
        WHEN withdrawn IS NULL THEN lesson
        WHEN json_extract(withdrawn, '$.because') = 'dead_end' THEN 'Dead end (' || json_extract(withdrawn, '$.detail') || '): ' || lesson
    END AS text FROM episodes;
DROP TRIGGER episodes_passage_insert;
DROP TRIGGER episodes_passage_return;
DROP TRIGGER episodes_passage_delete;
CREATE TRIGGER episodes_passage_insert AFTER INSERT ON episodes BEGIN
    INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    SELECT 'episode', new.row, new.feature_id, 'active', new.created, t.text,
        identifier_parts(new.lesson)
            || coalesce((SELECT ' ' || group_concat(value || ' ' || identifier_parts(value), ' ') FROM json_each(new.files)), ''),
        names_a_file(new.lesson)
    FROM episode_texts t WHERE t.row = new.row AND t.text IS NOT NULL;
END;
CREATE TRIGGER episodes_passage_state AFTER UPDATE OF withdrawn ON episodes WHEN new.withdrawn IS NOT old.withdrawn BEGIN
    DELETE FROM passages WHERE kind = 'episode' AND source = new.row;
    INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    SELECT 'episode', new.row, new.feature_id, 'active', new.created, t.text,
        identifier_parts(new.lesson)
            || coalesce((SELECT ' ' || group_concat(value || ' ' || identifier_parts(value), ' ') FROM json_each(new.files)), ''),
        names_a_file(new.lesson)
    FROM episode_texts t WHERE t.row = new.row AND t.text IS NOT NULL;
END;
INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    SELECT 'episode', e.row, e.feature_id, 'active', e.created, t.text,
        identifier_parts(e.lesson)
            || coalesce((SELECT ' ' || group_concat(value || ' ' || identifier_parts(value), ' ') FROM json_each(e.files)), ''),
        names_a_file(e.lesson)
    FROM episodes e JOIN episode_texts t ON t.row = e.row
    WHERE t.text IS NOT NULL AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.kind = 'episode' AND p.source = e.row);
