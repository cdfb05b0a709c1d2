CREATE TABLE hits_100m_single ENGINE = MergeTree ORDER BY (CounterID, EventDate) AS SELECT * FROM hits(10000, 1);
CREATE TABLE hits_10m_single ENGINE = MergeTree ORDER BY (CounterID, EventDate) AS SELECT * FROM hits(1000, 2);
CREATE DATABASE test;
CREATE TABLE test.hits ENGINE = MergeTree ORDER BY CounterID AS SELECT *, toFixedString(substring(MD5(toString(ClientIP)), 1, 16), 16) AS ClientIP6, toFixedString(substring(MD5(toString(RemoteIP)), 1, 16), 16) AS RemoteIP6, domain(URL) AS URLDomain FROM hits(1000, 3);
CREATE TABLE table_JSON (SearchPhrase String, ClientIP6 FixedString(16), URL String, Referer String, URLDomain String) ENGINE = Null;
CREATE TABLE table_JSONCompact (SearchPhrase String, ClientIP6 FixedString(16), URL String, Referer String, URLDomain String) ENGINE = Null;
CREATE TABLE table_XML (SearchPhrase String, ClientIP6 FixedString(16), URL String, Referer String, URLDomain String) ENGINE = Null;
CREATE TABLE wide_JSON ENGINE = Null AS SELECT * FROM test.hits LIMIT 0;
CREATE TABLE wide_JSONCompact ENGINE = Null AS SELECT * FROM test.hits LIMIT 0;
CREATE TABLE wide_XML ENGINE = Null AS SELECT * FROM test.hits LIMIT 0;
CREATE TABLE table_CSVWithNames ENGINE = Memory AS SELECT WatchID FROM hits(100, 1);
CREATE TABLE numeric_strings ENGINE = Memory AS SELECT toString(number) AS num FROM numbers(1000);
CREATE TABLE t ENGINE = Memory AS SELECT toInt32(number) AS x FROM numbers(1000);
CREATE TABLE test_parallel_index ENGINE = MergeTree ORDER BY x AS SELECT number AS x, number AS y, number AS z FROM numbers(10000);

