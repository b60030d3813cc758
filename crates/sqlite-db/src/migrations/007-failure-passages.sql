-- Failure reports are searched too, in full-text indexes of their own: there is one for every failed attempt, and a prompt, which is told
-- of its own task's attempts by itself and asks for learnings alone, must not pay for their number. What was known of passages stays.

CREATE TABLE kept_passages AS SELECT * FROM passages;
CREATE TABLE kept_vectors AS SELECT * FROM vectors;
DROP TABLE vectors;
DROP TABLE passages_fts;
DROP TABLE passages_trigram;
DROP TABLE passages;

CREATE TABLE passages (
    row INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('learning', 'document', 'failure_report')),
    -- The record it is of: memories.row, the number of a document, or the iteration that failed.
    source INTEGER NOT NULL,
    -- Place within the record. Of a failure report 0 is what was tried and why it failed, 1 the stack trace.
    ordinal INTEGER NOT NULL DEFAULT 0,
    feature_id INTEGER,
    state TEXT NOT NULL,
    -- What neighbours share: the iteration or task they came from, the session of a document.
    series TEXT,
    created INTEGER NOT NULL,
    -- Never changes: what is edited is superseded.
    text TEXT NOT NULL,
    -- Tags, error categories and the parts of paths and identifiers.
    terms TEXT NOT NULL,
    names_a_file INTEGER NOT NULL CHECK (names_a_file IN (0, 1)),
    UNIQUE (kind, source, ordinal)
) STRICT;

-- What each pair of indexes holds, so that they can be rebuilt from it.
CREATE VIEW knowledge_passages AS SELECT row, text, terms FROM passages WHERE kind <> 'failure_report';
CREATE VIEW failure_passages AS SELECT row, text, terms FROM passages WHERE kind = 'failure_report';
CREATE VIRTUAL TABLE knowledge_fts
    USING fts5 (text, terms, content = 'knowledge_passages', content_rowid = 'row', tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE knowledge_trigram USING fts5 (text, content = 'knowledge_passages', content_rowid = 'row', tokenize = 'trigram');
CREATE VIRTUAL TABLE failures_fts
    USING fts5 (text, terms, content = 'failure_passages', content_rowid = 'row', tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE failures_trigram USING fts5 (text, content = 'failure_passages', content_rowid = 'row', tokenize = 'trigram');

CREATE TRIGGER knowledge_insert AFTER INSERT ON passages WHEN new.kind <> 'failure_report' BEGIN
    INSERT INTO knowledge_fts (rowid, text, terms) VALUES (new.row, new.text, new.terms);
    INSERT INTO knowledge_trigram (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER knowledge_delete AFTER DELETE ON passages WHEN old.kind <> 'failure_report' BEGIN
    INSERT INTO knowledge_fts (knowledge_fts, rowid, text, terms) VALUES ('delete', old.row, old.text, old.terms);
    INSERT INTO knowledge_trigram (knowledge_trigram, rowid, text) VALUES ('delete', old.row, old.text);
    DELETE FROM vectors WHERE passage = old.row;
END;
CREATE TRIGGER failures_insert AFTER INSERT ON passages WHEN new.kind = 'failure_report' BEGIN
    INSERT INTO failures_fts (rowid, text, terms) VALUES (new.row, new.text, new.terms);
    INSERT INTO failures_trigram (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER failures_delete AFTER DELETE ON passages WHEN old.kind = 'failure_report' BEGIN
    INSERT INTO failures_fts (failures_fts, rowid, text, terms) VALUES ('delete', old.row, old.text, old.terms);
    INSERT INTO failures_trigram (failures_trigram, rowid, text) VALUES ('delete', old.row, old.text);
    DELETE FROM vectors WHERE passage = old.row;
END;

-- One vector per passage: f32, little-endian, of length 1. Another model's vectors are replaced one by one.
CREATE TABLE vectors (
    passage INTEGER PRIMARY KEY REFERENCES passages (row),
    model TEXT NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0)
) STRICT;

INSERT INTO passages SELECT * FROM kept_passages ORDER BY row;
INSERT INTO vectors SELECT * FROM kept_vectors;
DROP TABLE kept_passages;
DROP TABLE kept_vectors;

-- What a failure report says, one row per passage.
CREATE VIEW failure_texts AS
SELECT f.iteration_id, 0 AS ordinal, f.task_id, f.created_at, f.error_category,
    f.why_it_failed || char(10) || 'Tried: ' || f.what_was_tried
        || coalesce(char(10) || 'Suggested: ' || f.retry_suggestion, '')
        || coalesce((SELECT char(10) || 'Files: ' || group_concat(value, ', ') FROM json_each(f.relevant_files)), '') AS text
FROM failure_reports f
UNION ALL
SELECT f.iteration_id, 1, f.task_id, f.created_at, f.error_category, f.stack_trace_snippet
FROM failure_reports f WHERE f.stack_trace_snippet IS NOT NULL;

CREATE TRIGGER failure_reports_insert AFTER INSERT ON failure_reports BEGIN
    INSERT INTO passages (kind, source, ordinal, feature_id, state, series, created, text, terms, names_a_file)
    SELECT 'failure_report', f.iteration_id, f.ordinal, t.feature_id, 'active', 'task:' || f.task_id, f.created_at, f.text,
        identifier_parts(f.text) || ' ' || f.error_category, names_a_file(f.text)
    FROM failure_texts f JOIN tasks t ON t.id = f.task_id WHERE f.iteration_id = new.iteration_id;
END;
CREATE TRIGGER failure_reports_delete AFTER DELETE ON failure_reports BEGIN
    DELETE FROM passages WHERE kind = 'failure_report' AND source = old.iteration_id;
END;
-- A task that moves to another feature takes its failures along.
CREATE TRIGGER failure_reports_move AFTER UPDATE OF feature_id ON tasks WHEN new.feature_id IS NOT old.feature_id BEGIN
    UPDATE passages SET feature_id = new.feature_id
    WHERE kind = 'failure_report' AND source IN (SELECT iteration_id FROM failure_reports WHERE task_id = new.id);
END;

INSERT INTO passages (kind, source, ordinal, feature_id, state, series, created, text, terms, names_a_file)
SELECT 'failure_report', f.iteration_id, f.ordinal, t.feature_id, 'active', 'task:' || f.task_id, f.created_at, f.text,
    identifier_parts(f.text) || ' ' || f.error_category, names_a_file(f.text)
FROM failure_texts f JOIN tasks t ON t.id = f.task_id ORDER BY f.iteration_id, f.ordinal;
