-- Bands do not depend on which of several rows counts.
SELECT count() FROM (SELECT number % 20 AS k, number AS x FROM numbers(4000)) AS a SEMI LEFT JOIN (SELECT number % 20 AS k, number AS y FROM numbers(2000)) AS b ON a.k = b.k AND a.x > b.y AND a.x < b.y + 30 SETTINGS join_any_take_last_row = 1;

-- A float equals others than those of its bits.
SELECT count() FROM (SELECT materialize(nan) AS x, materialize(1) AS y) AS a, (SELECT materialize(nan) AS x, materialize(2) AS y) AS b WHERE a.x = b.x OR a.y = b.y;
SELECT count() FROM (SELECT materialize(0.) AS x, materialize(1) AS y) AS a, (SELECT materialize(-0.) AS x, materialize(2) AS y) AS b WHERE a.x = b.x OR a.y = b.y;

-- Conditions before a cast keep it from failing.
CREATE TABLE texts (t String, x String, k UInt8) ENGINE = Memory;
CREATE TABLE numbers_of (y UInt32, z String, k UInt8) ENGINE = Memory;
INSERT INTO texts SELECT if(number % 2 = 0, 'n', 't'), if(number % 2 = 0, toString(number), 'text'), 1 FROM numbers(40);
INSERT INTO numbers_of SELECT number, concat('t', toString(number)), 1 FROM numbers(40);
SELECT count() FROM texts AS a, numbers_of AS b WHERE (a.t = 'n' AND toUInt32(a.x) = b.y) OR a.x = b.z;
SELECT count() FROM texts AS a LEFT JOIN numbers_of AS b ON a.k = b.k AND a.t = 'n' AND toUInt32OrZero(a.x) > b.y AND toUInt32OrZero(a.x) < b.y + 3;

-- An argument is computed only for rows that the join keeps.
CREATE TABLE facts (k UInt32, s String) ENGINE = Memory;
CREATE TABLE names (k UInt32, n String) ENGINE = Memory;
INSERT INTO facts SELECT number % 60, if(number % 60 >= 50, 'bad', toString(number)) FROM numbers(30000);
INSERT INTO names SELECT number, concat('name', toString(number % 3)) FROM numbers(50);
SELECT n, sum(toInt64(s)) FROM facts AS f JOIN names AS d ON f.k + 1 = d.k + 1 GROUP BY n ORDER BY n;

-- Defaults of an inner join below, and NULLs of an outer one.
CREATE TABLE one (id UInt32, x String) ENGINE = Memory;
CREATE TABLE two (id UInt32, y String) ENGINE = Memory;
CREATE TABLE three (id UInt32, z String) ENGINE = Memory;
INSERT INTO one SELECT number, toString(number) FROM numbers(20);
INSERT INTO two SELECT number * 2, toString(number) FROM numbers(8);
INSERT INTO three SELECT number * 3, toString(number) FROM numbers(5);
SELECT one.id, t.y, t.z FROM one LEFT JOIN (SELECT two.id AS id, two.y AS y, three.z AS z FROM two LEFT JOIN three ON two.id = three.id SETTINGS join_use_nulls = 0) AS t ON one.id = t.id ORDER BY one.id LIMIT 12 SETTINGS join_use_nulls = 1;

-- Many rows of one key on both sides.
SELECT count(), sum(a.v + b.v) FROM (SELECT intDiv(number, 1000) AS k, number AS v FROM numbers(2000)) AS a JOIN (SELECT intDiv(number, 1000) AS k, number AS v FROM numbers(2000)) AS b USING (k) SETTINGS join_algorithm = 'full_sorting_merge';

-- What a limit with the mode break leaves of a table is not kept for other queries.
CREATE TABLE keyed (k UInt32, v String) ENGINE = EmbeddedRocksDB PRIMARY KEY k;
INSERT INTO keyed SELECT number, 'a' FROM numbers(10);
INSERT INTO keyed SELECT number + 10, 'b' FROM numbers(10);
SELECT count() >= 0 FROM numbers(30) AS a JOIN keyed ON a.number = keyed.k SETTINGS max_rows_to_read = 5, read_overflow_mode = 'break', max_block_size = 3;
SELECT count() >= 0 FROM numbers(30) WHERE number IN (SELECT k FROM keyed) SETTINGS max_rows_to_read = 5, read_overflow_mode = 'break', max_block_size = 3;
SELECT count() FROM numbers(30) AS a JOIN keyed ON a.number = keyed.k;
SELECT count() FROM numbers(30) WHERE number IN (SELECT k FROM keyed);
