-- Several workers in one run, each in a checkout of its own.
ALTER TABLE runs ADD COLUMN workers INTEGER NOT NULL DEFAULT 1 CHECK (workers > 0);
ALTER TABLE iterations ADD COLUMN lane INTEGER NOT NULL DEFAULT 1;
-- Top folder of the worktree that it worked in; none = the project's own checkout.
ALTER TABLE iterations ADD COLUMN worktree TEXT;
-- Why this task and no other, where that was not the order of the list alone.
ALTER TABLE iterations ADD COLUMN scheduled TEXT;

-- What a person asked of one lane of a run. No row = nothing but what was asked of the run.
CREATE TABLE lanes (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs (id),
    lane INTEGER NOT NULL,
    control TEXT NOT NULL CHECK (control IN ('none', 'pause', 'stop_after', 'stop_now')),
    UNIQUE (run_id, lane)
) STRICT;

-- A person's words for the next iteration of a task, or of any task; told once.
CREATE TABLE guidance (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id INTEGER REFERENCES tasks (id),
    text TEXT NOT NULL CHECK (text <> ''),
    created INTEGER NOT NULL,
    -- The iteration whose prompt held it; none = it waits.
    iteration_id INTEGER REFERENCES iterations (id)
) STRICT;
CREATE INDEX guidance_waiting ON guidance (task_id) WHERE iteration_id IS NULL;
CREATE INDEX guidance_by_iteration ON guidance (iteration_id) WHERE iteration_id IS NOT NULL;
