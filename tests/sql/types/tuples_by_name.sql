-- Named tuples are converted by the names of their elements.
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(b UInt8,a UInt8) AS x, toTypeName(x);
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(b UInt8,c UInt8) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(a UInt8,b UInt8,c String) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(b String) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(c UInt8, d UInt8) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(UInt8,UInt8) AS x;
SELECT (1,2)::Tuple(UInt8,UInt8)::Tuple(b UInt8,a UInt8) AS x;
SELECT (1,2)::Tuple(UInt8,UInt8)::Tuple(b UInt8,a UInt8, c UInt8) AS x; -- { serverError TYPE_MISMATCH }
SELECT [(1,2)]::Array(Tuple(a UInt8,b UInt8))::Array(Tuple(b String,a UInt8)) AS x;
SELECT (1,(2,3))::Tuple(a UInt8,b Tuple(x UInt8, y UInt8))::Tuple(b Tuple(y UInt8, x UInt8),a UInt8) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(A UInt8,B UInt8) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(c UInt8) AS x; -- { serverError TYPE_MISMATCH }
SELECT map('k', (1,2)::Tuple(a UInt8,b UInt8))::Map(String, Tuple(b UInt8,a UInt8)) AS x;
SELECT (1,2)::Tuple(a UInt8,b UInt8)::Tuple(a UInt8,b UInt8, c Nullable(UInt8), d Array(String)) AS x;
SELECT if(1, (1,2)::Tuple(a UInt8,b UInt8), (3,4)::Tuple(b UInt8, a UInt8)) AS x, toTypeName(x);
SELECT (1,2)::Tuple(a UInt8,b UInt8) = (2,1)::Tuple(b UInt8, a UInt8);
CREATE TABLE t1 (t Tuple(a UInt8, b UInt8)) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE t2 (t Tuple(b UInt8, a UInt8)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO t1 VALUES ((10, 20));
INSERT INTO t2 SELECT t FROM t1;
INSERT INTO t2 SELECT (1, 2);
SELECT * FROM t2 ORDER BY t;
ALTER TABLE t1 MODIFY COLUMN t Tuple(b UInt8, a UInt8, c String);
SELECT * FROM t1;
SELECT t FROM t1 UNION ALL SELECT t FROM t2 WHERE 0;
