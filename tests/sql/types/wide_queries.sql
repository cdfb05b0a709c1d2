-- Integers of 128 and 256 bits in parameters, defaults, files on disk and the rest of a query.
SET param_p = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
SELECT {p:UInt256}, toTypeName({p:UInt256}), {p:UInt256} - 1;
CREATE TABLE t (a Int128, b UInt256 DEFAULT a + 1, c Int256 MATERIALIZED a * 2) ENGINE = Memory;
INSERT INTO t (a) VALUES (1), (-1);
SELECT a, b, c FROM t ORDER BY a;
SELECT toInt128(number) AS k, count() FROM numbers(20000) GROUP BY k ORDER BY k DESC LIMIT 2 SETTINGS max_bytes_before_external_group_by = 1000;
SELECT toUInt256(number) * toUInt256('340282366920938463463374607431768211456') AS k FROM numbers(20000) ORDER BY k DESC LIMIT 2 SETTINGS max_bytes_before_external_sort = 1000;
SELECT count(), sum(x.a) FROM (SELECT toInt256(number) AS a FROM numbers(1000)) AS x JOIN (SELECT toUInt64(number) AS a FROM numbers(10)) AS y ON x.a = y.a;
SELECT toInt128(number % 2) AS x FROM numbers(3) ORDER BY x LIMIT 1 WITH TIES;
SELECT sum(toInt128(number)) AS s FROM numbers(4) GROUP BY number % 2 WITH TOTALS ORDER BY s;
SELECT toInt128(1) AS a, toUInt256(2) AS b SETTINGS extremes = 1;
SELECT number FROM numbers(10) LIMIT toInt128(2); -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT arrayJoin([toInt128(1), 2]) AS x, x + 1;
SELECT toFixedString('a', toUInt128(3)), groupArrayInsertAt(1, toUInt128(2));
SELECT sleep(toUInt128(0)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hex(toInt128(-1)::String), quantiles(0.1, 0.9)(toInt128(number)) FROM numbers(11);
SELECT corr(toInt128(number), number) FROM numbers(3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT a, count() FROM t GROUP BY GROUPING SETS ((a), ()) ORDER BY a, count();
SELECT x, y FROM (SELECT toInt128(number) AS x, toUInt256(number) AS y FROM numbers(5)) WHERE x > 2 AND y < 4.5;
SELECT toInt128(1) AS x UNION DISTINCT SELECT toInt256(1) ORDER BY x; -- { serverError UNKNOWN_IDENTIFIER }
