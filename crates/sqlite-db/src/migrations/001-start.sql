-- The first schema. Times are milliseconds since the Unix epoch, lists are JSON arrays, enums are their wire words.

CREATE TABLE features (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (length(name) BETWEEN 1 AND 64),
    display_name TEXT NOT NULL CHECK (display_name <> ''),
    acronym TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    architecture TEXT NOT NULL DEFAULT '',
    boundaries TEXT NOT NULL DEFAULT '',
    context_files TEXT NOT NULL DEFAULT '[]' CHECK (json_type(context_files) = 'array'),
    knowledge_paths TEXT NOT NULL DEFAULT '[]' CHECK (json_type(knowledge_paths) = 'array'),
    dependencies TEXT NOT NULL DEFAULT '[]' CHECK (json_type(dependencies) = 'array'),
    parent_id INTEGER REFERENCES features (id),
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'decomposed', 'archived')),
    max_learnings INTEGER CHECK (max_learnings BETWEEN 5 AND 1000),
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    CHECK (parent_id IS NULL OR parent_id <> id)
) STRICT;
CREATE INDEX features_by_parent ON features (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE disciplines (
    name TEXT PRIMARY KEY CHECK (name <> ''),
    display_name TEXT NOT NULL,
    persona TEXT NOT NULL,
    conventions TEXT NOT NULL,
    skills TEXT NOT NULL DEFAULT '[]' CHECK (json_type(skills) = 'array'),
    mcp_servers TEXT NOT NULL DEFAULT '[]' CHECK (json_type(mcp_servers) = 'array')
) STRICT;

CREATE TABLE tasks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    feature_id INTEGER NOT NULL REFERENCES features (id),
    title TEXT NOT NULL CHECK (title <> ''),
    description TEXT NOT NULL DEFAULT '',
    acceptance_criteria TEXT NOT NULL DEFAULT '[]' CHECK (json_type(acceptance_criteria) = 'array'),
    status TEXT NOT NULL DEFAULT 'pending'
        CHECK (status IN ('draft', 'pending', 'in_progress', 'blocked', 'done', 'failed', 'skipped')),
    -- 0 low, 1 medium, 2 high, 3 critical: a number, so that the ready queue can be read in index order.
    priority INTEGER NOT NULL DEFAULT 1 CHECK (priority BETWEEN 0 AND 3),
    provenance TEXT NOT NULL CHECK (provenance IN ('agent', 'human', 'system')),
    kind TEXT NOT NULL DEFAULT 'work' CHECK (kind IN ('work', 'split')),
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_type(tags) = 'array'),
    parent_id INTEGER REFERENCES tasks (id),
    discipline TEXT REFERENCES disciplines (name),
    position INTEGER NOT NULL,
    blocked_reason TEXT,
    -- Attempts up to this iteration no longer count: a person put the task back to work.
    attempts_from INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    CHECK (parent_id IS NULL OR parent_id <> id)
) STRICT;
CREATE INDEX tasks_by_feature ON tasks (feature_id, status);
CREATE INDEX tasks_by_status ON tasks (status, priority DESC, position, id);
CREATE INDEX tasks_by_parent ON tasks (parent_id) WHERE parent_id IS NOT NULL;
-- At most one active split task per feature, whoever writes.
CREATE UNIQUE INDEX one_active_split_task ON tasks (feature_id)
    WHERE kind = 'split' AND status IN ('draft', 'pending', 'in_progress', 'blocked');

