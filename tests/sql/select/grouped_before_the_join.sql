-- { largeBlocks }
-- Sums over a join, where one side has few combinations of the columns that matter.
CREATE TABLE sales (customer UInt32, day UInt16, price Decimal(10, 2), amount Int16, note Nullable(UInt8)) ENGINE = Memory;
CREATE TABLE customers (id UInt32, name String, region LowCardinality(String)) ENGINE = Memory;
INSERT INTO sales SELECT number % 57, number % 13, number % 1000 / 8, number % 201 - 100, if(number % 3 = 0, NULL, number % 200) FROM numbers(30000);
INSERT INTO customers SELECT number, concat('name', toString(number % 20)), ['north', 'south', 'west'][number % 3 + 1] FROM numbers(60);
INSERT INTO customers SELECT number, concat('again', toString(number % 2)), 'east' FROM numbers(5);

SELECT name, sum(price), sum(amount), count(), min(amount), max(price), round(avg(amount), 6)
FROM sales JOIN customers ON customer = id GROUP BY name ORDER BY name;
SELECT region, day, sum(note), count(note), avg(note), min(note) FROM sales JOIN customers ON customer = id WHERE day < 3 GROUP BY region, day ORDER BY region, day;
SELECT sum(price), count() FROM sales JOIN customers ON customer = id;
SELECT sum(price), count() FROM sales JOIN customers ON customer = id WHERE name = 'nobody';
SELECT name, sumOrNull(amount), avgOrNull(price) FROM sales LEFT JOIN customers ON customer = id + 40 GROUP BY name ORDER BY name;
SELECT name, count() FROM sales RIGHT JOIN customers ON customer = id - 10 GROUP BY name ORDER BY name LIMIT 5;
SELECT concat(name, '!') AS n, day % 2 AS odd, sum(amount * 2 + day) FROM sales JOIN customers ON customer = id AND day < id GROUP BY n, odd ORDER BY n, odd LIMIT 7;
SELECT day, sum(id), sum(amount) FROM sales JOIN customers ON customer = id GROUP BY day ORDER BY day;
SELECT customer, sum(customer), count() FROM sales JOIN customers ON customer = id GROUP BY customer ORDER BY customer LIMIT 3;
SELECT name, sumIf(amount, day > 5), uniqExact(day) FROM sales JOIN customers ON customer = id GROUP BY name ORDER BY name LIMIT 3;
SELECT region, sum(amount) FROM sales JOIN customers ON customer = id GROUP BY region WITH TOTALS ORDER BY region;
SELECT region, name, sum(amount) FROM sales JOIN customers ON customer = id GROUP BY ROLLUP(region, name) ORDER BY region, name, 3 LIMIT 8;
SELECT name, sum(amount) AS s FROM sales JOIN customers ON customer = id GROUP BY name HAVING s > 0 ORDER BY s DESC, name LIMIT 4;
SELECT a.day, sum(a.amount), sum(b.c) FROM sales AS a JOIN (SELECT customer, count() AS c FROM sales GROUP BY customer) AS b ON a.customer = b.customer GROUP BY a.day ORDER BY a.day LIMIT 4;

SELECT 'aggregates of no rows are NULL' AS setting;
SET aggregate_functions_null_for_empty = 1;
SELECT name, sum(price), sum(amount + 1), sum(amount + 2), min(day), count() FROM sales JOIN customers ON customer = id GROUP BY name ORDER BY name LIMIT 3;
SELECT toTypeName(sum(amount)), toTypeName(avg(price)), toTypeName(min(day)), toTypeName(sum(note)) FROM sales GROUP BY day LIMIT 1;
SELECT day, sum(amount), sum(note), avg(price) FROM sales GROUP BY day WITH TOTALS ORDER BY day LIMIT 2;
SELECT sum(amount), min(day) FROM sales WHERE day > 100;
SELECT day, sum(amount) FROM sales WHERE day > 100 GROUP BY GROUPING SETS ((day), ()) ORDER BY day;
