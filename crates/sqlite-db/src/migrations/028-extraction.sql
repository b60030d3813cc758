-- A detection that waits for a model's lesson: how often it was asked about, when it may be asked about again (until then whoever asked has
-- it), and why rules decide instead of a model, where they do.
ALTER TABLE detections ADD COLUMN tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0);
ALTER TABLE detections ADD COLUMN not_before INTEGER;
ALTER TABLE detections ADD COLUMN by_rules TEXT;
