-- { configs: default }
-- Which conditions an index understands: a query that insists on an index fails if it cannot use it.
CREATE TABLE t (k UInt32, i Int32, s String, n Nullable(Int16), lc LowCardinality(String), f FixedString(4), d Date, u UUID, arr Array(String), m Map(String, String), INDEX mm i TYPE minmax, INDEX me intDiv(i, 3) TYPE minmax GRANULARITY 2, INDEX st (i, s) TYPE set(0), INDEX sl lower(s) TYPE set(100) GRANULARITY 3, INDEX bi i TYPE bloom_filter(0.01), INDEX bs s TYPE bloom_filter, INDEX bn n TYPE bloom_filter, INDEX bl lc TYPE bloom_filter, INDEX bf f TYPE bloom_filter, INDEX bd d TYPE bloom_filter, INDEX bu u TYPE bloom_filter, INDEX ba arr TYPE bloom_filter, INDEX mk mapKeys(m) TYPE bloom_filter, INDEX mv mapValues(m) TYPE bloom_filter, INDEX ng s TYPE ngrambf_v1(3, 256, 2, 0), INDEX tk s TYPE tokenbf_v1(256, 2, 0) GRANULARITY 2) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 4;
INSERT INTO t SELECT number, number * 7 % 50, concat('Word', toString(number), ' tail ', toString(number % 5)), if(number % 3 = 0, NULL, number), concat('l', toString(number)), toString(number % 90), toDate('2020-01-01') + number, concat('61f0c404-5cb3-11e7-907b-a6006ad3db', leftPad(toString(number % 100), 2, '0')), [toString(number), concat('x', toString(number % 7))], map(concat('k', toString(number)), concat('v', toString(number % 10))) FROM numbers(100);
SELECT count() FROM t WHERE i = 14 SETTINGS force_data_skipping_indices = 'mm';
SELECT count() FROM t WHERE i > 45 AND i <= 48 SETTINGS force_data_skipping_indices = 'mm';
SELECT count() FROM t WHERE i IN (1, 2, 3) SETTINGS force_data_skipping_indices = 'mm, bi';
SELECT count() FROM t WHERE intDiv(i, 3) = 4 SETTINGS force_data_skipping_indices = 'me';
SELECT count() FROM t WHERE i = 14 AND s LIKE '%tail 2' SETTINGS force_data_skipping_indices = 'st';
SELECT count() FROM t WHERE length(s) = 12 SETTINGS force_data_skipping_indices = 'st';
SELECT count() FROM t WHERE NOT (i = 14 OR s = 'x') SETTINGS force_data_skipping_indices = 'st';
SELECT count() FROM t WHERE lower(s) = 'word7 tail 2' SETTINGS force_data_skipping_indices = 'sl';
SELECT count() FROM t WHERE i = 21 SETTINGS force_data_skipping_indices = 'bi';
SELECT count() FROM t WHERE has([21, 22], i) SETTINGS force_data_skipping_indices = 'bi';
SELECT count() FROM t WHERE i IN (SELECT 21) SETTINGS force_data_skipping_indices = 'bi';
SELECT count() FROM t WHERE s = 'Word7 tail 2' OR s IN ('Word8 tail 3', 'none') SETTINGS force_data_skipping_indices = 'bs';
SELECT count() FROM t WHERE n = 20 SETTINGS force_data_skipping_indices = 'bn';
SELECT count() FROM t WHERE lc = 'l5' SETTINGS force_data_skipping_indices = 'bl';
SELECT count() FROM t WHERE f = '12' SETTINGS force_data_skipping_indices = 'bf';
SELECT count() FROM t WHERE d = '2020-02-03' SETTINGS force_data_skipping_indices = 'bd';
SELECT count() FROM t WHERE u = '61f0c404-5cb3-11e7-907b-a6006ad3db42' SETTINGS force_data_skipping_indices = 'bu';
SELECT count() FROM t WHERE has(arr, '42') SETTINGS force_data_skipping_indices = 'ba';
SELECT count() FROM t WHERE hasAny(arr, ['42', '43', 'none']) SETTINGS force_data_skipping_indices = 'ba';
SELECT count() FROM t WHERE hasAll(arr, ['42', 'x0']) SETTINGS force_data_skipping_indices = 'ba';
SELECT count() FROM t WHERE m['k42'] = 'v2' SETTINGS force_data_skipping_indices = 'mk, mv';
SELECT count() FROM t WHERE mapContains(m, 'k42') SETTINGS force_data_skipping_indices = 'mk';
SELECT count() FROM t WHERE has(mapKeys(m), 'k42') SETTINGS force_data_skipping_indices = 'mk';
SELECT count() FROM t WHERE has(mapValues(m), 'v2') SETTINGS force_data_skipping_indices = 'mv';
SELECT count() FROM t WHERE s LIKE '%rd42%' SETTINGS force_data_skipping_indices = 'ng';
SELECT count() FROM t WHERE startsWith(s, 'Word42') SETTINGS force_data_skipping_indices = 'ng';
SELECT count() FROM t WHERE endsWith(s, 'ail 2') SETTINGS force_data_skipping_indices = 'ng';
SELECT count() FROM t WHERE s = 'Word42 tail 2' SETTINGS force_data_skipping_indices = 'ng, tk';
SELECT count() FROM t WHERE hasToken(s, 'Word42') SETTINGS force_data_skipping_indices = 'tk';
SELECT count() FROM t WHERE s LIKE 'Word42 %' SETTINGS force_data_skipping_indices = 'tk';
-- What no index of the list can use.
SELECT count() FROM t WHERE k = 3 SETTINGS force_data_skipping_indices = 'mm'; -- { serverError INDEX_NOT_USED }
SELECT count() FROM t WHERE i = 3 SETTINGS force_data_skipping_indices = 'nosuch'; -- { serverError INDEX_NOT_USED }
SELECT count() FROM t WHERE i = 3 SETTINGS force_data_skipping_indices = 'mm', ignore_data_skipping_indices = 'mm'; -- { serverError INDEX_NOT_USED }
SELECT count() FROM t WHERE m['k42'] = '' SETTINGS force_data_skipping_indices = 'mv'; -- { serverError INDEX_NOT_USED }
SELECT count() FROM t WHERE i = 3 SETTINGS force_data_skipping_indices = 'mm', use_skip_indexes = 0;
SELECT count() FROM t WHERE i = 3 SETTINGS ignore_data_skipping_indices = 'mm, nosuch';
