-- The ways to name a table of this machine as one of another.
CREATE TABLE rows_here (a UInt32, s String) ENGINE = Memory;
INSERT INTO rows_here VALUES (1, 'x'), (2, 'y');
SELECT * FROM remote('127.0.0.1', currentDatabase(), 'rows_here') ORDER BY a;
SELECT * FROM remote('127.0.0.1', currentDatabase(), rows_here, 'default') ORDER BY a;
SELECT * FROM remote('127.0.0.1', 'system.one');
SELECT * FROM remote('127.0.0.1', 'system.one', 'default', '');
SELECT * FROM remote('127.0.0.1', system.one, 'default');
SELECT * FROM remote('127.0.0.1', 'system', 'one', 'default', '');
SELECT * FROM remote('127.0.0.1', system, one);
SELECT * FROM remoteSecure('127.0.0.1', 'system.one');
SELECT * FROM remote('localhost', numbers(3));
SELECT * FROM remote('localhost', view(SELECT 1 AS x));
SELECT * FROM remote('127.0.0.1');
SELECT * FROM remote('127.0.0.1', 'one'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM remote('127.0.0.1', one); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM remote('127.0.0.1', 'a.b.c'); -- { serverError SYNTAX_ERROR }
SELECT * FROM remote('127.0.0.1', 'system.no_such_table'); -- { serverError UNKNOWN_TABLE }
SELECT * FROM remote(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM cluster('nope', system.one); -- { serverError CLUSTER_DOESNT_EXIST }
INSERT INTO FUNCTION remote('127.0.0.1', currentDatabase(), rows_here) VALUES (3, 'z');
INSERT INTO FUNCTION remote('127.0.0.1', currentDatabase(), 'rows_here', 'default') (a) SELECT 4;
INSERT INTO FUNCTION remote('127.0.0.1', numbers(3)) SELECT 8; -- { serverError NOT_IMPLEMENTED }
SELECT * FROM rows_here ORDER BY a;
