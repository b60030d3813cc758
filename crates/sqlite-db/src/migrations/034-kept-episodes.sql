-- Whether a person restored an episode: no rule withdraws it again.
ALTER TABLE episodes ADD COLUMN kept INTEGER NOT NULL DEFAULT 0 CHECK (kept IN (0, 1));
