-- What the door says of learnings: the gate's verdict, how each stands to what was known, and what people said about either.

CREATE TABLE memory_gate (
    memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
    refused INTEGER NOT NULL CHECK (refused IN (0, 1)),
    -- The verdict with its parts.
    report TEXT NOT NULL CHECK (json_type(report) = 'object'),
    -- A person's word on a warning: 1 kept, 0 put away.
    kept INTEGER CHECK (kept IN (0, 1))
) STRICT;
CREATE INDEX memory_gate_by_time ON memory_gate (at);
CREATE INDEX memory_gate_flagged ON memory_gate (memory_id, kept) WHERE NOT passed;

CREATE TABLE memory_reconciled (
    memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('observed', 'merged', 'conflict', 'related', 'distinct')),
    other TEXT,
    made TEXT,
    at INTEGER NOT NULL,
    -- The whole record, as the journal holds it.
    record TEXT NOT NULL CHECK (json_type(record) = 'object')
) STRICT;
CREATE INDEX memory_reconciled_acts ON memory_reconciled (memory_id) WHERE verdict IN ('observed', 'merged', 'conflict');

-- Pairs that are different things: a person said so, and no later comparison says otherwise.
CREATE TABLE memory_apart (
    older TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    newer TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (older, newer)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_apart_backwards ON memory_apart (newer, older);

-- What a model's cosines mean, learnt when it was first used.
CREATE TABLE calibrations (
    model TEXT PRIMARY KEY,
    slope REAL NOT NULL,
    offset REAL NOT NULL,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
