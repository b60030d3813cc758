-- Whether a person wrote some of the words: `author` tells whose the newest are, and says agent where both wrote. Of older features nobody
-- knows, and neither do the lines of their journals.
ALTER TABLE features ADD COLUMN by_person INTEGER NOT NULL DEFAULT 1 CHECK (by_person IN (0, 1));
ALTER TABLE tasks ADD COLUMN by_person INTEGER NOT NULL DEFAULT 1 CHECK (by_person IN (0, 1));
UPDATE tasks SET by_person = 0 WHERE provenance <> 'human' AND author <> 'human';
