-- Manifests and sources that state facts themselves, as they were read last. Derived from the files, in no journal.
CREATE TABLE code_files (
    -- Relative to the project, with `/`.
    path TEXT PRIMARY KEY,
    -- Length and time of change; empty = it must be read again.
    stamp TEXT NOT NULL,
    -- Of the content, behind the number of the rules that read it.
    digest TEXT NOT NULL,
    -- What it states.
    facts TEXT NOT NULL CHECK (json_type(facts) = 'array'),
    -- Why it is passed over.
    skipped TEXT
) STRICT, WITHOUT ROWID;

-- That a fact from code names its file says nothing for it: all of them do.
DROP TRIGGER facts_passage_insert;
CREATE TRIGGER facts_passage_insert AFTER INSERT ON facts BEGIN
    INSERT INTO passages (kind, source, feature_id, state, created, text, terms, names_a_file)
    VALUES ('fact', new.row, new.feature_id, new.state, new.created, new.subject || ': ' || new.value,
        new.kind || ' ' || identifier_parts(new.subject || ' ' || new.value || ' ' || new.kind)
            || coalesce(' ' || new.file || ' ' || identifier_parts(new.file), ''),
        new.source <> 'code' AND (new.file IS NOT NULL OR names_a_file(new.value)));
END;
