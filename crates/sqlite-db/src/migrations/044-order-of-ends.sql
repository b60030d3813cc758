-- The newest run that there was when a run ended: it tells which run ended last, and which began after that, whatever clocks were set to.
-- NULL while it goes on.
ALTER TABLE runs ADD COLUMN newest_at_end INTEGER;
UPDATE runs SET newest_at_end = coalesce(
    (SELECT min(id) - 1 FROM runs AS next WHERE next.id > runs.id AND next.started >= runs.ended), (SELECT max(id) FROM runs)
) WHERE ended IS NOT NULL;
