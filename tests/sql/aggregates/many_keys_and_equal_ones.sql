-- { largeBlocks }
SELECT count(), sum(c) FROM (SELECT number % 1000 AS a, number % 7 AS b, count() AS c FROM numbers(20000) GROUP BY CUBE(a, b));
SELECT count(), sum(k), sum(c) FROM (SELECT number AS k, count() AS c FROM numbers(200000) GROUP BY k);
SELECT count(), sum(k), sum(c), max(c) FROM (SELECT number % 150000 AS k, count() AS c FROM numbers(200000) GROUP BY k);
SELECT count(), sum(k) FROM (SELECT number AS k FROM numbers(300000) GROUP BY k);
SELECT count(), sum(k), sum(s) FROM (SELECT intDiv(number, 2) AS k, sum(number) AS s FROM numbers(400000) GROUP BY k);
SELECT count(), sum(x * i) FROM (SELECT x, rowNumberInAllBlocks() AS i FROM (SELECT number % 10 AS x FROM numbers(30000) ORDER BY x));
SELECT count(), sum(x * i), sum(y * i) FROM (SELECT x, y, rowNumberInAllBlocks() AS i FROM (SELECT number % 10 AS x, number AS y FROM numbers(30000) ORDER BY x, toUInt64(y) DESC));
SELECT count(), sum(y * i) FROM (SELECT y, rowNumberInAllBlocks() AS i FROM (SELECT if(number % 7 = 0, NULL, number % 500) AS x, number AS y FROM numbers(30000) ORDER BY x, y));
SELECT count(), sum(y * i) FROM (SELECT y, rowNumberInAllBlocks() AS i FROM (SELECT cityHash64(number) AS x, number AS y FROM numbers(30000) ORDER BY x % 256, x, y));
SELECT count(), sum(y * i) FROM (SELECT y, rowNumberInAllBlocks() AS i FROM (SELECT concat('a prefix of all ', toString(number % 5000)) AS x, number AS y FROM numbers(30000) ORDER BY x, y));
SELECT count(), sum(length(a)), sum(arraySum(a)) FROM (SELECT number % 10 AS k, groupUniqArray(number) AS a FROM numbers(5000) GROUP BY k);
SELECT number % 2 AS k, uniqExact(toUInt8(number % 5)), uniqExact(toInt16(number % 7)), uniqExact(toUInt32(number)), uniqExact(toFloat32(number)), uniqExact(toDate(number % 9)), uniqExact(number) FROM numbers(1000) GROUP BY k ORDER BY k;
SELECT uniqExactMerge(a), uniqExactMerge(b), uniqExactMerge(c) FROM (SELECT uniqExactState(toUInt8(number)) AS a, uniqExactState(toInt32(number)) AS b, uniqExactState(toUInt16(number)) AS c FROM numbers(3000) GROUP BY number % 5);
SELECT k, sum(length(a)), sum(arraySum(a)) FROM (SELECT number % 5 AS k, number % 50 AS l, groupArray(number) AS a FROM numbers(5000) GROUP BY k, l) GROUP BY k ORDER BY k;
SELECT topK(1)(x) FROM (SELECT if(number % 3 = 0, 'often', toString(number)) AS x FROM numbers(3000));
SELECT quantilesTDigest(0, 1)(x) FROM (SELECT toInt64(number % 100) - 50 AS x FROM numbers(1000));
-- Keys alone, so many that a worker sets them aside.
SELECT count(), sum(k) FROM (SELECT number * 7 AS k FROM numbers(200000) GROUP BY k);
SELECT count() FROM (SELECT DISTINCT number FROM numbers(200000));
SELECT count() FROM (SELECT toString(number) AS k FROM numbers(200000) GROUP BY k);
SELECT count() FROM (SELECT number AS k, number % 3 AS m FROM numbers(200000) GROUP BY k, m);
SELECT count() FROM (SELECT number FROM numbers(150000) UNION DISTINCT SELECT number FROM numbers(200000));
SELECT count() FROM (SELECT number * 7 AS k FROM numbers_mt(1000000) GROUP BY k) SETTINGS max_threads = 2;
