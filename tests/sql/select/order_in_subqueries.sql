-- { configs: default }
-- Functions that see the order of rows see that of a subquery's ORDER BY.
SELECT a, rowNumberInAllBlocks() AS r FROM (SELECT number AS a FROM numbers(3) ORDER BY -number) ORDER BY r;
SELECT sum(number * rowNumberInAllBlocks()) FROM (SELECT number FROM numbers(1000) ORDER BY -number);
SELECT a FROM (SELECT number AS a FROM numbers(5) ORDER BY -number) WHERE rowNumberInAllBlocks() < 2 ORDER BY a;
SELECT uniqExact(a) FROM (SELECT number % 3 AS a FROM numbers(9) ORDER BY -number);
