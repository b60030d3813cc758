-- What was asked, what was found, and what was chosen of it. A history: whoever loses this file loses nothing else.
-- Every database that is written has one; no screen watches this one.
CREATE TABLE changes (
    topic TEXT PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT;

-- Settings that ranking went by, by a name made of their content.
CREATE TABLE configurations (
    name TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    content TEXT NOT NULL CHECK (json_type(content) = 'object')
) STRICT;

CREATE TABLE queries (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    -- Without secrets, cut.
    text TEXT NOT NULL,
    feature TEXT,
    iteration INTEGER,
    configuration TEXT NOT NULL,
    arm TEXT NOT NULL,
    micros INTEGER NOT NULL
) STRICT;
CREATE INDEX queries_by_iteration ON queries (iteration) WHERE iteration IS NOT NULL;

CREATE TABLE results (
    query INTEGER NOT NULL REFERENCES queries (row) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    memory TEXT NOT NULL,
    -- Its place in the answer; NULL = it stands in the other order only.
    rank INTEGER,
    other_rank INTEGER,
    score REAL NOT NULL,
    channels TEXT NOT NULL CHECK (json_type(channels) = 'array'),
    terms TEXT NOT NULL CHECK (json_type(terms) = 'array'),
    shown INTEGER NOT NULL CHECK (shown IN (0, 1)),
    PRIMARY KEY (query, kind, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE selections (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    -- Its question by id: that may be older than what is kept.
    query TEXT,
    memory TEXT NOT NULL,
    kind TEXT NOT NULL,
    weight REAL NOT NULL,
    by TEXT NOT NULL,
    rank INTEGER,
    channels TEXT NOT NULL CHECK (json_type(channels) = 'array'),
    counted INTEGER NOT NULL CHECK (counted IN (0, 1))
) STRICT;
CREATE INDEX selections_by_query ON selections (query);
CREATE INDEX selections_by_memory ON selections (memory);

CREATE TABLE labels (
    query TEXT NOT NULL,
    memory TEXT NOT NULL,
    by TEXT NOT NULL,
    relevant INTEGER NOT NULL CHECK (relevant IN (0, 1)),
    at INTEGER NOT NULL,
    PRIMARY KEY (query, memory, by)
) STRICT;

CREATE TABLE comparisons (
    query TEXT NOT NULL,
    other TEXT NOT NULL,
    live TEXT NOT NULL,
    at INTEGER NOT NULL,
    overlap REAL NOT NULL,
    tau REAL,
    moved REAL NOT NULL,
    live_mrr REAL,
    other_mrr REAL,
    -- A question is compared once, however often it is replayed.
    PRIMARY KEY (query, other)
) STRICT;

-- Counts that no row tells, such as of what was dropped.
CREATE TABLE counts (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;

-- The last look at the gates of learned terms: it takes longer than anybody should wait for at each question.
CREATE TABLE looks (
    row INTEGER PRIMARY KEY CHECK (row = 1),
    at INTEGER NOT NULL,
    days INTEGER NOT NULL,
    open INTEGER NOT NULL CHECK (open IN (0, 1))
) STRICT;
