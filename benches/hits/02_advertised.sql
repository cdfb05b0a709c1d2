-- Events that came from an advertisement.
SELECT count() FROM hits WHERE AdvEngineID != 0
