-- { echoOn }
CREATE TABLE n (k UInt8, a Nullable(Int32), s Nullable(String)) ENGINE = Memory;
INSERT INTO n VALUES (1, 10, 'x'), (2, NULL, 'y'), (3, 30, NULL), (4, NULL, NULL), (5, 10, 'x');
SELECT * FROM n ORDER BY k;
SELECT k, a + 1, a * 2.5, -a, s || '!', length(s) FROM n ORDER BY k;
SELECT k, a = 10, a != 10, a > 5, s = 'x', a IS NULL, s IS NOT NULL FROM n ORDER BY k;
SELECT k FROM n WHERE a = 10 ORDER BY k;
SELECT k FROM n WHERE NOT a = 10 ORDER BY k;
SELECT k FROM n WHERE a != 10 OR s = 'y' ORDER BY k;
SELECT k FROM n WHERE a IS NULL ORDER BY k;
SELECT k FROM n WHERE a IN (10, NULL) ORDER BY k;
SELECT k FROM n WHERE a NOT IN (10) ORDER BY k;
SELECT count(), count(a), count(s), sum(a), avg(a), min(a), max(a), min(s), uniq(a), uniqExact(s), toTypeName(sum(a)) FROM n;
SELECT sum(a), count(a), max(a), avg(a), toTypeName(avg(a)) FROM n WHERE k IN (2, 4);
SELECT a, count(), arraySort(groupArray(k)) FROM n GROUP BY a ORDER BY a;
SELECT s, a, count() FROM n GROUP BY s, a ORDER BY s, a;
SELECT a, k FROM n ORDER BY a, k;
SELECT a, k FROM n ORDER BY a DESC, k;
SELECT a, k FROM n ORDER BY a NULLS FIRST, k;
SELECT a, k FROM n ORDER BY a DESC NULLS FIRST, k;
SELECT DISTINCT a FROM n ORDER BY a;
SELECT ifNull(a, -1), coalesce(a, k, 0), coalesce(NULL, s, 'none'), nullIf(k, 3), isNull(a), isNotNull(a) FROM n ORDER BY k;
SELECT assumeNotNull(a), toTypeName(assumeNotNull(a)), toNullable(k), toTypeName(toNullable(k)) FROM n ORDER BY k LIMIT 1;
SELECT if(a > 5, 'big', 'small'), multiIf(a IS NULL, 'null', a = 10, 'ten', 'other') FROM n ORDER BY k;
SELECT if(NULL, 1, 2), multiIf(NULL, 'a', 'b'), NULL ? 1 : 2;
SELECT NULL + 1, NULL || 'a', NULL = 1, concat('a', NULL), greatest(1, NULL), length(NULL), NULL IN (1, NULL), toTypeName(NULL + 1);
SELECT groupArray(a), groupUniqArray(s) = ['x', 'y'] OR 1 FROM (SELECT * FROM n ORDER BY k);
SELECT sumIf(a, k > 1), countIf(a > 5), avgIf(a, s = 'x') FROM n;
SELECT argMin(k, a), argMax(k, a), argMax(a, k), any(a), anyLast(k) > 0 FROM (SELECT * FROM n ORDER BY k) SETTINGS max_threads = 1;
SELECT [a, 1] FROM n ORDER BY k;
SELECT (a, s) FROM n ORDER BY k;
SELECT toInt32(a), toString(a), toFloat64(a), CAST(a AS Nullable(UInt8)) FROM n ORDER BY k;
SELECT CAST(a AS UInt8) FROM n ORDER BY k; -- { serverError CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN }
SELECT x, y FROM (SELECT a AS x, s AS y FROM n) WHERE x = 10 AND y = 'x';
INSERT INTO n (k) VALUES (6);
SELECT a, s FROM n WHERE k = 6;
CREATE TABLE nn (k Nullable(Nullable(UInt8))) ENGINE = Memory; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE na (k Nullable(Array(UInt8))) ENGINE = Memory; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE nk (k Nullable(UInt8)) ENGINE = MergeTree ORDER BY k; -- { serverError ILLEGAL_COLUMN }
