-- Attempts and their metrics under their own names: what the product counts of a task's failures, and what a person reads with a program of
-- theirs. Views over iterations: nothing is stored twice, no counter that a query can give.

CREATE VIEW iteration_outcomes AS
SELECT i.task_id, i.attempt AS attempt_number, i.model,
    strftime('%Y-%m-%dT%H:%M:%fZ', i.started / 1000.0, 'unixepoch') AS started_at, i.ended - i.started AS duration_ms,
    i.input_tokens AS tokens_input, i.output_tokens AS tokens_output, i.outcome, f.error_category AS error_type
FROM iterations i LEFT JOIN failure_reports f ON f.iteration_id = i.id
WHERE i.outcome IN ('done', 'failed', 'no_sigil', 'error');

-- Consecutive failures are those since the last success or since a person reset the task. `stuck_flag` is that of the default of
-- `stuck_after`: settings are in a file.
CREATE VIEW strategy_metrics AS
SELECT m.*, m.consecutive_failures >= 3 AS stuck_flag FROM (
    SELECT t.id AS task_id,
        (SELECT count(*) FROM iterations i WHERE i.task_id = t.id AND i.outcome IN ('done', 'failed', 'no_sigil', 'error')) AS total_attempts,
        (SELECT count(*) FROM iterations i WHERE i.task_id = t.id AND i.outcome IN ('failed', 'no_sigil', 'error') AND i.id > t.attempts_from
            AND i.id > coalesce((SELECT max(d.id) FROM iterations d WHERE d.task_id = t.id AND d.outcome = 'done'), 0)) AS consecutive_failures,
        (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(i.started) / 1000.0, 'unixepoch') FROM iterations i
            WHERE i.task_id = t.id AND i.outcome IN ('done', 'failed', 'no_sigil', 'error')) AS last_attempt_at,
        (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(i.ended) / 1000.0, 'unixepoch') FROM iterations i
            WHERE i.task_id = t.id AND i.outcome = 'done') AS last_success_at,
        (SELECT i.difficulty FROM iterations i WHERE i.task_id = t.id AND i.difficulty IS NOT NULL ORDER BY i.id DESC LIMIT 1)
            AS difficulty_estimate,
        (SELECT i.model FROM iterations i WHERE i.task_id = t.id AND i.outcome = 'done' ORDER BY i.id DESC LIMIT 1) AS suggested_model
    FROM tasks t) m;
