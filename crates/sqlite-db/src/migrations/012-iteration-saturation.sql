-- How full the feature's knowledge was before and after an iteration, in percent, and the split task that it caused.
ALTER TABLE iterations ADD COLUMN saturation_before INTEGER;
ALTER TABLE iterations ADD COLUMN saturation_after INTEGER;
ALTER TABLE iterations ADD COLUMN split_task INTEGER;
