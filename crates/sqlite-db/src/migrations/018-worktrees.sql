-- A folder of its own for the work on a task, on a branch of its own. Rows stay when the folder goes: they lead to the branch.
CREATE TABLE worktrees (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    path TEXT NOT NULL,
    branch TEXT NOT NULL,
    base TEXT NOT NULL,
    base_commit TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('making', 'ready', 'merged', 'discarded')),
    port_base INTEGER NOT NULL,
    -- Ports from port_base on that are its own; 0 when it has none.
    ports INTEGER NOT NULL,
    -- The last commit of the branch when it was merged or discarded.
    tip TEXT,
    -- The result that is being brought into the base: what a kill leaves of that is taken back.
    landing TEXT,
    setup_output TEXT,
    -- The last merge that was refused, and the check on its result.
    refusal TEXT,
    merge_check TEXT,
    -- Whether the folder was removed, and whether the branch was.
    removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
    pruned INTEGER NOT NULL DEFAULT 0 CHECK (pruned IN (0, 1)),
    made INTEGER NOT NULL,
    ended INTEGER,
    CHECK ((state IN ('merged', 'discarded')) = (ended IS NOT NULL))
) STRICT;
-- A task has one at a time, whoever makes it.
CREATE UNIQUE INDEX one_worktree_per_task ON worktrees (task_id) WHERE state IN ('making', 'ready');
CREATE UNIQUE INDEX worktrees_by_path ON worktrees (path) WHERE NOT removed;
-- Two that live never share ports.
CREATE UNIQUE INDEX worktrees_by_port ON worktrees (port_base) WHERE NOT removed AND ports > 0;

-- What a remark on a task is about, when it is about a file.
ALTER TABLE task_comments ADD COLUMN file TEXT;
ALTER TABLE task_comments ADD COLUMN line INTEGER;

-- A task that is done in a worktree waits for its merge. A constraint is changed where it is written: making the table anew would break
-- every row that refers to it.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '''blocked'', ''done'',', '''blocked'', ''in_review'', ''done'',')
WHERE type = 'table' AND name = 'tasks';
PRAGMA writable_schema = RESET;
