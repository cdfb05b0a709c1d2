-- The row of totals of subqueries that are joined, and rows of grouping sets over nothing.
CREATE TABLE t (k UInt8, s String, v Int32) ENGINE = Memory;
INSERT INTO t VALUES (1, 'a', 5), (1, 'b', 7), (2, 'a', -1), (3, 'c', 2);
SELECT * FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) ORDER BY k;
SELECT * FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a JOIN (SELECT k, sum(v) sv FROM t GROUP BY k) b USING (k) ORDER BY k;
SELECT * FROM (SELECT k, count() c FROM t GROUP BY k) a JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) ORDER BY k;
SELECT * FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a LEFT JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b ON a.k = b.k ORDER BY a.k;
SELECT * FROM t a JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b ON a.k = b.k ORDER BY a.k, a.s;
SELECT * FROM t a RIGHT JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) ORDER BY k, a.s;
SELECT a.k FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a CROSS JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b ORDER BY 1;
SELECT a.k, c, d, sv FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) JOIN (SELECT k, max(v) d FROM t GROUP BY k WITH TOTALS) z USING (k) ORDER BY 1;
SELECT a.k, sum(c) FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) GROUP BY a.k ORDER BY k;
SELECT a.k, s FROM t a ANTI LEFT JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) ORDER BY a.k, a.s;
SELECT * FROM t a LEFT JOIN (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b ON a.k = b.k ORDER BY a.k, a.s SETTINGS join_use_nulls = 1;
SELECT * FROM (SELECT k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b LEFT JOIN t a ON a.k = b.k ORDER BY a.k, a.s SETTINGS join_use_nulls = 1;
SELECT a.k, c, sv FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) a FULL JOIN (SELECT k + 1 AS k, sum(v) sv FROM t GROUP BY k WITH TOTALS) b USING (k) ORDER BY 1 SETTINGS join_use_nulls = 1;
SELECT * FROM (SELECT k, groupArray(v) sv FROM t GROUP BY k WITH TOTALS) ARRAY JOIN arraySlice(sv, 1, 1) AS one ORDER BY k FORMAT Null;
SELECT k, c, (SELECT sum(v) FROM t) FROM (SELECT k, count() c FROM t GROUP BY k WITH TOTALS) ORDER BY k LIMIT 1;
SELECT toString(k) ks, min(k), max(k), min(toString(k)) FROM t GROUP BY ks WITH TOTALS ORDER BY ks;
SELECT k + 1 kk, min(k + 1), max(k + 1), min(k), sum(k + 1), avg(k + 1), count(k + 1), uniq(k + 1) FROM t GROUP BY kk WITH TOTALS ORDER BY kk;

-- A set without keys has a row, whether there are rows or not.
SELECT k, count() FROM t WHERE 0 GROUP BY GROUPING SETS ((k), ()) ORDER BY ALL;
SELECT count() FROM t WHERE 0 GROUP BY GROUPING SETS (());
SELECT sum(v), min(s), k FROM t WHERE v > 100 GROUP BY GROUPING SETS ((), (k), ()) ORDER BY ALL;
SELECT k, grouping(k), count() FROM t WHERE v > 100 GROUP BY GROUPING SETS ((), (k)) ORDER BY ALL;
SELECT k, avg(v) a, count() c FROM t WHERE v > 100 GROUP BY GROUPING SETS ((), (k)) HAVING c = 0;
SELECT k, avg(v) a, count() c FROM t WHERE v > 100 GROUP BY GROUPING SETS ((), (k)) HAVING c > 0;
SELECT count() FROM t WHERE 0 GROUP BY GROUPING SETS ((k)) ORDER BY ALL;
SELECT k, count() FROM t GROUP BY GROUPING SETS ((), (k), ()) ORDER BY ALL;
SELECT k, count(), sum(v) FROM t WHERE 0 GROUP BY k WITH ROLLUP;
SELECT k, count(), sum(v) FROM t WHERE 0 GROUP BY k WITH CUBE;
SELECT k, (SELECT 5) AS five, count() FROM t GROUP BY k, five WITH ROLLUP ORDER BY ALL;
SELECT k, s, min(k), max(s), count(), sum(k) FROM t GROUP BY k, s WITH CUBE ORDER BY ALL;
SELECT k + 1 q, min(k + 1), max(k + 1), sum(k + 1), count() FROM t GROUP BY q WITH CUBE ORDER BY ALL;
