-- Episodes (what an iteration did) and facts (what is so). Their words never change; what can is whether they are withdrawn.

CREATE TABLE episodes (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- NULL = it is the project's.
    feature_id INTEGER REFERENCES features (id),
    lesson TEXT NOT NULL,
    lesson_type TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source TEXT NOT NULL,
    -- As the replica numbers them; no foreign keys, since journals travel to clones without them.
    task_id INTEGER,
    iteration INTEGER,
    replica TEXT,
    -- Relative to the project.
    files TEXT NOT NULL CHECK (json_type(files) = 'array'),
    created INTEGER NOT NULL,
    -- Why and when; NULL = it is told.
    withdrawn TEXT CHECK (withdrawn IS NULL OR json_type(withdrawn) = 'object'),
    state TEXT NOT NULL GENERATED ALWAYS AS (CASE WHEN withdrawn IS NULL THEN 'active' ELSE 'withdrawn' END) VIRTUAL
) STRICT;
CREATE INDEX episodes_active ON episodes (feature_id, created) WHERE withdrawn IS NULL;

CREATE TABLE facts (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- NULL = it is the project's.
    feature_id INTEGER REFERENCES features (id),
    kind TEXT NOT NULL CHECK (kind <> ''),
    subject TEXT NOT NULL,
    value TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    source TEXT NOT NULL,
    -- The file that says so, relative to the project, its line then, and what stood there.
    file TEXT,
    line INTEGER CHECK (line >= 1),
    quote TEXT,
    task_id INTEGER,
    iteration INTEGER,
    replica TEXT,
    created INTEGER NOT NULL,
    withdrawn TEXT CHECK (withdrawn IS NULL OR json_type(withdrawn) = 'object'),
    -- Derived from the file by the last look, in no journal: its length and time of change, and where the line stands now.
    stamp TEXT NOT NULL DEFAULT '',
    line_now INTEGER CHECK (line_now >= 1),
    state TEXT NOT NULL GENERATED ALWAYS AS (CASE WHEN withdrawn IS NULL THEN 'active' ELSE 'withdrawn' END) VIRTUAL
) STRICT;
CREATE INDEX facts_by_subject ON facts (subject COLLATE NOCASE, kind);
CREATE INDEX facts_with_a_file ON facts (file) WHERE file IS NOT NULL;

-- An episode is searched for as long as it is told: there is one for every task that was done, and a prompt must not pay for their number.
CREATE TRIGGER episodes_passage_insert AFTER INSERT ON episodes WHEN new.withdrawn IS NULL BEGIN
    INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    VALUES ('episode', new.row, new.feature_id, new.state, new.created, new.lesson,
        identifier_parts(new.lesson)
            || coalesce((SELECT ' ' || group_concat(value || ' ' || identifier_parts(value), ' ') FROM json_each(new.files)), ''),
        names_a_file(new.lesson));
END;
CREATE TRIGGER episodes_passage_return AFTER UPDATE OF withdrawn ON episodes WHEN new.withdrawn IS NULL AND old.withdrawn IS NOT NULL BEGIN
    INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    VALUES ('episode', new.row, new.feature_id, new.state, new.created, new.lesson,
        identifier_parts(new.lesson)
            || coalesce((SELECT ' ' || group_concat(value || ' ' || identifier_parts(value), ' ') FROM json_each(new.files)), ''),
        names_a_file(new.lesson));
END;
CREATE TRIGGER episodes_passage_delete AFTER UPDATE OF withdrawn ON episodes WHEN new.withdrawn IS NOT NULL AND old.withdrawn IS NULL BEGIN
    DELETE FROM passages WHERE kind = 'episode' AND source = new.row;
END;
CREATE TRIGGER facts_passage_insert AFTER INSERT ON facts BEGIN
    INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    VALUES ('fact', new.row, new.feature_id, new.state, new.created, new.subject || ': ' || new.value,
        new.kind || ' ' || identifier_parts(new.subject || ' ' || new.value || ' ' || new.kind)
            || coalesce(' ' || new.file || ' ' || identifier_parts(new.file), ''),
        new.file IS NOT NULL OR names_a_file(new.value));
END;
CREATE TRIGGER facts_passage_state AFTER UPDATE OF withdrawn ON facts WHEN new.withdrawn IS NOT old.withdrawn BEGIN
    UPDATE passages SET state = new.state WHERE kind = 'fact' AND source = new.row;
END;
