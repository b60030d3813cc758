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
