-- Tables of this server by its addresses.
-- { echoOn }
CREATE TABLE t (a UInt8, b String) ENGINE = Memory;
INSERT INTO t VALUES (1, 'x'), (2, 'y');
SELECT * FROM remote('127.0.0.1', default.t) ORDER BY a;
SELECT * FROM remote('127.0.0.1', 'default', 't') ORDER BY a;
SELECT * FROM remote('127.0.0.1', default, t) ORDER BY a;
SELECT * FROM remote('127.0.0.1', currentDatabase(), t) ORDER BY a;
SELECT * FROM remote('127.0.0.1', currentDatabase(), 't') ORDER BY a;
SELECT * FROM remote('localhost', default.t, 'default') ORDER BY a;
SELECT * FROM remote('localhost', default.t, 'default', '') ORDER BY a;
SELECT * FROM remote('localhost', 'default', 't', 'default', '') ORDER BY a;
SELECT * FROM remote('127.0.0.1|127.0.0.2', default.t) ORDER BY a;
SELECT * FROM remote('[::1]', default.t) ORDER BY a;
SELECT count(), sum(number) FROM remote('127.0.0.1', numbers(10));
SELECT sum(number) FROM remote('127.0.0.1', view(SELECT number FROM numbers(3)));
SELECT r.a FROM remote('127.0.0.1', default.t) AS r ORDER BY 1;
SELECT * FROM remote('127.0.0.1', system.one);
SELECT * FROM remote('127.0.0.1');
SELECT * FROM remote('127.0.0.1', default.nosuch); -- { serverError UNKNOWN_TABLE }
SELECT * FROM remote('127.0.0.1', nosuch); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM remote('127.0.0.1', t); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM remote(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM remote('127.0.0.1', nosuch.t); -- { serverError UNKNOWN_DATABASE }
SELECT * FROM remoteSecure('127.0.0.1', default.t) ORDER BY a;
SELECT * FROM cluster('nosuch', default.t); -- { serverError CLUSTER_DOESNT_EXIST }
SELECT * FROM cluster(nosuch, default.t); -- { serverError CLUSTER_DOESNT_EXIST }
SELECT * FROM clusterAllReplicas('nosuch', default.t) ORDER BY a; -- { serverError CLUSTER_DOESNT_EXIST }
INSERT INTO FUNCTION remote('127.0.0.1', default.t) VALUES (3, 'z');
INSERT INTO FUNCTION remote('127.0.0.1', default, t) (a) SELECT 4;
INSERT INTO FUNCTION remote('127.0.0.1', currentDatabase(), t) (a) SELECT 5;
INSERT INTO FUNCTION remote('127.0.0.{1,2}', default.t) VALUES (5, 'z'); -- { serverError STORAGE_REQUIRES_PARAMETER }
INSERT INTO FUNCTION remote('127.0.0.1', default.nosuch) VALUES (5, 'z'); -- { serverError UNKNOWN_TABLE }
INSERT INTO FUNCTION cluster('nosuch', default.t) VALUES (6, 'q'); -- { serverError CLUSTER_DOESNT_EXIST }
SELECT * FROM t ORDER BY a;
DESCRIBE remote('127.0.0.1', default.t);
DESCRIBE TABLE remote('127.0.0.1', numbers(2));
SELECT a, count() FROM remote('127.0.0.1', default.t) GROUP BY a ORDER BY a;
SELECT x.a, x.b, t.b FROM remote('127.0.0.1', default.t) AS x INNER JOIN t USING (a) ORDER BY a;
SELECT a FROM t WHERE a IN (SELECT a FROM remote('127.0.0.1', default.t) WHERE a > 2) ORDER BY a;
SELECT * FROM remote('127.0.0.1', merge('default', '^t$')) ORDER BY a;
SELECT a FROM remote('127.0.0.1', default.t) WHERE a % 2 ORDER BY a LIMIT 1;
CREATE VIEW v AS SELECT a * 2 AS d FROM t;
SELECT * FROM remote('127.0.0.1', default.v) ORDER BY d;
SELECT (SELECT max(a) FROM remote('127.0.0.1', default.t));
