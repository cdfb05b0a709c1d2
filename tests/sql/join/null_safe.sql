-- { fixedEngine }
-- Null-safe equalities with every algorithm, ANY FULL JOIN, keys of Join tables.

CREATE TABLE a (k Nullable(UInt32), v UInt32) ENGINE = Memory;
CREATE TABLE b (k Nullable(UInt32), w UInt32) ENGINE = Memory;
INSERT INTO a SELECT if(number % 4 = 0, NULL, number % 5), number FROM numbers(20);
INSERT INTO b SELECT if(number % 6 = 0, NULL, number % 7), number FROM numbers(20);
SELECT 'nullsafe';
SELECT count() FROM a JOIN b ON a.k <=> b.k SETTINGS join_algorithm = 'grace_hash';
SELECT count() FROM a JOIN b ON a.k <=> b.k SETTINGS join_algorithm = 'parallel_hash';
SELECT count() FROM a JOIN b ON a.k <=> b.k SETTINGS join_algorithm = 'full_sorting_merge';
SELECT count() FROM a JOIN b ON a.k <=> b.k SETTINGS join_algorithm = 'partial_merge';
SELECT count() FROM a LEFT JOIN b ON a.k <=> b.k SETTINGS join_algorithm = 'full_sorting_merge';
SELECT count() FROM a JOIN b ON a.k IS NOT DISTINCT FROM b.k SETTINGS join_algorithm = 'grace_hash';
SELECT count() FROM a JOIN b ON a.k <=> b.k AND a.v = b.w SETTINGS join_algorithm = 'full_sorting_merge';
SELECT count() FROM a FULL JOIN b ON a.k <=> b.k SETTINGS join_algorithm = 'grace_hash';
SELECT 'join table';
CREATE TABLE j (k UInt32, name String) ENGINE = Join(ALL, INNER, k);
INSERT INTO j SELECT number, toString(number) FROM numbers(10);
CREATE TABLE f (k64 UInt64, k8 UInt8, kn Nullable(UInt32), ks String, kl LowCardinality(String)) ENGINE = Memory;
INSERT INTO f SELECT number, number, number, toString(number), toString(number) FROM numbers(20);
SELECT count() FROM f JOIN j ON f.k64 = j.k; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT count() FROM f JOIN j ON f.k8 = j.k;
SELECT count() FROM f JOIN j ON f.kn = j.k;
SELECT count() FROM f JOIN j ON f.k8 + 1 = j.k;
SELECT count() FROM f JOIN j ON toUInt32(f.k8 + 1) = j.k;
SELECT count() FROM f JOIN (SELECT * FROM j) AS x ON f.k64 = x.k;
SELECT 'any full';
SELECT count() FROM a ANY FULL JOIN b ON a.v = b.w; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANY FULL JOIN b ON a.v = b.w SETTINGS join_algorithm = 'hash'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANY FULL JOIN b ON a.v = b.w SETTINGS join_algorithm = 'grace_hash'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANY FULL JOIN b ON a.v = b.w SETTINGS join_algorithm = 'parallel_hash'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANY FULL JOIN b ON a.v = b.w SETTINGS join_algorithm = 'full_sorting_merge'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANY FULL JOIN b ON a.v = b.w SETTINGS join_algorithm = 'partial_merge'; -- { serverError NOT_IMPLEMENTED }
SELECT a.k, b.k, v, w FROM a FULL JOIN b ON a.k <=> b.k AND a.v = b.w ORDER BY ALL LIMIT 5;
SELECT count(), sum(v), sum(w) FROM a LEFT JOIN b ON a.k <=> b.k;
SELECT count(), sum(v), sum(w) FROM a RIGHT JOIN b ON b.k <=> a.k AND a.v > 3;
SELECT count() FROM a SEMI LEFT JOIN b ON a.k <=> b.k;
SELECT count() FROM a ANTI LEFT JOIN b ON a.k <=> b.k;
SELECT count() FROM a JOIN b ON toString(a.k) <=> toString(b.k);
SELECT count() FROM a JOIN b ON a.v <=> b.w;
SELECT count() FROM a JOIN b ON a.v <=> b.k;
