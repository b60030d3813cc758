-- What follows a successful attempt in a worktree (its review, its merge) comes after the commit that settles it. A process that dies in
-- between leaves this, by which the next run goes on.
ALTER TABLE worktrees ADD COLUMN owed INTEGER NOT NULL DEFAULT 0 CHECK (owed IN (0, 1));
