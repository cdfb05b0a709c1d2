-- USING with two names, which is ON for columns of different names.
CREATE TABLE owners (a UInt8, x String) ENGINE = Memory;
CREATE TABLE pets (b UInt8, y String) ENGINE = Memory;
INSERT INTO owners VALUES (1, 'l1'), (2, 'l2');
INSERT INTO pets VALUES (1, 'r1'), (3, 'r3');
SELECT * FROM owners JOIN pets USING (a AS b) FORMAT TSVWithNames;
SELECT * FROM owners LEFT JOIN pets USING (a AS b) ORDER BY ALL;
SELECT * FROM owners RIGHT JOIN pets USING a AS b ORDER BY ALL;
SELECT a, b, owners.a, pets.b FROM owners FULL JOIN pets USING (a AS b) ORDER BY ALL;
SELECT * FROM owners FULL JOIN pets USING (a AS b) ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT x FROM owners SEMI JOIN pets USING (a AS b);
SELECT * FROM owners JOIN pets USING (a AS b, x AS y);
SELECT * FROM owners AS l JOIN owners AS r USING (a AS a) ORDER BY ALL;
SELECT * FROM owners JOIN pets USING (a AS z); -- { serverError UNKNOWN_IDENTIFIER }
SELECT * FROM owners JOIN pets USING (b AS a); -- { serverError UNKNOWN_IDENTIFIER }
