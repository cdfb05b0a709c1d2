-- { echoOn }
SELECT 'tab\there', 'new\nline', 'back\\slash', 'quote\'s', 'cr\r', 'nul\0byte', '\b\f', '"dq"';
SELECT ['tab\t', 'q\'uote', 'back\\'], ('a\tb', 'c\nd'), [['x\ty']];
SELECT NULL, '', ' ', [NULL], (NULL, NULL), ['NULL'];
SELECT 1.0, 1e300, nan, inf, -inf, toFloat32(1.5), -0.0;
SELECT toDate('2024-01-01'), toDateTime('2024-01-01 00:00:00', 'UTC'), [toDate('2024-01-01')], (toDateTime('2024-01-01 00:00:00', 'UTC'), 1);
SELECT true, [true, false], (true, 'true'), toFixedString('a', 3), [toFixedString('a', 2)];
SELECT 1 AS a, 'x' AS b FORMAT TabSeparatedWithNames;
SELECT 1 AS a, 'x' AS b, [1] AS c FORMAT TSVWithNamesAndTypes;
SELECT 'a\tb\n' AS a FORMAT TabSeparatedRaw;
SELECT 1 AS a, NULL AS b FORMAT TSV;
SELECT number FROM numbers(3) ORDER BY number FORMAT TabSeparated;
SELECT number FROM numbers(0) FORMAT TabSeparatedWithNames;
SELECT 1 AS `tab\tname`, 2 AS `x y` FORMAT TabSeparatedWithNames;
SELECT 1 FORMAT Null;
SELECT unhex('FF00C328'), length(unhex('FF00C328'));
SELECT ['a', NULL], [[], [1]], [('a', 1)], tuple('x'), [tuple(1)];
SELECT 'ünïcödé ☃', lower('ÄB'), '\x01\x7f';