CREATE TABLE task_dependencies (
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    depends_on INTEGER NOT NULL REFERENCES tasks (id),
    PRIMARY KEY (task_id, depends_on),
    CHECK (task_id <> depends_on)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_dependencies_backwards ON task_dependencies (depends_on, task_id);

CREATE TABLE task_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    author TEXT NOT NULL CHECK (author IN ('agent', 'human', 'system')),
    text TEXT NOT NULL CHECK (text <> ''),
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX task_comments_by_task ON task_comments (task_id, id);

-- Everything that is known, one table with a kind. task_id and iteration are no foreign keys: journals travel to clones
-- that have neither.
CREATE TABLE memories (
    -- A number of its own that a VACUUM keeps: full-text tables will refer to it.
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('learning', 'episode', 'fact', 'failure_report', 'document')),
    feature_id INTEGER NOT NULL REFERENCES features (id),
    text TEXT NOT NULL CHECK (text <> ''),
    reason TEXT,
    category TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]' CHECK (json_type(tags) = 'array'),
    source TEXT NOT NULL CHECK (source IN ('auto', 'agent', 'human')),
    task_id INTEGER,
    iteration INTEGER,
    created INTEGER NOT NULL,
    last_used INTEGER,
    hit_count INTEGER NOT NULL DEFAULT 1 CHECK (hit_count >= 1),
    reviewed_by TEXT,
    review_count INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('active', 'parked', 'pruned', 'retired', 'superseded', 'consolidated')),
    superseded_by TEXT,
    -- The same rule as FeatureLearning::is_auto_prunable, so that one covering index answers every saturation.
    protected INTEGER NOT NULL
        GENERATED ALWAYS AS (source = 'human' OR reviewed_by IS NOT NULL OR hit_count >= 3) VIRTUAL
) STRICT;
CREATE INDEX memories_saturation ON memories (feature_id, protected) WHERE kind = 'learning' AND state = 'active';
CREATE INDEX memories_by_feature ON memories (feature_id, kind, state, created);
CREATE INDEX memories_by_task ON memories (task_id) WHERE task_id IS NOT NULL;

CREATE TABLE memory_observations (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    iteration INTEGER NOT NULL,
    PRIMARY KEY (memory_id, iteration)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_conflicts (
    older TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    newer TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (older, newer)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_conflicts_backwards ON memory_conflicts (newer, older);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The folder that agents work in: one run at a time there.
    checkout TEXT NOT NULL,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    only_task INTEGER REFERENCES tasks (id),
    max_iterations INTEGER,
    max_minutes INTEGER,
    max_usd REAL,
    check_command TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'paused', 'waiting', 'stopping', 'ended')),
    control TEXT NOT NULL DEFAULT 'none' CHECK (control IN ('none', 'pause', 'stop_after', 'stop_now')),
    waiting_until INTEGER,
    stop_reason TEXT,
    note TEXT,
    owner_pid INTEGER NOT NULL,
    -- The owner's heartbeat; a run whose heartbeat is older than the lease is dead.
    heartbeat INTEGER NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    CHECK ((state = 'ended') = (ended IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX one_active_run ON runs (checkout) WHERE ended IS NULL;

CREATE TABLE iterations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    number INTEGER NOT NULL,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    task_title TEXT NOT NULL,
    attempt INTEGER,
    model TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('running', 'done', 'failed', 'no_sigil', 'error', 'rate_limited',
        'authentication', 'network', 'stopped', 'interrupted')),
    note TEXT,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL,
    denials TEXT NOT NULL DEFAULT '[]',
    evidence TEXT NOT NULL DEFAULT '{}',
    told TEXT NOT NULL DEFAULT '[]',
    exit_code INTEGER,
    started INTEGER NOT NULL,
    ended INTEGER,
    UNIQUE (run_id, number),
    CHECK ((outcome = 'running') = (ended IS NULL))
) STRICT;
CREATE INDEX iterations_by_task ON iterations (task_id, id);
CREATE UNIQUE INDEX one_iteration_per_task ON iterations (task_id) WHERE outcome = 'running';

-- What an agent said about its own task through MCP; settled by the loop like a sigil.
CREATE TABLE iteration_signals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    iteration_id INTEGER NOT NULL REFERENCES iterations (id),
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX iteration_signals_by_iteration ON iteration_signals (iteration_id, id);

CREATE TABLE hook_notes (
    iteration_id INTEGER NOT NULL REFERENCES iterations (id),
    place INTEGER NOT NULL,
    hook TEXT NOT NULL,
    applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
    note TEXT NOT NULL,
    PRIMARY KEY (iteration_id, place)
) STRICT, WITHOUT ROWID;

-- Journal lines that are committed here but perhaps not yet in their file.
CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    feature TEXT NOT NULL,
    event_id TEXT NOT NULL UNIQUE,
    line TEXT NOT NULL
) STRICT;

-- One counter per topic; a write raises those it touches, other processes see it through PRAGMA data_version.
CREATE TABLE changes (
    topic TEXT PRIMARY KEY,
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
