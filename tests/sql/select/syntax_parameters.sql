-- { configs: default }
-- Parameters of type Identifier, and of other types, wherever they may stand.
SET param_db = 'system', param_tab = 'one', param_col = 'dummy', param_n = 2, param_s = 'it', param_arr = '[1,2]';
SELECT * FROM {db:Identifier}.{tab:Identifier};
SELECT {col:Identifier} FROM system.one;
SELECT one.{col:Identifier} FROM system.{tab:Identifier};
SELECT {col:Identifier} AS {tab:Identifier} FROM system.one FORMAT TSVWithNames;
SELECT t.dummy FROM system.{tab:Identifier} AS t WHERE {col:Identifier} = 0 ORDER BY {col:Identifier};
SELECT {n:UInt8} + 1, {s:String}, {arr:Array(UInt8)}, {n: String};
SELECT number FROM numbers({n:UInt64}) ORDER BY number;
SELECT number FROM numbers(10) ORDER BY number LIMIT {n:UInt64} OFFSET {n:UInt64};
SELECT number FROM numbers(5) WHERE number IN ({n:UInt8}, 1) ORDER BY number;
WITH {n:UInt8} AS q SELECT q;
SELECT {nope:UInt8}; -- { serverError UNKNOWN_QUERY_PARAMETER }
SELECT {nope:Identifier}; -- { serverError UNKNOWN_QUERY_PARAMETER }
SELECT * FROM {nope:Identifier}; -- { serverError UNKNOWN_QUERY_PARAMETER }
SET param_n = 'abc';
SELECT {n:UInt8}; -- { serverError BAD_QUERY_PARAMETER }
SET param_t = 'ptab';
CREATE TABLE {t:Identifier} (a Int8) ENGINE = Memory;
INSERT INTO {t:Identifier} VALUES (1);
INSERT INTO default.{t:Identifier} SELECT 2;
SELECT * FROM ptab ORDER BY a;
TRUNCATE TABLE {t:Identifier};
SELECT count() FROM {t:Identifier};
EXISTS {t:Identifier};
DROP TABLE {t:Identifier};
EXISTS ptab;
SET param_name = 'two words';
SELECT 1 AS {name:Identifier} FORMAT TSVWithNames;
