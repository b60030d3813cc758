-- Who wrote the words of a task or a feature last: only a person's stand in prompts as they are.
ALTER TABLE tasks ADD COLUMN author TEXT NOT NULL DEFAULT 'human' CHECK (author IN ('agent', 'human', 'system'));
UPDATE tasks SET author = provenance;
ALTER TABLE features ADD COLUMN author TEXT NOT NULL DEFAULT 'human' CHECK (author IN ('agent', 'human', 'system'));
-- Children come from splits, which agents work.
UPDATE features SET author = 'agent' WHERE parent_id IS NOT NULL;
