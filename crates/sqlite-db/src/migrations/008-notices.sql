-- What is put before a person: proposals of agents, and what Ralph saw happen. Settled ones stay, as a record.

CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    run_id INTEGER,
    iteration_id INTEGER,
    task_id INTEGER,
    title TEXT NOT NULL,
    detail TEXT NOT NULL,
    -- The change that accepting it makes.
    wish TEXT CHECK (wish IS NULL OR json_type(wish) = 'object'),
    created INTEGER NOT NULL,
    settled INTEGER,
    accepted INTEGER CHECK (accepted IN (0, 1)),
    CHECK ((settled IS NULL) = (accepted IS NULL))
) STRICT;
CREATE INDEX notices_open ON notices (id) WHERE settled IS NULL;
CREATE INDEX notices_by_iteration ON notices (iteration_id);
