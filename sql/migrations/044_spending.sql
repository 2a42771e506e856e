-- Texts that are embedded for a changed configuration alone, and texts that are embedded again although there is a vector.
-- Runs as kerf_owner.

ALTER TABLE sync_texts
    ADD COLUMN guarded boolean NOT NULL DEFAULT false,  -- wanted for no other reason than a changed configuration
    ADD COLUMN again   boolean NOT NULL DEFAULT false,  -- an operator wants its vectors made again: they are replaced
    ADD COLUMN stored  boolean NOT NULL DEFAULT false;  -- and they have been, in this run
