-- { configs: default }
-- Which types of statistics a column has, and what they say of a part.
CREATE TABLE st (a Int64 STATISTICS(tdigest, uniq, minmax), b String, c Nullable(Int32) STATISTICS(uniq), d Array(Int32), e Enum8('x' = 1, 'y' = 2), f LowCardinality(Nullable(String)), g Decimal(9, 2) STATISTICS(basic), h Date, i DateTime64(3, 'UTC'), j Float64, k Bool, l UUID, m IPv4, n IPv6, o Int256, p Tuple(Int32, String), q Map(String, Int32), r Int32 ALIAS a, s FixedString(2)) ENGINE = MergeTree ORDER BY a;
CREATE TABLE plain (a Int64, b String) ENGINE = Log;
SELECT table, name, statistics FROM system.columns WHERE database = currentDatabase() AND table IN ('st', 'plain') ORDER BY table DESC, position;
INSERT INTO st (a, b, c, d, e, f, g, h, i, j, k, m, o, s) SELECT number, toString(number % 10), if(number % 4 = 0, NULL, number), [1], number % 2 + 1, if(number % 5 = 0, NULL, 'v'), number / 4 + 0.01, number, number + 0.125, number / 2, number % 2, number, number, 'ab' FROM numbers(8);
OPTIMIZE TABLE st FINAL;
SELECT column, statistics, estimates.min, estimates.max, estimates.null_count, estimates.default_count FROM system.parts_columns WHERE database = currentDatabase() AND table = 'st' AND active AND column != 'p' ORDER BY column_position;
SELECT column, estimates.cardinality FROM system.parts_columns WHERE database = currentDatabase() AND table = 'st' AND active AND column NOT IN ('f') ORDER BY column_position;
ALTER TABLE st DROP STATISTICS a;
ALTER TABLE st MODIFY STATISTICS c TYPE uniq_v2, minmax;
ALTER TABLE st ADD STATISTICS h TYPE tdigest;
SELECT name, statistics FROM system.columns WHERE database = currentDatabase() AND table = 'st' AND name IN ('a', 'c', 'h') ORDER BY position;
