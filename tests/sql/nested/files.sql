-- { configs: default }
-- Nested columns in files whose formats know types: a list of structs is the arrays of a group, too.
SET flatten_nested = 0, engine_file_truncate_on_insert = 1;
CREATE TABLE u (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory;
INSERT INTO u VALUES (1, [(1,'x'),(2,'y')]), (2, []);
INSERT INTO FUNCTION file('nested_u.parquet') SELECT * FROM u ORDER BY id;
INSERT INTO FUNCTION file('nested_u.arrow') SELECT * FROM u ORDER BY id;
INSERT INTO FUNCTION file('nested_u.native') SELECT * FROM u ORDER BY id;
INSERT INTO FUNCTION file('nested_u.bin', RowBinaryWithNamesAndTypes) SELECT * FROM u ORDER BY id;
INSERT INTO FUNCTION file('nested_u.parquet.2', Parquet) SELECT id, [tuple(CAST(id AS Nullable(UInt8)), NULL)]::Array(Tuple(a Nullable(UInt8), b Nullable(String))) AS n FROM u ORDER BY id;
DESCRIBE file('nested_u.native');
DESCRIBE file('nested_u.bin', RowBinaryWithNamesAndTypes);
SELECT * FROM file('nested_u.native') ORDER BY id;
SELECT * FROM file('nested_u.bin', RowBinaryWithNamesAndTypes) ORDER BY id;
SELECT * FROM file('nested_u.parquet') ORDER BY id;
SELECT * FROM file('nested_u.parquet', Parquet, 'id UInt8, `n.a` Array(UInt8), `n.b` Array(String)') ORDER BY id;
SELECT `n.b` FROM file('nested_u.parquet', Parquet, 'id UInt8, `n.a` Array(UInt64), `n.b` Array(String)') ORDER BY id;
SELECT * FROM file('nested_u.arrow', Arrow, 'id UInt8, `n.a` Array(UInt8), `n.b` Array(String)') ORDER BY id;
SELECT * FROM file('nested_u.parquet', Parquet, 'id UInt8, n Nested(a UInt8, b String)') ORDER BY id;
SELECT * FROM file('nested_u.parquet.2', Parquet, 'id UInt8, n Nested(a UInt16, b String)') ORDER BY id;
SELECT * FROM file('nested_u.parquet.2', Parquet, 'id UInt8, `n.a` Array(UInt16), `n.b` Array(String)') ORDER BY id;
CREATE TABLE f (id UInt8, `n.a` Array(UInt8), `n.b` Array(String)) ENGINE = Memory;
INSERT INTO f SELECT * FROM file('nested_u.parquet', Parquet, 'id UInt8, `n.a` Array(UInt8), `n.b` Array(String)');
SELECT *, n FROM f ORDER BY id;
DROP TABLE f;
DROP TABLE u;
