-- Conditions that are NULL for some rows, or for all: such rows are neither in the answer of the condition nor in that of its NOT.
CREATE TABLE t (i Int8, n Nullable(Int32)) ENGINE = Memory;
INSERT INTO t VALUES (1, 2), (2, NULL), (3, 4);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (NULL AND i = 1) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (NULL OR i = 1) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NULL OR i = 1 ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (NULL BETWEEN -1 AND (i + n)) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NULL BETWEEN -1 AND (i + n) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (n = 2 AND i = 1) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (n > NULL AND i < 10) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (i > NULL) ORDER BY i);
SELECT groupArray(i) FROM (SELECT i FROM t WHERE NOT (NULL AND i > 2) OR i = 3 ORDER BY i);
SELECT count() FROM t WHERE NOT (NULL AND i > 0);
SELECT count() FROM t WHERE NOT (NULL AND i > 5);
DROP TABLE t;
