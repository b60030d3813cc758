-- A passage's number is never used again: who holds an index of passages knows its words by it, and would find the words of a passage that
-- is gone under the number of another one.

-- Vectors stay where they are: each finds its passage again before the commit.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE kept_passages AS SELECT * FROM passages;
DROP TABLE passages;

CREATE TABLE passages (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind <> ''),
    -- The record it is of: memories.row, the section of a document, or the iteration that failed.
    source INTEGER NOT NULL,
    -- Place within the record. Of a failure report 0 is what was tried and why it failed, 1 the stack trace.
    ordinal INTEGER NOT NULL DEFAULT 0,
    feature_id INTEGER,
    state TEXT NOT NULL,
    -- What neighbours share: the iteration or task they came from.
    series TEXT,
    created INTEGER NOT NULL,
    -- Never changes, except that secrets are taken out: what is edited is superseded.
    text TEXT NOT NULL,
    -- Tags, error categories, headings and the parts of paths and identifiers.
    terms TEXT NOT NULL,
    names_a_file INTEGER NOT NULL CHECK (names_a_file IN (0, 1)),
    UNIQUE (kind, source, ordinal)
) STRICT;
INSERT INTO passages SELECT * FROM kept_passages ORDER BY row;
DROP TABLE kept_passages;

-- The triggers of before.
CREATE TRIGGER knowledge_insert AFTER INSERT ON passages WHEN new.kind <> 'failure_report' BEGIN
    INSERT INTO knowledge_fts (rowid, text, terms) VALUES (new.row, new.text, new.terms);
    INSERT INTO knowledge_trigram (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER knowledge_delete AFTER DELETE ON passages WHEN old.kind <> 'failure_report' BEGIN
    INSERT INTO knowledge_fts (knowledge_fts, rowid, text, terms) VALUES ('delete', old.row, old.text, old.terms);
    INSERT INTO knowledge_trigram (knowledge_trigram, rowid, text) VALUES ('delete', old.row, old.text);
END;
CREATE TRIGGER failures_insert AFTER INSERT ON passages WHEN new.kind = 'failure_report' BEGIN
    INSERT INTO failures_fts (rowid, text, terms) VALUES (new.row, new.text, new.terms);
    INSERT INTO failures_trigram (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER failures_delete AFTER DELETE ON passages WHEN old.kind = 'failure_report' BEGIN
    INSERT INTO failures_fts (failures_fts, rowid, text, terms) VALUES ('delete', old.row, old.text, old.terms);
    INSERT INTO failures_trigram (failures_trigram, rowid, text) VALUES ('delete', old.row, old.text);
END;
CREATE TRIGGER passages_wait AFTER INSERT ON passages WHEN new.state IN ('active', 'parked') BEGIN
    INSERT INTO passages_waiting (passage) VALUES (new.row);
END;
CREATE TRIGGER passages_wait_again AFTER UPDATE OF state ON passages BEGIN
    DELETE FROM passages_waiting WHERE passage = new.row;
    INSERT INTO passages_waiting (passage)
    SELECT new.row WHERE new.state IN ('active', 'parked') AND NOT EXISTS (SELECT 1 FROM vectors WHERE passage = new.row);
END;
CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
    DELETE FROM vectors WHERE passage = old.row;
    DELETE FROM passages_waiting WHERE passage = old.row;
END;
CREATE TRIGGER passages_changed_insert AFTER INSERT ON passages BEGIN
    INSERT INTO passage_changes (passage) VALUES (new.row);
END;
CREATE TRIGGER passages_changed_update AFTER UPDATE ON passages BEGIN
    INSERT INTO passage_changes (passage) VALUES (new.row);
END;
CREATE TRIGGER passages_changed_delete AFTER DELETE ON passages BEGIN
    INSERT INTO passage_changes (passage) VALUES (old.row);
END;

-- Snapshots of an index that were kept until now may hold words of passages that are gone.
DELETE FROM meta WHERE key IN ('index_of_knowledge', 'index_of_everything');
