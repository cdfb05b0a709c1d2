SELECT count(*) FROM hits WHERE AdvEngineID != 0
