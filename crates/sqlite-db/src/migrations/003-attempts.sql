-- Iteration memory: why attempts failed, which model was chosen and why, what was told and what withheld.
-- Outcomes and metrics are views over iterations: nothing is stored twice, no counter that a query can give.

-- One sentence: why this model.
ALTER TABLE iterations ADD COLUMN rationale TEXT;
ALTER TABLE iterations ADD COLUMN difficulty TEXT CHECK (difficulty IN ('trivial', 'easy', 'moderate', 'hard', 'blocked'));
-- The agent's own hint for the next attempt.
ALTER TABLE iterations ADD COLUMN next_model TEXT;
-- Learnings that would have been told, had this iteration not been held out.
ALTER TABLE iterations ADD COLUMN withheld TEXT NOT NULL DEFAULT '[]';
ALTER TABLE iterations ADD COLUMN held_out INTEGER NOT NULL DEFAULT 0 CHECK (held_out IN (0, 1));
-- 1 = computed from tokens and the price list, since the agent reported none.
ALTER TABLE iterations ADD COLUMN cost_estimated INTEGER NOT NULL DEFAULT 0 CHECK (cost_estimated IN (0, 1));
-- Recent history by model: bounded by id, so that its cost does not grow with the project.
CREATE INDEX iterations_recent ON iterations (id, model, outcome, difficulty) WHERE attempt IS NOT NULL;

ALTER TABLE runs ADD COLUMN strategy TEXT NOT NULL DEFAULT 'fixed';
-- Percent of iterations that are held out.
ALTER TABLE runs ADD COLUMN hold_out INTEGER NOT NULL DEFAULT 0 CHECK (hold_out BETWEEN 0 AND 90);

CREATE TABLE failure_reports (
    iteration_id INTEGER PRIMARY KEY REFERENCES iterations (id),
    task_id INTEGER NOT NULL REFERENCES tasks (id),
    attempt_number INTEGER NOT NULL,
    what_was_tried TEXT NOT NULL CHECK (what_was_tried <> ''),
    why_it_failed TEXT NOT NULL CHECK (why_it_failed <> ''),
    error_category TEXT NOT NULL CHECK (error_category IN ('test_failure', 'build_error', 'type_error', 'missing_file',
        'dependency_error', 'logic_error', 'timeout', 'crashed', 'unknown')),
    relevant_files TEXT NOT NULL DEFAULT '[]' CHECK (json_type(relevant_files) = 'array'),
    stack_trace_snippet TEXT,
    retry_suggestion TEXT,
    -- The failure without what changes from attempt to attempt: paths, numbers, hex.
    signature TEXT NOT NULL,
    -- 1 = made by Ralph, since the agent gave none.
    generated INTEGER NOT NULL CHECK (generated IN (0, 1)),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX failure_reports_by_task ON failure_reports (task_id, iteration_id);
CREATE INDEX failure_reports_by_category ON failure_reports (error_category);

CREATE VIEW iteration_outcomes AS
SELECT i.task_id, i.attempt AS attempt_number, i.model, i.started AS started_at, i.ended - i.started AS duration_ms,
    i.input_tokens AS tokens_input, i.output_tokens AS tokens_output, i.outcome, f.error_category AS error_type
FROM iterations i LEFT JOIN failure_reports f ON f.iteration_id = i.id
WHERE i.attempt IS NOT NULL AND i.outcome IN ('done', 'failed', 'no_sigil', 'error');

CREATE VIEW strategy_metrics AS
SELECT t.id AS task_id,
    (SELECT count(*) FROM iterations i WHERE i.task_id = t.id AND i.attempt IS NOT NULL AND i.ended IS NOT NULL) AS total_attempts,
    (SELECT count(*) FROM iterations i WHERE i.task_id = t.id AND i.outcome IN ('failed', 'no_sigil', 'error') AND i.id > t.attempts_from
        AND i.id > coalesce((SELECT max(d.id) FROM iterations d WHERE d.task_id = t.id AND d.outcome = 'done'), 0)) AS consecutive_failures,
    (SELECT max(i.started) FROM iterations i WHERE i.task_id = t.id AND i.attempt IS NOT NULL) AS last_attempt_at,
    (SELECT max(i.ended) FROM iterations i WHERE i.task_id = t.id AND i.outcome = 'done') AS last_success_at,
    (SELECT i.difficulty FROM iterations i WHERE i.task_id = t.id AND i.difficulty IS NOT NULL ORDER BY i.id DESC LIMIT 1) AS difficulty_estimate,
    (SELECT i.model FROM iterations i WHERE i.task_id = t.id AND i.outcome = 'done' ORDER BY i.id DESC LIMIT 1) AS suggested_model,
    (SELECT count(*) FROM iterations i WHERE i.task_id = t.id AND i.outcome IN ('failed', 'no_sigil', 'error') AND i.id > t.attempts_from
        AND i.id > coalesce((SELECT max(d.id) FROM iterations d WHERE d.task_id = t.id AND d.outcome = 'done'), 0)) >= 3 AS stuck_flag
FROM tasks t;

-- Words of what is known. External content: the text stands once, triggers keep the index in step.
CREATE VIRTUAL TABLE memories_fts USING fts5 (text, reason, tags, content = 'memories', content_rowid = 'row', tokenize = 'porter unicode61');
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
CREATE TRIGGER memories_fts_insert AFTER INSERT ON memories BEGIN
    INSERT INTO memories_fts (rowid, text, reason, tags) VALUES (new.row, new.text, new.reason, new.tags);
END;
CREATE TRIGGER memories_fts_delete AFTER DELETE ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, reason, tags) VALUES ('delete', old.row, old.text, old.reason, old.tags);
END;
CREATE TRIGGER memories_fts_update AFTER UPDATE OF text, reason, tags ON memories BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, text, reason, tags) VALUES ('delete', old.row, old.text, old.reason, old.tags);
    INSERT INTO memories_fts (rowid, text, reason, tags) VALUES (new.row, new.text, new.reason, new.tags);
END;
