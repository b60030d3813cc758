-- How much of what is told was junk, by day: counts that can't be told later, since what they count goes.
CREATE TABLE audit_days (
    -- Days since 1970-01-01, UTC.
    day INTEGER NOT NULL,
    -- memories (all active ones), junk (those in a class other than never_used), or a class.
    what TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, what)
) STRICT, WITHOUT ROWID;
