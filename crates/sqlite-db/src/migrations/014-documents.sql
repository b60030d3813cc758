-- Documents: files of the project in sections. They are derived from those files, which are looked at whenever the project is opened, a
-- run starts or somebody reconciles: no journal tells of them, and another clone makes its own.

-- Any kind of memory is searched: a new one changes nothing here. The full-text tables stay, since the rows keep their numbers.
CREATE TABLE kept_passages AS SELECT * FROM passages;
CREATE TABLE kept_vectors AS SELECT * FROM vectors;
DROP TABLE vectors;
DROP TABLE passages;

CREATE TABLE passages (
    row INTEGER PRIMARY KEY,
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
    -- Never changes: what is edited is superseded.
    text TEXT NOT NULL,
    -- Tags, error categories, headings and the parts of paths and identifiers.
    terms TEXT NOT NULL,
    names_a_file INTEGER NOT NULL CHECK (names_a_file IN (0, 1)),
    UNIQUE (kind, source, ordinal)
) STRICT;
CREATE TABLE vectors (
    passage INTEGER PRIMARY KEY REFERENCES passages (row),
    model TEXT NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0)
) STRICT;
CREATE INDEX vectors_by_model ON vectors (model, passage);
INSERT INTO passages SELECT * FROM kept_passages ORDER BY row;
INSERT INTO vectors SELECT * FROM kept_vectors ORDER BY passage;
DROP TABLE kept_passages;
DROP TABLE kept_vectors;

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
CREATE TRIGGER vectors_made AFTER INSERT ON vectors BEGIN
    DELETE FROM passages_waiting WHERE passage = new.passage;
END;

-- Files and folders that a person brought in. What a feature's knowledge_paths name stands with the feature.
CREATE TABLE document_sources (
    row INTEGER PRIMARY KEY,
    -- Relative to the project, with `/`; `.` is the project itself.
    path TEXT NOT NULL UNIQUE CHECK (path <> ''),
    added INTEGER NOT NULL
) STRICT;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE CHECK (path <> ''),
    -- The one feature that names it; NULL = it is the project's, or several features name it.
    feature_id INTEGER REFERENCES features (id),
    -- Length and time of change when it was read; empty when it must be read again.
    stamp TEXT NOT NULL,
    digest TEXT NOT NULL,
    read INTEGER NOT NULL
) STRICT;

CREATE TABLE document_sections (
    id INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id),
    -- First line in the file, from 1.
    line INTEGER NOT NULL CHECK (line >= 1),
    -- Headings above it, or the name of what it defines.
    heading TEXT NOT NULL
) STRICT;
CREATE INDEX document_sections_by_document ON document_sections (document, line);

CREATE TRIGGER document_sections_delete AFTER DELETE ON document_sections BEGIN
    DELETE FROM passages WHERE kind = 'document' AND source = old.id;
END;
CREATE TRIGGER documents_delete AFTER DELETE ON documents BEGIN
    DELETE FROM document_sections WHERE document = old.id;
END;
CREATE TRIGGER documents_move AFTER UPDATE OF feature_id ON documents WHEN new.feature_id IS NOT old.feature_id BEGIN
    UPDATE passages SET feature_id = new.feature_id
    WHERE kind = 'document' AND source IN (SELECT id FROM document_sections WHERE document = new.id);
END;
