-- What recall searches: a learning is one passage, a document as many as it has chunks. Derived by triggers from the tables of record,
-- so it can be made anew at any time. `identifier_parts` and `names_a_file` are functions of this crate. Failure reports are no
-- passages: there is one for every failed attempt, and a hundred thousand would be scored for every prompt.

DROP TRIGGER memories_fts_insert;
DROP TRIGGER memories_fts_delete;
DROP TRIGGER memories_fts_update;
DROP TABLE memories_fts;

CREATE TABLE passages (
    row INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('learning', 'document')),
    -- The record it is of: memories.row, or the number of a document.
    source INTEGER NOT NULL,
    -- Place within the record.
    ordinal INTEGER NOT NULL DEFAULT 0,
    feature_id INTEGER,
    state TEXT NOT NULL,
    -- What neighbours share: the iteration or task they came from, the session of a document.
    series TEXT,
    created INTEGER NOT NULL,
    text TEXT NOT NULL,
    -- Tags, error categories and the parts of paths and identifiers.
    terms TEXT NOT NULL,
    names_a_file INTEGER NOT NULL CHECK (names_a_file IN (0, 1)),
    UNIQUE (kind, source, ordinal)
) STRICT;

CREATE VIRTUAL TABLE passages_fts USING fts5 (text, terms, content = 'passages', content_rowid = 'row', tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE passages_trigram USING fts5 (text, content = 'passages', content_rowid = 'row', tokenize = 'trigram');

CREATE TRIGGER passages_insert AFTER INSERT ON passages BEGIN
    INSERT INTO passages_fts (rowid, text, terms) VALUES (new.row, new.text, new.terms);
    INSERT INTO passages_trigram (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER passages_delete AFTER DELETE ON passages BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text, terms) VALUES ('delete', old.row, old.text, old.terms);
    INSERT INTO passages_trigram (passages_trigram, rowid, text) VALUES ('delete', old.row, old.text);
    DELETE FROM vectors WHERE passage = old.row;
END;
CREATE TRIGGER passages_update AFTER UPDATE OF text, terms ON passages BEGIN
    INSERT INTO passages_fts (passages_fts, rowid, text, terms) VALUES ('delete', old.row, old.text, old.terms);
    INSERT INTO passages_trigram (passages_trigram, rowid, text) VALUES ('delete', old.row, old.text);
    INSERT INTO passages_fts (rowid, text, terms) VALUES (new.row, new.text, new.terms);
    INSERT INTO passages_trigram (rowid, text) VALUES (new.row, new.text);
    DELETE FROM vectors WHERE passage = old.row;
END;

-- One vector per passage: f32, little-endian, of length 1. Another model's vectors are replaced one by one.
CREATE TABLE vectors (
    passage INTEGER PRIMARY KEY REFERENCES passages (row),
    model TEXT NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0)
) STRICT;

CREATE TRIGGER memories_passage_insert AFTER INSERT ON memories WHEN new.kind = 'learning' BEGIN
    INSERT INTO passages (kind, source, feature_id, state, series, created, text, terms, names_a_file)
    VALUES ('learning', new.row, new.feature_id, new.state,
        coalesce('iteration:' || new.iteration, 'task:' || new.task_id), new.created,
        new.text || coalesce(' ' || new.reason, ''),
        identifier_parts(new.text || coalesce(' ' || new.reason, ''))
            || coalesce((SELECT ' ' || group_concat(value, ' ') FROM json_each(new.tags)), ''),
        names_a_file(new.text || coalesce(' ' || new.reason, '')));
END;
CREATE TRIGGER memories_passage_delete AFTER DELETE ON memories WHEN old.kind = 'learning' BEGIN
    DELETE FROM passages WHERE kind = 'learning' AND source = old.row;
END;
CREATE TRIGGER memories_passage_update AFTER UPDATE OF state, feature_id ON memories WHEN new.kind = 'learning' BEGIN
    UPDATE passages SET state = new.state, feature_id = new.feature_id WHERE kind = 'learning' AND source = new.row;
END;

INSERT INTO passages (kind, source, feature_id, state, series, created, text, terms, names_a_file)
SELECT 'learning', row, feature_id, state, coalesce('iteration:' || iteration, 'task:' || task_id), created,
    text || coalesce(' ' || reason, ''),
    identifier_parts(text || coalesce(' ' || reason, '')) || coalesce((SELECT ' ' || group_concat(value, ' ') FROM json_each(tags)), ''),
    names_a_file(text || coalesce(' ' || reason, ''))
FROM memories WHERE kind = 'learning' ORDER BY row;
