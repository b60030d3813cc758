-- What a comparison found of two learnings, and what followed. The comparison of a learning is one row of memory_reconciled, which the next
-- one overwrites; what followed of each pair stays until the same two are compared again.
CREATE TABLE memory_acts (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    other TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('observed', 'merged', 'conflict')),
    made TEXT,
    -- The whole record, as the journal holds it.
    record TEXT NOT NULL CHECK (json_type(record) = 'object'),
    PRIMARY KEY (memory_id, other)
) STRICT;
CREATE INDEX memory_acts_backwards ON memory_acts (other);

-- Learnings that a person brought back, and nobody decided on since.
CREATE TABLE memory_brought_back (
    memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE
) STRICT;

-- Both follow from the journals, whose lines are all here. Of each pair, and of each learning, the newest line holds.
CREATE TABLE told AS
SELECT id, event, CASE WHEN event = 'reconciled' THEN json_extract(line, '$.reconciliation') END AS record,
    CASE WHEN event <> 'reconciled' THEN json_extract(line, '$.learning') END AS learning
FROM (SELECT id, line, CASE WHEN json_valid(line) THEN json_extract(line, '$.event') END AS event,
          CASE WHEN json_valid(line) THEN json_extract(line, '$.by_rule') END AS by_rule FROM events)
WHERE event IN ('reconciled', 'restored', 'retired', 'superseded', 'consolidated') AND by_rule IS NOT 1;

INSERT INTO memory_acts (memory_id, other, verdict, made, record)
SELECT memory_id, other, json_extract(record, '$.verdict'), json_extract(record, '$.made'), record
FROM (SELECT json_extract(record, '$.learning') AS memory_id, json_extract(record, '$.other') AS other, record, max(id) FROM told
      WHERE event = 'reconciled' GROUP BY 1, 2)
WHERE other IS NOT NULL AND json_extract(record, '$.verdict') IN ('observed', 'merged', 'conflict')
    AND json_type(record, '$.hits') = 'array' AND json_type(record, '$.counted') = 'array'
    AND memory_id IN (SELECT id FROM memories WHERE kind = 'learning');

INSERT INTO memory_brought_back (memory_id)
SELECT learning FROM (SELECT learning, event, max(id) FROM told WHERE event <> 'reconciled' GROUP BY learning)
WHERE event = 'restored' AND learning IN (SELECT id FROM memories WHERE kind = 'learning');

DROP TABLE told;
DROP INDEX memory_reconciled_acts;
-- What was brought back is compared again as if it never had been.
DELETE FROM memory_reconciled WHERE model = '';
