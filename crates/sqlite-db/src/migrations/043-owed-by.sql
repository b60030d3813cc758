-- The run that is to do what follows a successful attempt: first the attempt's own, and once that has ended whichever takes it over, so
-- that two never do the same.
ALTER TABLE worktrees ADD COLUMN owed_by INTEGER REFERENCES runs (id);
UPDATE worktrees SET owed_by = (SELECT run_id FROM iterations WHERE task_id = worktrees.task_id ORDER BY id DESC LIMIT 1) WHERE owed;
ALTER TABLE worktrees DROP COLUMN owed;
