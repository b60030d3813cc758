-- Every event that this database knows stands here, whether its line is in a journal file or not: what a file loses can be written back,
-- and what only a file has is found. What is not flushed yet takes the place of the outbox.
CREATE TABLE events (
    id TEXT PRIMARY KEY,
    -- Name of the feature whose journal it belongs to.
    feature TEXT NOT NULL,
    line TEXT NOT NULL,
    flushed INTEGER NOT NULL CHECK (flushed IN (0, 1))
) STRICT;
CREATE INDEX events_waiting ON events (id) WHERE NOT flushed;
CREATE INDEX events_by_feature ON events (feature, id);
INSERT INTO events (id, feature, line, flushed) SELECT event_id, feature, line, 0 FROM outbox ORDER BY seq;
DROP TABLE outbox;

-- Each journal file as it was read or written last, so that a change by someone else is noticed by a look at its length and time.
CREATE TABLE journal_files (
    feature TEXT PRIMARY KEY,
    -- Length and time of change; empty when it must be read again.
    stamp TEXT NOT NULL,
    -- What a newer Ralph wrote into it: nothing is added to it from here.
    newer TEXT
) STRICT;

-- Numbers of tasks and iterations are those of a replica; NULL and '' stand for the unknown one of older journals.
ALTER TABLE memories ADD COLUMN replica TEXT;
-- A person skipped the split task; over when saturation falls below critical.
ALTER TABLE features ADD COLUMN split_skipped INTEGER NOT NULL DEFAULT 0 CHECK (split_skipped IN (0, 1));
-- The numbers of knowledge that is here already were given out here.
INSERT INTO meta (key, value) SELECT 'adopts_unknown', '1' WHERE EXISTS (SELECT 1 FROM memories);

-- With row numbers, so that changes of these tables are told.
CREATE TABLE kept_observations AS SELECT * FROM memory_observations;
DROP TABLE memory_observations;
CREATE TABLE memory_observations (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    replica TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    PRIMARY KEY (memory_id, replica, iteration)
) STRICT;
INSERT INTO memory_observations (memory_id, replica, iteration) SELECT memory_id, '', iteration FROM kept_observations;
DROP TABLE kept_observations;

CREATE TABLE kept_conflicts AS SELECT * FROM memory_conflicts;
DROP TABLE memory_conflicts;
CREATE TABLE memory_conflicts (
    older TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    newer TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (older, newer)
) STRICT;
CREATE INDEX memory_conflicts_backwards ON memory_conflicts (newer, older);
INSERT INTO memory_conflicts (older, newer) SELECT older, newer FROM kept_conflicts;
DROP TABLE kept_conflicts;

CREATE TABLE kept_apart AS SELECT * FROM memory_apart;
DROP TABLE memory_apart;
CREATE TABLE memory_apart (
    older TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    newer TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    PRIMARY KEY (older, newer)
) STRICT;
CREATE INDEX memory_apart_backwards ON memory_apart (newer, older);
INSERT INTO memory_apart (older, newer) SELECT older, newer FROM kept_apart;
DROP TABLE kept_apart;

-- What was put away, by whom and when, and what was said of it since.
CREATE TABLE memory_put_away (
    memory_id TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    -- Whether a person is asked about it again.
    asks INTEGER NOT NULL CHECK (asks IN (0, 1)),
    record TEXT NOT NULL CHECK (json_type(record) = 'object')
) STRICT;
CREATE INDEX memory_put_away_asks ON memory_put_away (memory_id) WHERE asks;

-- The words of each learning as numbers: what may say the same as a candidate, in whatever state it is.
CREATE TABLE memory_keys (
    key INTEGER NOT NULL,
    -- memories.row
    memory INTEGER NOT NULL,
    PRIMARY KEY (key, memory)
) STRICT, WITHOUT ROWID;

-- Neighbours share an iteration of one replica.
DROP TRIGGER memories_passage_insert;
CREATE TRIGGER memories_passage_insert AFTER INSERT ON memories WHEN new.kind = 'learning' BEGIN
    INSERT INTO passages (kind, source, feature_id, state, series, created, text, terms, names_a_file)
    VALUES ('learning', new.row, new.feature_id, new.state,
        coalesce('iteration:' || new.iteration, 'task:' || new.task_id) || coalesce('@' || new.replica, ''), new.created,
        new.text || coalesce(' ' || new.reason, ''),
        identifier_parts(new.text || coalesce(' ' || new.reason, ''))
            || coalesce((SELECT ' ' || group_concat(value, ' ') FROM json_each(new.tags)), ''),
        names_a_file(new.text || coalesce(' ' || new.reason, '')));
END;
