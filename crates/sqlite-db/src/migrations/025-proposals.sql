-- Errands that propose a change have a worktree of their own, and one that takes something back needs no agent. Constraints are changed
-- where they are written: making the tables anew would break every row that refers to them.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'task_id INTEGER NOT NULL REFERENCES tasks (id)', 'task_id INTEGER REFERENCES tasks (id)')
WHERE type = 'table' AND name = 'worktrees';
UPDATE sqlite_schema
SET sql = replace(sql, 'agent TEXT NOT NULL,', 'agent TEXT,')
WHERE type = 'table' AND name = 'errands';
PRAGMA writable_schema = RESET;

ALTER TABLE worktrees ADD COLUMN errand_id INTEGER REFERENCES errands (id) CHECK ((task_id IS NULL) = (errand_id IS NOT NULL));
CREATE UNIQUE INDEX one_worktree_per_errand ON worktrees (errand_id) WHERE state IN ('making', 'ready');

-- What an errand is about in words, and as data for whoever ordered it.
ALTER TABLE errands ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE errands ADD COLUMN matter TEXT CHECK (matter IS NULL OR json_type(matter) = 'object');
