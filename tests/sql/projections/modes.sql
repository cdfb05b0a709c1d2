-- { configs: default }
-- What becomes of projections where merges fold rows, and where lightweight DELETE hides some.
CREATE TABLE r (a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = ReplacingMergeTree ORDER BY a; -- { serverError SUPPORT_IS_DISABLED }
CREATE TABLE r_drop (a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = ReplacingMergeTree ORDER BY a SETTINGS deduplicate_merge_projection_mode = 'drop';
INSERT INTO r_drop VALUES (1, 1), (2, 2);
INSERT INTO r_drop VALUES (1, 5), (2, 7);
SELECT sum(x) FROM r_drop SETTINGS force_optimize_projection = 1;
SELECT sum(x) FROM r_drop FINAL;
OPTIMIZE TABLE r_drop FINAL;
SELECT projections FROM system.parts WHERE database = currentDatabase() AND table = 'r_drop' AND active;
SELECT sum(x) FROM r_drop;
CREATE TABLE r_rebuild (a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = ReplacingMergeTree ORDER BY a SETTINGS deduplicate_merge_projection_mode = 'rebuild';
INSERT INTO r_rebuild VALUES (1, 1), (2, 2);
INSERT INTO r_rebuild VALUES (1, 5), (2, 7);
SELECT a, sum(x) FROM r_rebuild FINAL GROUP BY a SETTINGS force_optimize_projection = 1; -- { serverError PROJECTION_NOT_USED }
OPTIMIZE TABLE r_rebuild FINAL;
SELECT projections FROM system.parts WHERE database = currentDatabase() AND table = 'r_rebuild' AND active;
SELECT sum(x) FROM r_rebuild SETTINGS force_optimize_projection = 1;
CREATE TABLE s (a UInt32, x UInt64, PROJECTION p (SELECT a % 2, sum(x) GROUP BY a % 2)) ENGINE = SummingMergeTree ORDER BY a SETTINGS deduplicate_merge_projection_mode = 'rebuild';
INSERT INTO s VALUES (1, 1), (2, 2), (3, 3);
INSERT INTO s VALUES (1, 10), (4, 7);
OPTIMIZE TABLE s FINAL;
SELECT a % 2 AS m, sum(x) FROM s GROUP BY m ORDER BY m SETTINGS force_optimize_projection = 1;
CREATE TABLE m (a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = MergeTree ORDER BY a SETTINGS lightweight_mutation_projection_mode = 'drop';
INSERT INTO m VALUES (1, 1), (2, 2);
DELETE FROM m WHERE a = 1;
SELECT projections FROM system.parts WHERE database = currentDatabase() AND table = 'm' AND active;
SELECT sum(x) FROM m;
CREATE TABLE m2 (a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = MergeTree ORDER BY a SETTINGS lightweight_mutation_projection_mode = 'rebuild';
INSERT INTO m2 VALUES (1, 1), (2, 2);
DELETE FROM m2 WHERE a = 1;
SELECT projections FROM system.parts WHERE database = currentDatabase() AND table = 'm2' AND active;
SELECT sum(x) FROM m2 SETTINGS force_optimize_projection = 1;
CREATE TABLE i (a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = MergeTree ORDER BY a SETTINGS materialize_projections_on_insert = 0;
INSERT INTO i VALUES (1, 1), (2, 2);
SELECT projections FROM system.parts WHERE database = currentDatabase() AND table = 'i' AND active;
ALTER TABLE i MATERIALIZE PROJECTION p SETTINGS mutations_sync = 2;
SELECT projections FROM system.parts WHERE database = currentDatabase() AND table = 'i' AND active;
CREATE TABLE few (a UInt32, PROJECTION p (SELECT a ORDER BY a), PROJECTION q (SELECT a ORDER BY a)) ENGINE = MergeTree ORDER BY a SETTINGS max_projections = 1; -- { serverError LIMIT_EXCEEDED }

-- Partitions keep their projections wherever they go.
CREATE TABLE f (d UInt8, a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = MergeTree PARTITION BY d ORDER BY a;
CREATE TABLE g (d UInt8, a UInt32, x UInt64, PROJECTION p (SELECT a, sum(x) GROUP BY a)) ENGINE = MergeTree PARTITION BY d ORDER BY a;
INSERT INTO f SELECT 1, number % 3, number FROM numbers(100);
INSERT INTO f SELECT 2, number % 3, number FROM numbers(100);
ALTER TABLE f DETACH PARTITION 1;
SELECT a, sum(x) FROM f GROUP BY a ORDER BY a SETTINGS force_optimize_projection = 1;
ALTER TABLE f ATTACH PARTITION 1;
SELECT a, sum(x) FROM f GROUP BY a ORDER BY a SETTINGS force_optimize_projection = 1;
ALTER TABLE g REPLACE PARTITION 2 FROM f;
SELECT a, sum(x) FROM g GROUP BY a ORDER BY a SETTINGS force_optimize_projection = 1;
SELECT partition, projections FROM system.parts WHERE database = currentDatabase() AND table IN ('f', 'g') AND active ORDER BY table, partition;
ALTER TABLE f CLEAR PROJECTION p IN PARTITION 1 SETTINGS mutations_sync = 2;
SELECT partition, projections FROM system.parts WHERE database = currentDatabase() AND table = 'f' AND active ORDER BY partition;
SELECT a, sum(x) FROM f GROUP BY a ORDER BY a;
ALTER TABLE f MATERIALIZE PROJECTION p IN PARTITION 1 SETTINGS mutations_sync = 2;
SELECT partition, projections FROM system.parts WHERE database = currentDatabase() AND table = 'f' AND active ORDER BY partition;
