-- Passages that want a vector and have none: the next ones to embed are found without a look at all that have one.

CREATE TABLE passages_waiting (
    passage INTEGER PRIMARY KEY
) STRICT;
INSERT INTO passages_waiting (passage)
SELECT row FROM passages WHERE state IN ('active', 'parked') AND row NOT IN (SELECT passage FROM vectors);
-- Vectors of another model are to be made anew.
CREATE INDEX vectors_by_model ON vectors (model, passage);

CREATE TRIGGER passages_wait AFTER INSERT ON passages WHEN new.state IN ('active', 'parked') BEGIN
    INSERT INTO passages_waiting (passage) VALUES (new.row);
END;
CREATE TRIGGER passages_wait_again AFTER UPDATE OF state ON passages BEGIN
    DELETE FROM passages_waiting WHERE passage = new.row;
    INSERT INTO passages_waiting (passage)
    SELECT new.row WHERE new.state IN ('active', 'parked') AND NOT EXISTS (SELECT 1 FROM vectors WHERE passage = new.row);
END;
CREATE TRIGGER passages_gone AFTER DELETE ON passages BEGIN
    DELETE FROM passages_waiting WHERE passage = old.row;
END;
CREATE TRIGGER vectors_made AFTER INSERT ON vectors BEGIN
    DELETE FROM passages_waiting WHERE passage = new.passage;
END;

-- Nothing read them: insights and strategies ask for more than they told.
DROP VIEW iteration_outcomes;
DROP VIEW strategy_metrics;
