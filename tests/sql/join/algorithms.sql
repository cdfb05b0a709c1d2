-- Each algorithm of the list gives the same rows, for keys with NULL and with several rows.

CREATE TABLE orders (id UInt32, customer Nullable(UInt32), day Date, city String) ENGINE = Memory;
CREATE TABLE people (customer Nullable(UInt32), name String, since Date) ENGINE = Memory;
INSERT INTO orders SELECT number, if(number % 7 = 0, NULL, number % 11), toDate('2024-01-01') + number, concat('c', toString(number % 3)) FROM numbers(40);
INSERT INTO people SELECT if(number % 6 = 5, NULL, number % 13), concat('n', toString(number)), toDate('2024-01-05') + number FROM numbers(20);

SET join_algorithm = 'full_sorting_merge';
SELECT count(), sum(id), max(name), countIf(name = '') FROM orders INNER JOIN people USING (customer);
SELECT count(), sum(id), max(name), countIf(name = '') FROM orders LEFT JOIN people USING (customer);
SELECT count(), sum(id), max(name), countIf(name = '') FROM orders RIGHT JOIN people USING (customer);
SELECT count(), sum(id), max(name), countIf(name = '') FROM orders FULL JOIN people USING (customer);
SELECT o.id, p.name FROM orders AS o INNER JOIN people AS p ON o.customer = p.customer AND o.day > p.since ORDER BY o.id, p.name LIMIT 10;
SELECT o.customer, count(), sum(o.id) FROM orders AS o ANY LEFT JOIN people AS p ON o.customer = p.customer GROUP BY o.customer ORDER BY o.customer;
SELECT count() FROM orders AS o ANY INNER JOIN people AS p ON o.customer = p.customer;
SELECT count() FROM orders AS o ANY RIGHT JOIN people AS p ON o.customer = p.customer;
SELECT o.id, p.name FROM orders AS o ASOF JOIN people AS p ON o.customer = p.customer AND o.day >= p.since ORDER BY o.id;
SELECT o.id, p.name FROM orders AS o ASOF LEFT JOIN people AS p ON o.customer = p.customer AND o.day < p.since ORDER BY o.id LIMIT 12;
SELECT o.city, p.name, count() FROM orders AS o JOIN people AS p ON o.customer = p.customer AND o.city = concat('c', substring(p.name, 2, 1)) GROUP BY ALL ORDER BY ALL;

SET join_algorithm = 'partial_merge';
SELECT count(), sum(id), max(name), countIf(name = '') FROM orders FULL JOIN people USING (customer);
SELECT id FROM orders AS o SEMI LEFT JOIN people AS p ON o.customer = p.customer ORDER BY id LIMIT 5;
SELECT count() FROM orders AS o LEFT JOIN people AS p ON o.customer = p.customer AND o.id > 10;

SET join_algorithm = 'prefer_partial_merge';
SELECT id FROM orders AS o ANTI LEFT JOIN people AS p ON o.customer = p.customer ORDER BY id;
SELECT name FROM orders AS o ANTI RIGHT JOIN people AS p ON o.customer = p.customer ORDER BY name;

SET join_algorithm = 'grace_hash,hash', join_use_nulls = 1;
SELECT count(), sum(id), max(name), countIf(name IS NULL) FROM orders LEFT JOIN people USING (customer);
SET join_algorithm = 'full_sorting_merge';
SELECT count(), sum(id), max(name), countIf(name IS NULL), countIf(id IS NULL) FROM orders FULL JOIN people USING (customer);
SET join_algorithm = 'direct,full_sorting_merge,hash';
SELECT count(), sum(id), max(name) FROM orders RIGHT JOIN people USING (customer);
SET join_algorithm = 'parallel_hash';
SELECT count(), sum(id), max(name) FROM orders RIGHT JOIN people USING (customer);
SELECT count() FROM orders, people;
