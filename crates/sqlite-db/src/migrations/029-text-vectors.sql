-- A vector is of a text, wherever it stands: by the text's hash it is found again after a move, a rebuild, or an edit that was taken back.
ALTER TABLE vectors ADD COLUMN hash BLOB;
CREATE INDEX vectors_by_hash ON vectors (hash, model) WHERE hash IS NOT NULL;

-- Vectors whose passage is gone.
CREATE TABLE kept_vectors (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    model TEXT NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0),
    UNIQUE (hash, model)
) STRICT;
CREATE TRIGGER vectors_kept AFTER DELETE ON vectors WHEN old.hash IS NOT NULL BEGIN
    INSERT OR REPLACE INTO kept_vectors (hash, model, vector) VALUES (old.hash, old.model, old.vector);
END;
CREATE TRIGGER vectors_replaced AFTER UPDATE OF model ON vectors WHEN old.hash IS NOT NULL AND old.model <> new.model BEGIN
    INSERT OR REPLACE INTO kept_vectors (hash, model, vector) VALUES (old.hash, old.model, old.vector);
END;

-- Vectors of a text's own tokens, 128 bytes each, for late interaction. Apart from the vectors, which are read all at once.
CREATE TABLE token_vectors (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    model TEXT NOT NULL,
    tokens BLOB NOT NULL CHECK (length(tokens) % 128 = 0),
    UNIQUE (hash, model)
) STRICT;

-- Passages of which something changed, newest last: who holds an index of them in memory changes it instead of reading all anew.
CREATE TABLE passage_changes (
    version INTEGER PRIMARY KEY,
    passage INTEGER NOT NULL
) STRICT;
INSERT INTO passage_changes (passage) VALUES (0);
-- Who is further behind reads all.
CREATE TRIGGER passage_changes_trimmed AFTER INSERT ON passage_changes BEGIN
    DELETE FROM passage_changes WHERE version <= new.version - 10000;
END;
CREATE TRIGGER passages_changed_insert AFTER INSERT ON passages BEGIN
    INSERT INTO passage_changes (passage) VALUES (new.row);
END;
CREATE TRIGGER passages_changed_update AFTER UPDATE ON passages BEGIN
    INSERT INTO passage_changes (passage) VALUES (new.row);
END;
CREATE TRIGGER passages_changed_delete AFTER DELETE ON passages BEGIN
    INSERT INTO passage_changes (passage) VALUES (old.row);
END;
CREATE TRIGGER vectors_changed_insert AFTER INSERT ON vectors BEGIN
    INSERT INTO passage_changes (passage) VALUES (new.passage);
END;
CREATE TRIGGER vectors_changed_update AFTER UPDATE OF model, vector ON vectors BEGIN
    INSERT INTO passage_changes (passage) VALUES (new.passage);
END;
-- What is learnt from selections is written together with the feedback, which this may name.
CREATE TRIGGER memories_passage_changed AFTER UPDATE OF protected, feedback ON memories WHEN new.kind = 'learning' BEGIN
    INSERT INTO passage_changes (passage)
    SELECT row FROM passages WHERE kind = 'learning' AND source = new.row;
END;

-- Vectors of the tasks in which something was learnt: what was learnt in a task like the one that asks is worth more.
CREATE TABLE story_vectors (
    task INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0)
) STRICT;
CREATE TRIGGER story_told_anew AFTER UPDATE OF title, description ON tasks
WHEN old.title <> new.title OR old.description <> new.description BEGIN
    DELETE FROM story_vectors WHERE task = new.id;
END;
