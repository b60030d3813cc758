-- What is learnt from selections: a column of its own, which no full-text index and no trigger that feeds one ever reads.
ALTER TABLE memories ADD COLUMN learned_triggers TEXT NOT NULL DEFAULT '[]' CHECK (json_type(learned_triggers) = 'array');
-- What people and agents said of a learning, and what that made of it.
ALTER TABLE memories ADD COLUMN feedback TEXT NOT NULL DEFAULT '{}' CHECK (json_type(feedback) = 'object');
ALTER TABLE memories ADD COLUMN promoted INTEGER;
CREATE INDEX memories_promoted ON memories (promoted) WHERE promoted IS NOT NULL;
