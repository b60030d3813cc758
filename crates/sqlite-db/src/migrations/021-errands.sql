-- Agent runs that belong to no task.
CREATE TABLE errands (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'stopped')),
    task_id INTEGER REFERENCES tasks (id),
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    folder TEXT NOT NULL,
    max_usd REAL,
    max_minutes INTEGER NOT NULL,
    answer TEXT NOT NULL DEFAULT '',
    note TEXT,
    usage TEXT NOT NULL DEFAULT '{}',
    cost_usd REAL,
    -- What a person asked of it from another process.
    stop_asked INTEGER NOT NULL DEFAULT 0 CHECK (stop_asked IN (0, 1)),
    -- The process that drives it, and its last sign of life.
    owner TEXT NOT NULL,
    heartbeat INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    CHECK ((state = 'running') = (ended IS NULL))
) STRICT;
CREATE INDEX errands_running ON errands (id) WHERE state = 'running';
