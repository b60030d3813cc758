-- Whether the order that was returned was drawn: only then is a question without learned terms a control for those with them.
ALTER TABLE queries ADD COLUMN drawn INTEGER NOT NULL DEFAULT 0 CHECK (drawn IN (0, 1));
