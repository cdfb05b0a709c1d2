CREATE TABLE hits ENGINE = MergeTree ORDER BY (CounterID, EventDate) AS SELECT * FROM hits(1000, 1);
SELECT count() FROM hits;
SELECT count() FROM hits WHERE AdvEngineID != 0;
