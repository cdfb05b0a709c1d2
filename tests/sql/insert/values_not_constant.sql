-- Expressions in VALUES whose result differs from row to row.
CREATE TABLE t (k UInt8, u UUID, r UInt32, s String) ENGINE = Memory;
INSERT INTO t VALUES (1, generateUUIDv4(), rand() % 10, randomString(5)), (2, generateUUIDv4(), rand() % 10, 'x'), (3, generateUUIDv4(), 5, concat('a', 'b'));
SELECT count(), uniqExact(u), sum(k), max(length(s)), max(r) < 10 FROM t;
INSERT INTO t VALUES (4, generateUUIDv4(), number, ''); -- { serverError UNKNOWN_IDENTIFIER }
DROP TABLE t;
