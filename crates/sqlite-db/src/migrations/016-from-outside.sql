-- Whether a line was written by this database, or found in a file: only what was written here is its own record, whatever a line says.
ALTER TABLE events ADD COLUMN own INTEGER NOT NULL DEFAULT 1 CHECK (own IN (0, 1));
-- Of the lines that are older than this, the replica that they name is all there is to go by.
UPDATE events SET own = 0
WHERE EXISTS (SELECT 1 FROM meta WHERE key = 'replica')
    AND CASE WHEN json_valid(line) THEN coalesce(
        json_extract(line, '$.replica') <> (SELECT value FROM meta WHERE key = 'replica'),
        NOT EXISTS (SELECT 1 FROM meta WHERE key = 'adopts_unknown')) END;
-- Who brought which words, without reading the lines.
CREATE INDEX events_from_outside ON events (
    json_extract(line, '$.event'), json_extract(line, '$.learning.id'), json_extract(line, '$.replica'), feature
) WHERE NOT own;
