-- Lists of the iterations behind a figure: found by model, by failure, and by estimated cost. Every index holds the rowid too.
CREATE INDEX iterations_by_model ON iterations (model);
CREATE INDEX iterations_estimated ON iterations (run_id, cost_usd) WHERE cost_estimated = 1;
CREATE INDEX failure_reports_by_signature ON failure_reports (signature, task_id);
