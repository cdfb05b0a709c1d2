-- { fixedEngine }
-- SummingMergeTree adds groups of arrays whose names end with Map, key by key.

CREATE TABLE s (k UInt32, `aMap.k` Array(UInt8), `aMap.v` Array(UInt8), `bMap.ID` Array(UInt8), `bMap.otherKey` Array(String), `bMap.v` Array(Int8), `bMap.w` Array(Float32), `cMap.x` Array(String), `cMap.y` Array(String), v UInt8) ENGINE = SummingMergeTree ORDER BY k;
SYSTEM STOP MERGES s;
INSERT INTO s VALUES (1, [1, 2], [200, 1], [1, 2], ['a', 'b'], [1, 2], [1, 2], ['x'], ['y'], 0), (1, [1, 3], [100, 0], [2, 1], ['b', 'c'], [-2, 2], [-2, 2], ['z'], ['w'], 0), (2, [1], [0], [1], ['q'], [0], [0], [], [], 0), (3, [], [], [], [], [], [], [], [], 0);
SELECT * FROM s ORDER BY k;
INSERT INTO s VALUES (1, [1, 9], [1, 9], [1], ['a'], [5], [0.5], ['n'], ['m'], 4), (2, [7, 7], [1, 2], [1], ['q'], [3], [4], [], [], 0);
SELECT * FROM s FINAL ORDER BY k;
SYSTEM START MERGES s;
OPTIMIZE TABLE s FINAL;
SYSTEM STOP MERGES s;
SELECT * FROM s ORDER BY k;
DROP TABLE s;

CREATE TABLE s (k UInt32, dMap Nested(ID UInt8, v Int8)) ENGINE = SummingMergeTree ORDER BY k;
SYSTEM STOP MERGES s;
INSERT INTO s VALUES (1, [1], [1]), (1, [1], [-1]), (2, [1], [0]), (3, [], []), (4, [3, 1, 2], [1, 1, 1]);
SELECT * FROM s ORDER BY k;
INSERT INTO s SETTINGS optimize_on_insert = 0 VALUES (4, [1], [5]), (4, [2], [-1]), (5, [2, 1], [1, 1]);
SELECT * FROM s ORDER BY k, dMap.ID;
SELECT * FROM s FINAL ORDER BY k;
SYSTEM START MERGES s;
OPTIMIZE TABLE s FINAL;
SYSTEM STOP MERGES s;
SELECT * FROM s ORDER BY k;
DROP TABLE s;

-- With a list of columns maps are added all the same.
CREATE TABLE s (k UInt32, `bMap.ID` Array(UInt8), `bMap.v` Array(Int8), z UInt8, y UInt8) ENGINE = SummingMergeTree(z) ORDER BY k;
SYSTEM STOP MERGES s;
INSERT INTO s VALUES (1, [1], [1], 1, 1), (1, [1], [-1], 1, 2), (2, [1], [0], 0, 0), (3, [], [], 0, 0);
SELECT * FROM s ORDER BY k;
DROP TABLE s;

-- Keys of several types, values that are Decimal and of 64 bits.
CREATE TABLE s (k UInt32, `m.Map.k` Array(UInt8), `strMap.Key` Array(String), `strMap.v` Array(Decimal(9, 2)), `dayMap.d` Array(Date), `dayMap.n` Array(Int64), `dayMap.f` Array(Float64)) ENGINE = SummingMergeTree ORDER BY k;
SYSTEM STOP MERGES s;
INSERT INTO s VALUES (1, [1], ['b', 'a'], [1.25, 2], ['2020-01-02', '2020-01-01'], [1, 2], [0.5, 0.25]);
INSERT INTO s VALUES (1, [2], ['a', 'c'], [0.75, 9], ['2020-01-02', '2020-01-03'], [-1, 5], [-0.5, 1]);
SELECT * FROM s FINAL;
SYSTEM START MERGES s;
OPTIMIZE TABLE s FINAL;
SYSTEM STOP MERGES s;
SELECT * FROM s;
DROP TABLE s;

-- Columns of numbers and others, and what keeps a row alive.
CREATE TABLE s (k UInt32, b Bool, d Date, e Enum8('a' = 1, 'b' = 2), u UUID, dec Decimal(9, 2), n Nullable(UInt8), w UInt256, t DateTime64(3), i Int8, f Float32) ENGINE = SummingMergeTree ORDER BY k;
SYSTEM STOP MERGES s;
INSERT INTO s SELECT 1, true, '2020-01-01', 'a', toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), 1.5, if(number = 0, NULL, 5), 7, '2020-01-01 00:00:00', 100, 1.5 FROM numbers(2);
SELECT k, d, e, u, dec, n, w, t, i, f FROM s;
INSERT INTO s (k, i) VALUES (2, 100), (2, 100), (2, 56), (3, 1), (4, 0);
SELECT k, i, n FROM s FINAL ORDER BY k;
INSERT INTO s (k, i) VALUES (3, -1);
SELECT k, i, n FROM s FINAL ORDER BY k;
SYSTEM START MERGES s;
OPTIMIZE TABLE s FINAL;
SYSTEM STOP MERGES s;
SELECT k, i, n FROM s ORDER BY k;
DROP TABLE s;
