-- What agents asked a person's leave for while they worked.
CREATE TABLE questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    iteration_id INTEGER NOT NULL REFERENCES iterations (id),
    tool TEXT NOT NULL CHECK (tool <> ''),
    summary TEXT NOT NULL,
    asked INTEGER NOT NULL,
    -- From then on the answer is no.
    until INTEGER NOT NULL,
    -- None = it waits, or whoever asked is gone.
    answer TEXT CHECK (answer IN ('yes', 'no')),
    answered INTEGER,
    by_person INTEGER NOT NULL DEFAULT 0 CHECK (by_person IN (0, 1)),
    CHECK ((answer IS NULL) = (answered IS NULL))
) STRICT;
CREATE INDEX questions_waiting ON questions (until) WHERE answer IS NULL;
CREATE INDEX questions_by_iteration ON questions (iteration_id);
