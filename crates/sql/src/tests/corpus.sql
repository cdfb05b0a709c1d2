-- One statement per line: what is parsed, printed and parsed again. See also oracle.tsv.
select (t).1 from t
select (1) from t
select not(a) from t
SELECT * FROM (a JOIN b ON 1) JOIN c ON 2
SELECT * FROM a JOIN (b JOIN c ON 1) ON 2
SELECT * FROM t ORDER BY a WITH FILL STALENESS 3 INTERPOLATE (b AS b+1, c)
SELECT DISTINCT ON (a,b) c FROM t
SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3
SELECT 1 INTERSECT SELECT 2 UNION ALL SELECT 3
SELECT 1 EXCEPT SELECT 2 INTERSECT SELECT 3
SELECT interval FROM t
SELECT case FROM t
SELECT * FROM VALUES('a UInt8', (1), (2))
SELECT (1 ? a : b) ? c : d
SELECT 1 ? 2 : (3 ? 4 : 5)
CREATE TABLE t (a Int8, PRIMARY KEY (a)) ENGINE = MergeTree ORDER BY ()
CREATE TABLE t (a Int8) ENGINE = ReplacingMergeTree(v) ORDER BY (a DESC, b)
SET a
SYSTEM DROP MARK CACHE
INSERT INTO t SELECT 1 SETTINGS a=1
ALTER TABLE t MODIFY COLUMN a String CODEC(ZSTD) FIRST, MODIFY COLUMN b REMOVE TTL
ALTER TABLE t ADD PROJECTION p (SELECT a ORDER BY a), DROP PROJECTION p, MATERIALIZE PROJECTION p, CLEAR PROJECTION p
ALTER TABLE t UPDATE a = 1, b = 2 WHERE c
ALTER TABLE t UPDATE a = 1 IN PARTITION 1 WHERE c
ALTER TABLE t MODIFY COLUMN a MODIFY SETTING x = 1
ALTER TABLE t ADD STATISTICS a TYPE tdigest
ALTER DATABASE d MODIFY COMMENT 'x'
SELECT (1)::Int8, - 1::Int8, (1,2)::Tuple(Int8,Int8), [1,-2]::Array(Int8), [1, x]::Array(Int8), true::Int8, null::Nullable(Int8), 'x'::Date, [ 'a' , 'b' ]::Array(String), -1.5::Float32, a - 1::Int8, (1,'x')::T, [(1,2)]::A, ()::T, []::A, +1::Int8, 0x10::Int8, 1e3::F
SELECT a.b[1], a['x'].y, a.`1`, a.1.2.3, (a).b, a.b.1.c, a::T.1, f(a)[1].2::Int8, a.size0, a.b.^c.d, a.b.:Int8.c, a.b[], a.b[].c
SELECT -a.b, -a[1], -f(a), -(-a), - -a, -(a::Int8), (-1)::Int8, (-a).1, (a -> b), f((a -> b)), f(a -> b, 1), (x, y) -> (x, y), x -> (x -> 1)
SELECT concat(a, b) || c, a || (b || c), (a || b) || c, (a OR b) OR c, a OR (b OR c), a AND b OR c AND d, (a OR b) AND c, NOT (a OR b), NOT a OR b, a AND NOT b
SELECT 1 + 2 + 3, 1 - (2 + 3), 1 * (2 * 3), 1 / 2 / 3, 2 * 3 % 4, -2 + 3, - 2 * 3, 1 + -2, 1 - -2, a - -b, a + -b, a - (-1), a[-1]
SELECT (a AS b) AS c
SELECT a AND (b), NOT (a), (a) = (b), ((1)), - (a), (a).1, (a)[1]
SELECT a IN (f(1)), a IN f(1), a IN (x), a IN x, a IN ((1, 2)), a IN ((x, y)), a IN [x], a IN (1 + 1), a IN ((1),(2)), a IN ()
SELECT toIntervalDay(1), INTERVAL 1 + 1 DAY, INTERVAL (1) DAY, INTERVAL f(x) DAY
SELECT `nan`, `inf`, `not`, `case`, `interval`, `null`, `select`, `and`, `values`, `where`
ALTER TABLE t RESET SETTING b, c
CREATE TABLE t (a UInt8, b String DEFAULT 'x', c ALIAS a+1, d Int8 MATERIALIZED a COMMENT 'c' CODEC(Delta, ZSTD(3)) TTL x + INTERVAL 1 DAY, e Nullable(Int8) EPHEMERAL, f Int8 NOT NULL, INDEX i (a) TYPE minmax GRANULARITY 3, INDEX j a TYPE set(100), CONSTRAINT c CHECK a > 1, CONSTRAINT c2 ASSUME a, PROJECTION p (SELECT a, sum(b) GROUP BY a ORDER BY a)) ENGINE = MergeTree ORDER BY (a, b) PARTITION BY toYYYYMM(d) PRIMARY KEY a SAMPLE BY a TTL d + INTERVAL 1 DAY DELETE WHERE a = 1, d TO DISK 'x', d RECOMPRESS CODEC(ZSTD), d GROUP BY a SET b = max(b) SETTINGS index_granularity = 8192 COMMENT 'hi'
CREATE TABLE t (a Int8 PRIMARY KEY, b Nested(x Int8, y String), c String SETTINGS (x = 1)) ENGINE = MergeTree
CREATE TABLE t (a Int8 STATISTICS(tdigest)) ENGINE = MergeTree ORDER BY (a)
SELECT * FROM t ORDER BY a LIMIT 1 WITH TIES
select a ? b : c ? d : e from t
SELECT [1,]
SELECT * FROM t LIMIT 1 WITH TIES
SELECT * FROM t OFFSET 1 ROWS FETCH NEXT 3 ROWS ONLY
SELECT * FROM t FETCH FIRST 3 ROWS WITH TIES
SELECT * FROM t SETTINGS a = 1, b = 'x', c = [1], d = -1, e=default, f=1.5, g
SELECT 1 FORMAT JSON INTO OUTFILE 'a'
SELECT * FROM a.b.c
CREATE TABLE t (a UInt8, b String DEFAULT 'x', c ALIAS a+1, d Int8 MATERIALIZED a COMMENT 'c' CODEC(Delta, ZSTD(3)) TTL x + INTERVAL 1 DAY, e Nullable(Int8) EPHEMERAL, f Int8 NOT NULL PRIMARY KEY, n.a Array(Int8), INDEX i (a) TYPE minmax GRANULARITY 3, INDEX j a TYPE set(100), CONSTRAINT c CHECK a > 1, CONSTRAINT c2 ASSUME a, PROJECTION p (SELECT a, sum(b) GROUP BY a ORDER BY a)) ENGINE = MergeTree ORDER BY (a, b) PARTITION BY toYYYYMM(d) PRIMARY KEY a SAMPLE BY a TTL d + INTERVAL 1 DAY DELETE WHERE a = 1, d TO DISK 'x', d RECOMPRESS CODEC(ZSTD), d GROUP BY a SET b = max(b) SETTINGS index_granularity = 8192 COMMENT 'hi'
SET a = [1,2]
INSERT INTO t
INSERT INTO t (a)
ALTER TABLE t COMMENT COLUMN a 'x', MODIFY COMMENT 'y', MODIFY ORDER BY (a, b), MODIFY TTL d + toIntervalDay(1), REMOVE TTL, MODIFY SETTING a = 1, RESET SETTING b, c
SELECT exists(SELECT 1), EXISTS((SELECT 1)), not exists(SELECT 1), exists(a), a != ANY(SELECT 1), a != ALL(SELECT 1), a = ALL(SELECT 1), a < ANY(SELECT 1), a >= ANY(SELECT 1), a < ALL (SELECT 1), a = SOME (SELECT 1), any(a), all(a)
SELECT substr(x FROM 1), mid(x FROM 2)
SELECT exists(a)
SELECT * FROM t1 ANY INNER JOIN t2 ON a = b WHERE x LIMIT 3 WITH TIES
SELECT * FROM t ORDER BY a FETCH FIRST ROW ONLY
SELECT x -> y -> x
