-- { configs: default }
-- An INSERT may leave out views whose targets are gone.
CREATE TABLE source (a UInt32) ENGINE = Memory;
CREATE TABLE target (a UInt32) ENGINE = Memory;
CREATE TABLE other (a UInt32) ENGINE = Memory;
CREATE MATERIALIZED VIEW one TO target AS SELECT a FROM source;
CREATE MATERIALIZED VIEW two TO other AS SELECT a * 2 AS a FROM source;
INSERT INTO source VALUES (1);
DROP TABLE target;
INSERT INTO source VALUES (2); -- { serverError UNKNOWN_TABLE }
INSERT INTO source SETTINGS ignore_materialized_views_with_dropped_target_table = 1 VALUES (3);
SELECT a FROM other ORDER BY a;
SELECT count() > 0 FROM source WHERE a = 3;
