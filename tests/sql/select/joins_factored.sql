-- An equality that stands in every branch of an OR is a key of the join, as in TPC-H Q19.
CREATE TABLE item (k Int32, quantity Int32, note Nullable(String)) ENGINE = Memory;
CREATE TABLE part (k Int32, brand String, size Int32) ENGINE = Memory;
INSERT INTO item SELECT number % 5, number, if(number % 3 = 0, NULL, toString(number % 4)) FROM numbers(20);
INSERT INTO part SELECT number, ['a', 'b', 'c'][number % 3 + 1], number * 2 FROM numbers(6);

SELECT count(), sum(quantity), sum(size) FROM item, part
WHERE (item.k = part.k AND brand = 'a' AND quantity < 10)
   OR (item.k = part.k AND brand = 'b' AND quantity > 5 AND size < 7)
   OR (size > 1 AND part.k = item.k AND item.k = part.k AND brand = 'c');
SELECT count(), sum(quantity), sum(size) FROM item JOIN part
ON (item.k = part.k AND brand = 'a' AND quantity < 10) OR (item.k = part.k AND brand = 'b');
SELECT item.k, quantity, part.k, brand FROM item LEFT JOIN part
ON (item.k = part.k AND brand = 'a' AND quantity < 10) OR (item.k = part.k AND brand = 'b')
ORDER BY ALL;
SELECT item.k, quantity, part.k, brand FROM item FULL JOIN part
ON (item.k = part.k AND brand = 'a' AND quantity < 3) OR (item.k = part.k AND brand = 'b')
ORDER BY ALL;

-- A branch that has the common part alone; factors below AND and NULL in them.
SELECT quantity FROM item WHERE k = 1 OR (k = 1 AND note = '2') ORDER BY quantity;
SELECT quantity FROM item WHERE quantity < 15 AND ((note = '1' AND k = 1) OR (note = '1' AND k = 4)) ORDER BY ALL;
SELECT quantity, (note = '1' AND k = 1) OR (note = '1' AND k = 3) AS c FROM item WHERE quantity < 8 ORDER BY ALL;
SELECT count() FROM item WHERE NOT ((note = '1' AND k = 1) OR (note = '1' AND k = 3));
SELECT count() FROM item WHERE ((note = '1' AND k = 1) OR (note = '1' AND k = 3)) IS NULL;
SELECT count() FROM item WHERE (k = 1 AND rand() % 2 = 0) OR (k = 1 AND rand(1) % 2 = 0) OR (k = 1 AND quantity >= 0);
