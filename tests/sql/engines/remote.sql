-- The engine Remote reads and writes a table of this server.
CREATE TABLE source (a UInt8, b String) ENGINE = Memory;
INSERT INTO source VALUES (1, 'x'), (2, 'y');
CREATE TABLE far (a UInt8, b String) ENGINE = Remote('127.0.0.1', currentDatabase(), source);
SELECT * FROM far ORDER BY a;
INSERT INTO far VALUES (3, 'z');
SELECT count(), sum(a) FROM source;
CREATE TABLE inferred ENGINE = Remote('localhost', currentDatabase(), 'source');
DESCRIBE TABLE inferred;
SELECT sum(a) FROM inferred;
CREATE TABLE not_here (a UInt8) ENGINE = View; -- { serverError INCORRECT_QUERY }
CREATE TABLE not_here (a UInt8) ENGINE = MaterializedView; -- { serverError INCORRECT_QUERY }
CREATE TABLE not_here (a UInt8) ENGINE = Loop; -- { serverError INCORRECT_QUERY }
SELECT name FROM system.table_engines WHERE name IN ('Loop', 'MaterializedView', 'Remote', 'RemoteSecure', 'URL', 'View') ORDER BY name;
SELECT name, allow_readonly FROM system.table_functions WHERE name IN ('SQLStandardValues', 'cluster', 'clusterAllReplicas', 'dictionary', 'input', 'merge', 'remote', 'remoteSecure', 'url', 'urlCluster', 'view', 'viewExplain', 'viewIfPermitted', 'zeros', 'numbers', 'file') ORDER BY name;
