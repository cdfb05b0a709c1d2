-- { echoOn }
CREATE TABLE f (a UInt32, b UInt32, c Nullable(UInt32), v Int64) ENGINE = Memory;
CREATE TABLE da (a UInt32, name String) ENGINE = Memory;
CREATE TABLE db (b UInt32, name String, weight Nullable(Int32)) ENGINE = Memory;
CREATE TABLE dc (c UInt32, name String, low UInt32, high UInt32) ENGINE = Memory;
INSERT INTO f SELECT number % 7, number % 5, if(number % 4 = 0, NULL, number % 3), number FROM numbers(40);
INSERT INTO da SELECT number, concat('a', toString(number)) FROM numbers(6);
INSERT INTO db SELECT number, concat('b', toString(number)), if(number = 2, NULL, number * 10) FROM numbers(4);
INSERT INTO dc SELECT number + 1, concat('c', toString(number)), number * 10, number * 10 + 15 FROM numbers(3);

-- Comma joins in any order, with a condition on one table, and with constants along equalities.
SELECT da.name, db.name, dc.name, sum(v) FROM da, db, dc, f WHERE f.a = da.a AND f.b = db.b AND f.c = dc.c GROUP BY ALL ORDER BY ALL;
SELECT da.name, db.name, sum(v) FROM da, db, f WHERE f.a = da.a AND f.b = db.b AND f.a = 3 GROUP BY ALL ORDER BY ALL;
SELECT count() FROM f AS x, f AS y, da WHERE x.a = y.a AND y.a = da.a AND da.a IN (1, 2);
SELECT count() FROM f AS x, f AS y WHERE x.a = y.a AND x.b = y.a AND x.v = y.b;
-- Conditions over three tables.
SELECT count(), sum(x.v) FROM f AS x JOIN f AS y ON x.a = y.a JOIN db ON x.b + y.b = db.b;
SELECT count(), sum(x.v) FROM f AS x, da, db WHERE x.a = da.a AND x.v BETWEEN da.a AND da.a + db.b;
SELECT dc.name, count() FROM f, da, dc WHERE f.a = da.a AND f.v >= dc.low AND f.v < dc.high GROUP BY ALL ORDER BY ALL;
SELECT count() FROM da, db, dc;
-- Alternatives over several tables.
SELECT da.name, db.name, count() FROM f, da, db WHERE f.a = da.a AND f.b = db.b AND ((da.name = 'a1' AND db.name = 'b2') OR (da.name = 'a2' AND db.name = 'b1')) GROUP BY ALL ORDER BY ALL;
SELECT count() FROM f, da WHERE f.a = da.a AND ((f.v < 10 AND da.name = 'a1' AND f.c IS NULL) OR (f.v > 30 AND da.name IN ('a2', 'a3')) OR (f.v = 17 AND f.b = 2 AND da.a > 0));
-- Outer, SEMI and ANTI joins among inner joins.
SELECT da.name, db.name, weight, sum(v) FROM f LEFT JOIN db ON f.b = db.b JOIN da ON f.a = da.a GROUP BY ALL ORDER BY ALL;
SELECT da.name, sum(v), count() FROM f SEMI LEFT JOIN dc ON f.c = dc.c JOIN da ON f.a = da.a GROUP BY ALL ORDER BY ALL;
SELECT da.name, sum(v), count() FROM f ANTI LEFT JOIN dc ON f.c = dc.c JOIN da ON f.a = da.a WHERE f.a < 3 GROUP BY ALL ORDER BY ALL;
SELECT da.name, dc.name, sum(v) FROM da RIGHT JOIN f ON f.a = da.a JOIN dc ON f.c = dc.c GROUP BY ALL ORDER BY ALL;
SELECT x.a, db.name, dc.name, count() FROM f AS x LEFT JOIN db ON x.b = db.b LEFT JOIN dc ON dc.c = db.b GROUP BY ALL ORDER BY ALL;
SELECT x.a, dc.name, count() FROM f AS x LEFT JOIN db ON x.b = db.b JOIN dc ON dc.c = db.b GROUP BY ALL ORDER BY ALL;
-- Rows without a match have default values, which a condition may drop or keep.
SELECT f.b, db.name, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.name != '' GROUP BY ALL ORDER BY ALL;
SELECT f.b, db.name, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.name = '' GROUP BY ALL ORDER BY ALL;
SELECT f.b, db.b, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.b = 0 GROUP BY ALL ORDER BY ALL;
SELECT f.b, db.weight, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.weight > 5 GROUP BY ALL ORDER BY ALL;
SELECT f.b, db.weight, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.weight IS NULL GROUP BY ALL ORDER BY ALL;
SELECT f.b, db.weight, dc.name, count() FROM f LEFT JOIN db ON f.b = db.b, dc WHERE db.weight = dc.low GROUP BY ALL ORDER BY ALL;
SELECT f.b, db.b, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.b = 1 GROUP BY ALL ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT f.b, db.b, toTypeName(db.b), count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.b < 2 GROUP BY ALL ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT f.b, db.b, count() FROM f LEFT JOIN db ON f.b = db.b WHERE db.b IS NULL OR db.b = 1 GROUP BY ALL ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT f.b, db.b, dc.c, count() FROM f LEFT JOIN db ON f.b = db.b JOIN dc ON dc.c = db.b GROUP BY ALL ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT da.a, db.b FROM da FULL JOIN db ON da.a = db.b + 4 WHERE da.a > 2 ORDER BY ALL;
SELECT da.a, db.b FROM da FULL JOIN db ON da.a = db.b + 4 WHERE db.name LIKE 'b%' ORDER BY ALL;
SELECT da.a, db.b, toTypeName(da.a) FROM da FULL JOIN db ON da.a = db.b + 4 WHERE db.b > 0 AND da.a > 0 ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT da.a, db.b FROM da FULL JOIN db ON da.a = db.b + 4 WHERE da.a = db.b + 4 OR da.a IS NULL ORDER BY ALL SETTINGS join_use_nulls = 1;
-- Rows that are unique already.
SELECT DISTINCT a, s FROM (SELECT a, sum(v) AS s FROM f GROUP BY a) ORDER BY ALL;
SELECT DISTINCT s > 100 FROM (SELECT a, sum(v) AS s FROM f GROUP BY a) ORDER BY ALL;
SELECT count(), sum(v) FROM f ANY LEFT JOIN f AS other ON f.a = other.a;
SELECT count(), sum(v) FROM f LEFT JOIN (SELECT a, count() AS n FROM f GROUP BY a) AS g ON f.a = g.a;
SELECT count(), sum(v) FROM f LEFT JOIN (SELECT DISTINCT a, b FROM f) AS g ON f.a = g.a;
SELECT count() FROM (SELECT a, count() AS n FROM f GROUP BY a) AS g RIGHT JOIN f ON f.a = g.a AND g.n > 5;
-- Settings.
SELECT da.name, db.name, sum(v) FROM da, db, f WHERE f.a = da.a AND f.b = db.b GROUP BY ALL ORDER BY ALL LIMIT 3 SETTINGS query_plan_optimize_join_order_limit = 0;
SELECT da.name, db.name, sum(v) FROM da, db, f WHERE f.a = da.a AND f.b = db.b GROUP BY ALL ORDER BY ALL LIMIT 3 SETTINGS query_plan_optimize_join_order_randomize = 5;
SELECT f.b, db.name, sum(v) FROM f LEFT JOIN db ON f.b = db.b GROUP BY ALL ORDER BY ALL SETTINGS query_plan_join_swap_table = 'true';
SELECT f.b, db.name, sum(v) FROM f LEFT JOIN db ON f.b = db.b GROUP BY ALL ORDER BY ALL SETTINGS query_plan_join_swap_table = 'false';
SELECT f.b, db.name, sum(v) FROM f LEFT JOIN db ON f.b = db.b WHERE db.name = 'b1' GROUP BY ALL ORDER BY ALL SETTINGS query_plan_convert_outer_join_to_inner_join = 0;
SELECT f.v FROM f ANY LEFT JOIN (SELECT a, count() AS n FROM f GROUP BY a WITH TOTALS) AS g ON f.a = g.a ORDER BY f.v LIMIT 3;
