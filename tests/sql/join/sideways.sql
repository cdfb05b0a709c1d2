-- Filters by the keys of a join reach scans on both sides of the joins below it, and equal columns.
CREATE TABLE sales (sale UInt32, customer UInt32, item UInt32, price Int64) ENGINE = MergeTree ORDER BY sale SETTINGS index_granularity = 64;
CREATE TABLE customers (customer UInt32, town UInt32, name String) ENGINE = MergeTree ORDER BY customer SETTINGS index_granularity = 64;
CREATE TABLE towns (town UInt32, land UInt32) ENGINE = MergeTree ORDER BY town SETTINGS index_granularity = 64;
CREATE TABLE items (item UInt32, kind LowCardinality(String), weight Nullable(UInt32)) ENGINE = MergeTree ORDER BY item SETTINGS index_granularity = 64;
INSERT INTO sales SELECT number, number * 7 % 1500, number * 13 % 700, number % 97 FROM numbers(5000);
INSERT INTO customers SELECT number, number % 60, concat('c', toString(number % 11)) FROM numbers(1000);
INSERT INTO towns SELECT number, number % 5 FROM numbers(50);
INSERT INTO items SELECT number, concat('k', toString(number % 9)), if(number % 7 = 0, NULL, number % 20) FROM numbers(600);

SELECT count(), sum(price) FROM sales JOIN customers USING (customer) JOIN towns USING (town) JOIN items USING (item) WHERE kind = 'k3' AND land = 2;
SET query_plan_optimize_join_order_limit = 0;
SELECT count(), sum(price) FROM (SELECT * FROM sales JOIN customers USING (customer)) AS s JOIN (SELECT * FROM towns WHERE land = 2) AS t ON s.town = t.town;
SELECT count(), sum(price) FROM (SELECT customer AS c, item, price FROM customers JOIN sales USING (customer)) AS s JOIN (SELECT item FROM items WHERE weight = 3) AS i ON s.item = i.item;
-- Outer, SEMI and ANTI joins below the filter.
SELECT count(), countIf(name = ''), sum(price) FROM (SELECT sales.customer AS c, name, price FROM sales LEFT JOIN customers ON sales.customer = customers.customer) AS s JOIN (SELECT customer FROM customers WHERE town < 4 UNION ALL SELECT 1200) AS x ON s.c = x.customer;
SELECT count(), sum(price) FROM (SELECT customer AS c, price FROM sales LEFT ANTI JOIN customers ON sales.customer = customers.customer) AS s JOIN (SELECT toUInt32(number * 3) AS c FROM numbers(450)) AS x ON s.c = x.c;
SELECT count(), sum(price) FROM (SELECT customer AS c, price FROM sales LEFT SEMI JOIN customers ON sales.customer = customers.customer) AS s JOIN (SELECT toUInt32(number * 3) AS c FROM numbers(450)) AS x ON s.c = x.c;
SELECT count(), sum(price), sum(c) FROM (SELECT customers.customer AS c, price FROM sales RIGHT JOIN customers ON sales.customer = customers.customer AND price > 90) AS s JOIN (SELECT customer FROM customers WHERE town = 7) AS x ON s.c = x.customer;
SELECT count(), sum(price), sum(c) FROM (SELECT customers.customer AS c, sales.customer AS of_sale, price FROM sales RIGHT JOIN customers ON sales.customer = customers.customer AND price > 90) AS s JOIN (SELECT toUInt32(0) AS c UNION ALL SELECT 7) AS x ON s.of_sale = x.c;
SELECT count(), sum(price), sum(c) FROM (SELECT customers.customer AS c, price FROM sales FULL JOIN customers ON sales.customer = customers.customer) AS s JOIN (SELECT customer FROM customers WHERE town = 7) AS x ON s.c = x.customer;
SELECT count(), sum(price) FROM (SELECT sales.customer AS c, price, item FROM sales CROSS JOIN (SELECT number FROM numbers(2))) AS s JOIN (SELECT item FROM items WHERE weight IS NULL) AS i ON s.item = i.item; -- { serverError ALIAS_REQUIRED }
-- Through DISTINCT, GROUP BY and UNION ALL.
SELECT count(), sum(d.customer) FROM (SELECT DISTINCT customer, item FROM sales) AS d JOIN (SELECT customer FROM customers WHERE name = 'c4') AS x ON d.customer = x.customer;
SELECT count(), sum(total) FROM (SELECT customer, sum(price) AS total FROM sales GROUP BY customer) AS d JOIN (SELECT customer FROM customers WHERE name = 'c4') AS x ON d.customer = x.customer;
SELECT count(), sum(price) FROM (SELECT customer, price FROM sales WHERE sale < 1000 UNION ALL SELECT customer, -price FROM sales WHERE sale > 3000 UNION ALL SELECT toUInt32(4), 5) AS d JOIN (SELECT customer FROM customers WHERE name = 'c4') AS x ON d.customer = x.customer;
SELECT count(), sum(price) FROM (SELECT customer, price FROM sales ORDER BY price, sale LIMIT 100) AS d JOIN (SELECT customer FROM customers WHERE name = 'c4') AS x ON d.customer = x.customer;
-- Without filters.
SET enable_join_runtime_filters = 0;
SELECT count(), sum(price) FROM (SELECT customer AS c, price FROM sales LEFT ANTI JOIN customers ON sales.customer = customers.customer) AS s JOIN (SELECT toUInt32(number * 3) AS c FROM numbers(450)) AS x ON s.c = x.c;
