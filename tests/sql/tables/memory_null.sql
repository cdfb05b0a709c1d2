-- { echoOn }
CREATE TABLE m (a UInt8, b String DEFAULT 'dflt', c UInt16 DEFAULT a * 2) ENGINE = Memory;
INSERT INTO m VALUES (1, 'x', 5);
INSERT INTO m (a) VALUES (2), (3);
INSERT INTO m (b, a) VALUES ('swapped', 4);
INSERT INTO m (a, c) SELECT 5, 50;
SELECT * FROM m ORDER BY a;
INSERT INTO m SELECT number + 10, toString(number), number FROM numbers(3);
SELECT count(), sum(a), max(b), sum(c) FROM m;
INSERT INTO m VALUES (1); -- { serverError SYNTAX_ERROR }
INSERT INTO m VALUES ('abc', 'x', 1); -- { serverError CANNOT_PARSE_TEXT }
INSERT INTO m (nosuch) VALUES (1); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO nosuch VALUES (1); -- { serverError UNKNOWN_TABLE }
INSERT INTO m SELECT 1; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
SELECT count() FROM m;
INSERT INTO m VALUES (6, DEFAULT, DEFAULT), (7, 'y', 1 + 2);
SELECT * FROM m WHERE a IN (6, 7) ORDER BY a;
TRUNCATE TABLE m;
SELECT count() FROM m;
INSERT INTO m (a) SELECT number FROM numbers(100);
SELECT count(), sum(c) FROM m;
CREATE TABLE copy AS m;
INSERT INTO copy SELECT * FROM m WHERE a < 3;
SELECT * FROM copy ORDER BY a;
CREATE TABLE ctas ENGINE = Memory AS SELECT a, a * 10 AS ten FROM m WHERE a < 2;
SELECT * FROM ctas ORDER BY a;
CREATE TABLE nul (a UInt8) ENGINE = Null;
INSERT INTO nul VALUES (1), (2);
SELECT count() FROM nul;
SELECT * FROM nul;
INSERT INTO m SELECT * FROM m WHERE a = 1;
SELECT count() FROM m WHERE a = 1;
INSERT INTO m FORMAT Values (200, 'fmt', 1);
SELECT b FROM m WHERE a = 200;
CREATE TABLE wide (a Int8, b Int16, c Int32, d Int64, e UInt8, f UInt16, g UInt32, h UInt64, i Float32, j Float64, k String, l FixedString(3), m Date, n DateTime('UTC'), o Bool, p Nullable(String), q Array(UInt8), r Tuple(UInt8, String)) ENGINE = Memory;
INSERT INTO wide VALUES (-1, -2, -3, -4, 1, 2, 3, 4, 1.5, -2.5, 'str', 'abc', '2024-01-01', '2024-01-01 01:02:03', true, NULL, [1, 2], (9, 'z'));
INSERT INTO wide (a) VALUES (0);
SELECT * FROM wide ORDER BY a;