SELECT count() FROM hits_100m_single WHERE NOT ignore(format('{}{}', MobilePhoneModel, SearchPhrase));
SELECT count() FROM zeros(100000) WHERE NOT ignore(rand() % 2 ? toFixedString('hello', 5) : toFixedString('world', 5));
SELECT count() FROM hits_100m_single WHERE NOT ignore(format('{}Hello', MobilePhoneModel));
SELECT SearchPhrase FROM hits_100m_single ORDER BY SearchPhrase LIMIT 300 FORMAT Null;
SELECT MobilePhoneModel FROM hits_100m_single ORDER BY MobilePhoneModel LIMIT 2000 FORMAT Null;
SELECT MobilePhoneModel FROM hits_100m_single ORDER BY MobilePhoneModel, CounterID LIMIT 5000 FORMAT Null;
SELECT count() FROM hits_100m_single WHERE NOT ignore(format('{}{}{}', URL, SearchPhrase, MobilePhoneModel));
SELECT PageCharset, PageCharset FROM hits_100m_single ORDER BY PageCharset, PageCharset LIMIT 10 FORMAT Null;
SELECT count() FROM zeros(100000) WHERE NOT ignore(rand() % 2 ? '' : toFixedString('world', 5));
SELECT PageCharset FROM hits_100m_single ORDER BY PageCharset, CounterID LIMIT 2000 FORMAT Null;
SELECT * FROM bench GROUP BY key SETTINGS optimize_aggregation_in_order = 1, max_threads = 16 FORMAT Null; -- { serverError UNKNOWN_TABLE }
SELECT count() FROM hits_100m_single WHERE NOT ignore(format('{}{}{}', URL, URL, URL));
SELECT count() FROM hits_100m_single WHERE NOT ignore(concat(MobilePhoneModel, SearchPhrase));
SELECT count() FROM zeros(10000) WHERE NOT ignore(rand() % 2 ? 'hello' : '');
SELECT Title, SearchPhrase FROM hits_100m_single ORDER BY Title, SearchPhrase LIMIT 10 FORMAT Null;
SELECT DISTINCT * FROM (SELECT DISTINCT CounterID, EventDate FROM hits_10m_single) FORMAT Null;
WITH number % 524289 AS k, toUInt64(k) AS k1, k1 + 1 AS k2 SELECT k1, k2, count() FROM numbers(5000) GROUP BY k1, k2 FORMAT Null;
WITH number % 524289 AS k, toUInt64(k) AS k1, k1 + 1 AS k2 SELECT k1, k2, count() FROM numbers(10000) GROUP BY k1, k2 FORMAT Null;
WITH toUInt8(number) AS k, toUInt64(k) AS k1, k AS k2 SELECT k1, k2, count() FROM numbers(100000) GROUP BY k1, k2 FORMAT Null;
SELECT sum(s) FROM collapsing_final_16p_int_keys_md FINAL GROUP BY key1 % 8192 LIMIT 10; -- { serverError NOT_IMPLEMENTED }
SELECT sum(MobilePhoneModel IN (SELECT MobilePhoneModel FROM hits_100m_single WHERE MobilePhoneModel != '')) FROM hits_100m_single;
SELECT count() FROM numbers(100000) WHERE NOT ignore([[], []][number % 2 + 2]);
SELECT UserID FROM merge(default, '^(hits_100m_single|merge_table_streams_\\d)$') WHERE UserID = 12345678901234567890;
SELECT WatchID FROM table_CSVWithNames FORMAT Null;
SELECT count() FROM hits_100m_single WHERE EventDate BETWEEN toDate('2013-07-10') AND toDate('2013-07-16') AND UserID = 123 SETTINGS max_threads = 1, min_bytes_to_use_direct_io = 0, max_read_buffer_size = 10485760;
WITH toUInt8(number) AS k, toUInt64(k) AS k1, k1 + 1 AS k2 SELECT k1, k2, count() FROM numbers(100000) GROUP BY k1, k2 FORMAT Null;
SELECT count() FROM (SELECT [number] a, [number * 2] b FROM numbers(10000)) AS t ARRAY JOIN a, b WHERE NOT ignore(a + b) SETTINGS enable_unaligned_array_join = 1;
SELECT sum(s) FROM collapsing_final_16p_rnd FINAL GROUP BY key1 % 8192 LIMIT 10; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM collapsing_final_16p_rnd FINAL; -- { serverError NOT_IMPLEMENTED }
SELECT sum(s) FROM collapsing_final_16p_str_keys_rnd FINAL GROUP BY key1 LIMIT 10; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM (SELECT [number] a, [number * 2] b FROM numbers(10000)) AS t LEFT ARRAY JOIN a, b WHERE NOT ignore(a + b) SETTINGS enable_unaligned_array_join = 1;
SELECT count() FROM (SELECT [number] a, [number * 2, number] b FROM numbers(10000)) AS t LEFT ARRAY JOIN a, b WHERE NOT ignore(a + b) SETTINGS enable_unaligned_array_join = 1;
SELECT count() FROM zeros(10000) WHERE NOT ignore(rand() % 2 ? [1, 2, 3] : materialize([400, 500]));
WITH '' AS plaintext, repeat('k', 32) AS key32, substring(key32, 1, 24) AS key24, substring(key32, 1, 16) AS key16, repeat('iv', 8) AS iv16, substring(iv16, 1, 12) AS iv12 SELECT count() FROM numbers(2000) WHERE NOT ignore(encrypt('aes-192-gcm', materialize(plaintext), key24, iv12, 'aadaadaadaada'));
INSERT INTO table_XML SELECT SearchPhrase, ClientIP6, URL, Referer, URLDomain FROM test.hits LIMIT 100;
INSERT INTO table_JSON SELECT SearchPhrase, ClientIP6, URL, Referer, URLDomain FROM test.hits LIMIT 100;
INSERT INTO table_JSONCompact SELECT SearchPhrase, ClientIP6, URL, Referer, URLDomain FROM test.hits LIMIT 100;
SELECT arrayReduceInRanges('count', arrayZip(range(1000), range(1000)), range(10000))[123];
SELECT count() FROM hits_100m_single WHERE MobilePhoneModel < 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz';
SELECT count() FROM hits_100m_single WHERE MobilePhoneModel < 'model' SETTINGS max_threads = 1;
SELECT count() FROM hits_100m_single WHERE notEmpty(MobilePhoneModel) AND MobilePhoneModel < '' SETTINGS max_threads = 1;
SELECT arrayReduceInRanges('count', [(1, 100000)], range(100000));
SELECT MobilePhoneModel AS col FROM hits_100m_single ORDER BY col LIMIT 2000, 1;
SELECT sum(y) FROM test_parallel_index WHERE toStartOfDay(toStartOfDay(toDateTime(x))) = toDateTime('1970-01-01 00:00:00', 'UTC');
SELECT SearchPhrase AS col FROM hits_100m_single ORDER BY col LIMIT 1000, 1;
SELECT count() FROM hits_100m_single WHERE SearchPhrase < 'поисковая фраза' SETTINGS max_threads = 2;
SELECT count() FROM hits_100m_single WHERE PageCharset < '' SETTINGS max_threads = 2;
SELECT toFloat32(x) y, toDecimal32(y, 1), toDecimal64(y, 5), toDecimal128(y, 6) FROM t FORMAT Null;
SELECT PageCharset AS col FROM hits_100m_single ORDER BY col LIMIT 1000, 1;
SELECT * FROM optimized_select_final FINAL WHERE s = 'string' FORMAT Null; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM zeros(10000) WHERE NOT ignore(rand() % 2 ? materialize(['Hello', 'World']) : ['a', 'b', 'c']);
SELECT sum(x) FROM test_parallel_index WHERE toStartOfDay(toStartOfDay(toDateTime(x))) = toDateTime('1970-01-01 00:00:00', 'UTC');
SELECT COUNT() FROM join_dictionary_source_table JOIN join_hashed_dictionary ON join_dictionary_source_table.key = toUInt64(join_hashed_dictionary.key); -- { serverError UNKNOWN_TABLE }
SELECT sum(z) FROM test_parallel_index WHERE z = 2 OR z = 7 OR z = 13 OR z = 17 OR z = 19 OR z = 23;
SELECT count() FROM test.hits WHERE ClientIP6 < RemoteIP6;
SELECT count() FROM zeros(10000) WHERE NOT ignore(rand() % 2 ? ['Hello', 'World'] : ['a', 'b', 'c']);
SELECT sum(number) FROM remote('127.0.0.{1,2}', numbers_mt(1000)) GROUP BY bitAnd(number, 1); -- { serverError UNKNOWN_FUNCTION }
INSERT INTO wide_JSON SELECT * FROM test.hits LIMIT 100;
INSERT INTO wide_XML SELECT * FROM test.hits LIMIT 10;
SELECT any(OpenstatAdID) FROM hits_100m_single WHERE OpenstatAdID != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT min(OpenstatAdID) FROM hits_100m_single WHERE OpenstatAdID != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT max(OpenstatSourceID) FROM hits_100m_single WHERE OpenstatSourceID != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT dictGetFloat32('default.dict_ip_trie', 'val', tuple(randomFixedString(16))) FROM numbers(500) FORMAT Null; -- { serverError UNKNOWN_FUNCTION }
SELECT min(OpenstatServiceName) FROM hits_100m_single WHERE OpenstatServiceName != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT min(SocialSourcePage) FROM hits_100m_single WHERE SocialSourcePage != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT any(Params) FROM hits_100m_single WHERE Params != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT any(UTMMedium) FROM hits_100m_single WHERE UTMMedium != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT max(UTMTerm) FROM hits_100m_single WHERE UTMTerm != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT sum(x), sum(y) FROM (SELECT sipHash64(number) AS x, bitAnd(number, 1023) AS y FROM numbers_mt(20000)) WHERE y = 0 SETTINGS enable_optimize_predicate_expression = 0;
INSERT INTO wide_JSONCompact SELECT * FROM test.hits LIMIT 100;
SELECT sum(x), sum(y) FROM (SELECT sipHash64(number) AS x, bitAnd(number, 1023) AS y FROM numbers_mt(20000) LIMIT 200000) WHERE y = 0;
SELECT count() FROM hits_10m_single WHERE base64Decode(base64Encode(MobilePhoneModel)) != MobilePhoneModel;
SELECT x, sum(y) FROM (SELECT DISTINCT number % 12 AS x, number % 12321 AS y FROM numbers(10000)) GROUP BY x;
SELECT count(num::Int64) FROM numeric_strings FORMAT Null;
SELECT anyHeavy(SearchPhrase) FROM hits_100m_single WHERE SearchPhrase != '' GROUP BY intHash32(UserID) % 1000000 FORMAT Null;
SELECT SearchEngineID, ClientIP, count() AS c, sum(IsRefresh), avg(ResolutionWidth) FROM hits_100m_single WHERE SearchPhrase != '' GROUP BY SearchEngineID, ClientIP ORDER BY c DESC LIMIT 10;
SELECT intHash64(number) AS n FROM numbers_mt(200000) ORDER BY n LIMIT 1500 FORMAT Null;
