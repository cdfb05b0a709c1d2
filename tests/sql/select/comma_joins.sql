-- { configs: default }
-- Query 9 of TPC-H as it is written: between most neighbours of the list there is no condition.
WITH
    part AS (SELECT number AS p_partkey, concat(arrayElement(['green', 'red', 'blue'], 1 + number % 3), ' part ', toString(number)) AS p_name FROM numbers(2000)),
    supplier AS (SELECT number AS s_suppkey, number % 25 AS s_nationkey FROM numbers(1000)),
    partsupp AS (SELECT number % 2000 AS ps_partkey, (number * 7 + intDiv(number, 2000)) % 1000 AS ps_suppkey, number % 100 AS ps_supplycost FROM numbers(8000)),
    orders AS (SELECT number AS o_orderkey, toDate('1992-01-01') + number % 2400 AS o_orderdate FROM numbers(15000)),
    lineitem AS (SELECT intDiv(number, 4) AS l_orderkey, number % 2000 AS l_partkey, (number * 7 + intDiv(number, 2000)) % 1000 AS l_suppkey, number % 50 AS l_quantity, number % 1000 AS l_extendedprice, number % 10 AS l_discount FROM numbers(60000)),
    nation AS (SELECT number AS n_nationkey, concat('nation ', toString(number)) AS n_name FROM numbers(25))
SELECT nation, o_year, sum(amount) AS sum_profit
FROM
(
    SELECT
        n_name AS nation,
        toYear(o_orderdate) AS o_year,
        l_extendedprice * (100 - l_discount) - ps_supplycost * l_quantity AS amount
    FROM part, supplier, lineitem, partsupp, orders, nation
    WHERE
        s_suppkey = l_suppkey
        AND ps_suppkey = l_suppkey
        AND ps_partkey = l_partkey
        AND p_partkey = l_partkey
        AND o_orderkey = l_orderkey
        AND s_nationkey = n_nationkey
        AND p_name LIKE '%green%'
) AS profit
GROUP BY nation, o_year
ORDER BY nation, o_year DESC
LIMIT 12
SETTINGS max_execution_time = 60;

-- Tables that nothing connects are joined among themselves first.
SELECT count(), sum(a.number), sum(b.number), sum(d.number)
FROM numbers(3) AS a, numbers(1000) AS b, numbers(1000) AS c, numbers(1000) AS d
WHERE b.number = c.number AND c.number = d.number;

-- The columns stay in the order of FROM, and so do the names.
SELECT * FROM (SELECT number AS x FROM numbers(3)) AS a, (SELECT number + 1 AS y FROM numbers(3)) AS b, (SELECT number AS z, number + 1 AS w FROM numbers(4)) AS c
WHERE x = z AND y = w ORDER BY ALL;
SELECT DISTINCT * FROM (SELECT toUInt8(number) AS x FROM numbers(3)) AS a, (SELECT toUInt32(number + 1) AS y FROM numbers(3)) AS b, (SELECT number AS z, number + 1 AS w FROM numbers(4)) AS c
WHERE x = z AND y = w ORDER BY ALL;

-- A condition over the tables before it connects, too.
SELECT count() FROM numbers(100) AS a, numbers(100) AS b, numbers(199) AS c, numbers(100) AS d
WHERE a.number + b.number = c.number AND a.number = d.number;
