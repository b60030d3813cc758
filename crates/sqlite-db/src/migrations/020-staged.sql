-- What was learnt on branches: its lines as they stand in files of those branches. It passes the door when its branch is merged.
CREATE TABLE staged (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- NULL = found in the file of a branch that another clone made.
    worktree_id INTEGER REFERENCES worktrees (id),
    line TEXT NOT NULL CHECK (json_type(line) = 'object')
) STRICT;
CREATE INDEX staged_by_worktree ON staged (worktree_id) WHERE worktree_id IS NOT NULL;

-- Which of them passed the door, here or in another clone.
CREATE TABLE landed (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The last commits of branch and base by which work in review was found not to be merged yet.
ALTER TABLE worktrees ADD COLUMN looked TEXT;
