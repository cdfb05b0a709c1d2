-- allow_nullable_key: NULLs are the last rows of a part.
CREATE TABLE n (a Nullable(Int32)) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE n (a Nullable(Int32)) ENGINE = MergeTree ORDER BY tuple() PRIMARY KEY tuple() PARTITION BY a; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE n (a Nullable(Int32), s Nullable(String), v UInt32) ENGINE = MergeTree ORDER BY (a, s) SETTINGS allow_nullable_key = 1, index_granularity = 4;
INSERT INTO n SELECT if(number % 5 = 0, NULL, number % 11), if(number % 3 = 0, NULL, toString(number % 7)), number FROM numbers(50);
INSERT INTO n SELECT if(number % 4 = 0, NULL, -number), if(number % 2 = 0, NULL, ''), number + 100 FROM numbers(10);
SELECT a, s, count(), sum(v) FROM n GROUP BY a, s ORDER BY a, s;
SELECT count(), sum(v) FROM n WHERE a IS NULL;
SELECT count(), sum(v) FROM n WHERE a IS NOT NULL;
SELECT count(), sum(v) FROM n WHERE a = 3;
SELECT count(), sum(v) FROM n WHERE a > 3;
SELECT count(), sum(v) FROM n WHERE a < 3;
SELECT count(), sum(v) FROM n WHERE NOT a < 3;
SELECT count(), sum(v) FROM n WHERE a = 3 AND s IS NULL;
SELECT count(), sum(v) FROM n WHERE a = 3 AND s = '1';
SELECT count(), sum(v) FROM n WHERE a IS NULL AND s >= '2';
SELECT count(), sum(v) FROM n WHERE a IN (1, 2, NULL);
SELECT count(), sum(v) FROM n WHERE a IN (1, 2, NULL) SETTINGS transform_null_in = 0;
SELECT count(), sum(v) FROM n WHERE isNull(a) = 0 AND a BETWEEN -3 AND 2;
SELECT count(), sum(v) FROM n WHERE s LIKE '1%';
SELECT a, s FROM n ORDER BY a, s, v LIMIT 5;
SELECT a, s FROM n ORDER BY a DESC, s DESC, v LIMIT 5;
SELECT a, s FROM n ORDER BY a NULLS FIRST, s NULLS FIRST, v LIMIT 5;
SELECT a, count() FROM n GROUP BY a ORDER BY a SETTINGS optimize_aggregation_in_order = 1;
OPTIMIZE TABLE n FINAL;
SELECT a, s, count(), sum(v) FROM n GROUP BY a, s ORDER BY a, s;
SELECT count(), sum(v) FROM n WHERE a IS NULL;
SELECT count(), sum(v) FROM n WHERE a > 3;
SELECT count(), sum(v) FROM n WHERE a IS NULL AND s IS NULL;
SELECT count(), sum(v) FROM n WHERE a < 3;
DROP TABLE n;

CREATE TABLE p (a Nullable(Int32), k LowCardinality(Nullable(String)), v UInt32) ENGINE = MergeTree ORDER BY k PARTITION BY a SETTINGS allow_nullable_key = 1;
INSERT INTO p SELECT if(number % 3 = 0, NULL, number % 3), if(number % 4 = 0, NULL, toString(number)), number FROM numbers(20);
SELECT a, count(), sum(v) FROM p GROUP BY a ORDER BY a;
SELECT count() FROM p WHERE a IS NULL;
SELECT count() FROM p WHERE a = 1;
SELECT k, v FROM p WHERE k IS NULL ORDER BY v;
SELECT k, v FROM p WHERE k > '15' ORDER BY v;
DROP TABLE p;

CREATE TABLE r (a Nullable(Int32), v UInt32) ENGINE = ReplacingMergeTree ORDER BY a SETTINGS allow_nullable_key = 1;
INSERT INTO r VALUES (1, 1), (NULL, 2);
INSERT INTO r VALUES (NULL, 3), (1, 4), (2, 5);
SELECT * FROM r FINAL ORDER BY a;
SELECT * FROM r FINAL WHERE a IS NULL;
SELECT * FROM r FINAL WHERE a = 1;
OPTIMIZE TABLE r FINAL;
SELECT * FROM r ORDER BY a;
DROP TABLE r;

CREATE TABLE s (a Nullable(Int32), v UInt32) ENGINE = SummingMergeTree ORDER BY a SETTINGS allow_nullable_key = 1;
INSERT INTO s VALUES (1, 1), (NULL, 2), (NULL, 7);
INSERT INTO s VALUES (NULL, 3), (1, 4), (2, 5);
SELECT * FROM s FINAL ORDER BY a;
OPTIMIZE TABLE s FINAL;
SELECT * FROM s ORDER BY a;
DROP TABLE s;
