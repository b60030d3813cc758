-- What was detected in calls of tools, as long as somebody has to decide about it or an episode came of it.
CREATE TABLE detections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    -- The iteration whose agent made the calls; NULL = a session outside of runs.
    iteration_id INTEGER REFERENCES iterations (id),
    -- Who made them, where no iteration tells it: the name of an MCP client.
    session TEXT NOT NULL,
    found INTEGER NOT NULL,
    -- Situation, action, outcome, confidence and the operations.
    record TEXT NOT NULL CHECK (json_type(record) = 'object'),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'stored', 'known', 'refused')),
    -- Why nothing came of it.
    refusal TEXT,
    -- The episode that it became, or that said so already.
    episode TEXT,
    CHECK ((state = 'refused') = (refusal IS NOT NULL)),
    CHECK ((state IN ('stored', 'known')) = (episode IS NOT NULL))
) STRICT;
CREATE INDEX detections_waiting ON detections (id) WHERE state = 'waiting';
CREATE INDEX detections_by_episode ON detections (episode) WHERE episode IS NOT NULL;

-- How much automatic learning did, by day. Counts of what is not kept otherwise.
CREATE TABLE learning_days (
    -- Days since 1970-01-01, UTC.
    day INTEGER NOT NULL,
    -- operations, dropped, detected, stored, known, or refused with a reason behind a colon; of what a mode leaves out also its kind.
    what TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, what)
) STRICT, WITHOUT ROWID;
