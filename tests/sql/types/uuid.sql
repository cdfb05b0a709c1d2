-- 128 bits: text, order (second half first, as the reference has it), storage.
SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u, toTypeName(u), toString(u), length(toString(u));
SELECT CAST('61F0C4045CB311E7907BA6006AD3DBA0' AS UUID), '61f0c404-5cb3-11e7-907b-a6006ad3dba0'::UUID;
SELECT toUUID('x'); -- { serverError CANNOT_PARSE_UUID }
SELECT toUUID(''); -- { serverError CANNOT_PARSE_UUID }
SELECT toUUIDOrNull('x'), toUUIDOrZero('x'), toUUIDOrDefault('x', toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), toUUIDOrNull('61f0c404-5cb3-11e7-907b-a6006ad3dba0');
SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') = 'x'; -- { serverError CANNOT_PARSE_UUID }
SELECT toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')::FixedString(16); -- { serverError NOT_IMPLEMENTED }
WITH toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0') AS u SELECT u = '61f0c404-5cb3-11e7-907b-a6006ad3dba0', u IN ('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), u < toUUID('61f0c404-5cb3-11e7-a07b-a6006ad3dba0'), empty(u), notEmpty(u);
SELECT arraySort([toUUID('00000000-0000-0001-0000-000000000000'), toUUID('00000000-0000-0000-0000-000000000001'), toUUID('f0000000-0000-0000-0000-000000000000'), toUUID('00000000-0000-0000-f000-000000000000')]);
SELECT toTypeName(generateUUIDv4()), substring(toString(generateUUIDv4()), 15, 1), generateUUIDv4(1) = generateUUIDv4(2);
SELECT UUIDNumToString(UUIDStringToNum('61f0c404-5cb3-11e7-907b-a6006ad3dba0'));
SELECT toTypeName([toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), NULL]);
CREATE TABLE ids (u UUID, n Nullable(UUID), l Array(UUID), x UInt8) ENGINE = Memory;
INSERT INTO ids VALUES ('61f0c404-5cb3-11e7-907b-a6006ad3dba0', '00000000-0000-0000-0000-000000000001', ['61f0c404-5cb3-11e7-907b-a6006ad3dba0'], 1), ('00000000-0000-0001-0000-000000000000', NULL, [], 2), ('00000000-0000-0000-0000-000000000001', NULL, [], 3);
INSERT INTO ids (x) VALUES (4);
INSERT INTO ids (u) VALUES ('no'); -- { serverError CANNOT_PARSE_UUID }
SELECT * FROM ids ORDER BY u;
SELECT * FROM ids ORDER BY u DESC FORMAT JSONEachRow;
SELECT * FROM ids ORDER BY u FORMAT CSV;
SELECT u, count() FROM ids GROUP BY u ORDER BY u;
SELECT n, count() FROM ids GROUP BY n ORDER BY n;
SELECT x FROM ids WHERE u = '61f0c404-5cb3-11e7-907b-a6006ad3dba0';
SELECT x FROM ids WHERE u IN ('61f0c404-5cb3-11e7-907b-a6006ad3dba0', '00000000-0000-0000-0000-000000000001') ORDER BY x;
SELECT x FROM ids WHERE u > '00000000-0000-0000-0000-000000000001' ORDER BY x;
SELECT min(u), max(u), any(n), uniqExact(u), argMin(x, u), argMax(x, u) FROM ids;
SELECT DISTINCT n FROM ids ORDER BY n;
SELECT a.x, b.x FROM ids AS a INNER JOIN ids AS b ON a.u = b.n ORDER BY a.x;
DROP TABLE ids;
CREATE TABLE sorted_ids (u UUID, x UInt16) ENGINE = MergeTree ORDER BY u SETTINGS index_granularity = 8;
INSERT INTO sorted_ids SELECT toUUID(concat('00000000-0000-', leftPad(toString(number % 10), 4, '0'), '-0000-', leftPad(toString(number), 12, '0'))), number FROM numbers(100);
SELECT count(), sum(x) FROM sorted_ids WHERE u >= '00000000-0000-0000-0000-000000000050';
SELECT x FROM sorted_ids WHERE u = '00000000-0000-0007-0000-000000000017';
SELECT u FROM sorted_ids ORDER BY u LIMIT 2;
DROP TABLE sorted_ids;
