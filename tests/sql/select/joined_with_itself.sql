-- A table that is joined with itself: its bare name means the one without an alias.
CREATE TABLE emp (id Int32, boss Int32, name String, sal Int32) ENGINE = Memory;
INSERT INTO emp VALUES (1, 0, 'a', 100), (2, 1, 'b', 90), (3, 1, 'c', 80), (4, 2, 'd', 70), (5, 2, 'e', 70), (6, 9, 'f', 1);

SELECT emp.name, e.name FROM emp AS e JOIN emp ON e.boss = emp.id ORDER BY 1, 2;
SELECT emp.name, e.name FROM emp AS e LEFT JOIN emp ON e.boss = emp.id ORDER BY 1, 2;
SELECT count() FROM emp AS a, emp WHERE a.boss = emp.id;
SELECT sum(emp.sal), sum(e.sal) FROM emp AS e FULL JOIN emp ON e.boss = emp.id;
SELECT emp.name, e.name, f.name FROM emp AS e JOIN emp ON e.boss = emp.id JOIN emp AS f ON emp.id = f.boss ORDER BY 1, 2, 3;
SELECT x.id, y.id, emp.id FROM emp AS x JOIN emp AS y ON x.id = y.id JOIN emp ON emp.id = y.boss WHERE emp.sal = 90 ORDER BY 1;
SELECT count() FROM emp AS e WHERE emp.boss = 1;
SELECT name FROM emp AS e WHERE EXISTS (SELECT 1 FROM emp WHERE emp.boss = e.id) ORDER BY 1;

DROP TABLE emp;
