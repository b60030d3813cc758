-- How a run came out, as of its end: what becomes of its tasks afterwards changes nothing about it.
-- NULL in runs that go on, and in those of before, whose result is worked out from what is left today.
ALTER TABLE runs ADD COLUMN result TEXT;
