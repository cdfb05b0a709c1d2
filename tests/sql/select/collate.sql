-- COLLATE: texts in the order of a language.
SELECT s FROM (SELECT arrayJoin(['pear', 'Apple', 'apple', 'Pear', 'äpple', 'zoo', 'éclair', 'Éclair', 'eclair']) AS s) ORDER BY s COLLATE 'de';
SELECT s FROM (SELECT arrayJoin(['pear', 'Apple', 'apple', 'äpple', 'zoo', 'ärger']) AS s) ORDER BY s COLLATE 'sv';
SELECT s FROM (SELECT arrayJoin(['pear', 'Apple', 'apple', NULL, 'zoo']) AS s) ORDER BY s COLLATE 'en' DESC NULLS FIRST; -- { serverError SYNTAX_ERROR }
SELECT s FROM (SELECT arrayJoin(['pear', 'Apple', 'apple', NULL, 'zoo']) AS s) ORDER BY s COLLATE 'en' NULLS LAST; -- { serverError SYNTAX_ERROR }
SELECT s FROM (SELECT toLowCardinality(arrayJoin(['pear', 'Apple', 'apple', 'Pear'])) AS s) ORDER BY s COLLATE 'en';
SELECT s FROM (SELECT toLowCardinality(toNullable(arrayJoin(['pear', 'Apple', NULL, 'Pear']))) AS s) ORDER BY s COLLATE 'en';
SELECT s FROM (SELECT arrayJoin([['b', 'A'], ['a'], ['B', 'a'], ['a', 'Z'], []]) AS s) ORDER BY s COLLATE 'en';
SELECT s FROM (SELECT arrayJoin([('b', 1), ('A', 3), ('a', 2), ('A', 1)]) AS s) ORDER BY s COLLATE 'en';
SELECT s FROM (SELECT arrayJoin([[['b'], ['A']], [['a']]]) AS s) ORDER BY s COLLATE 'en';
-- Locales and their keywords.
SELECT s FROM (SELECT arrayJoin(['ch', 'c', 'd', 'h', 'i']) AS s) ORDER BY s COLLATE 'cs';
SELECT s FROM (SELECT arrayJoin(['aa', 'z', 'a', 'å']) AS s) ORDER BY s COLLATE 'da';
SELECT s FROM (SELECT arrayJoin(['ı', 'i', 'I', 'İ', 'h', 'j']) AS s) ORDER BY s COLLATE 'tr';
SELECT s FROM (SELECT arrayJoin(['ё', 'е', 'Ж', 'ж', 'я', 'А', 'а', 'b']) AS s) ORDER BY s COLLATE 'ru';
SELECT s FROM (SELECT arrayJoin(['中', '文', '一']) AS s) ORDER BY s COLLATE 'zh';
SELECT s FROM (SELECT arrayJoin(['中', '文', '一']) AS s) ORDER BY s COLLATE 'zh@collation=stroke';
SELECT s FROM (SELECT arrayJoin(['Öl', 'Ol', 'oz', 'öz']) AS s) ORDER BY s COLLATE 'de@collation=phonebook';
SELECT s FROM (SELECT arrayJoin(['ñ', 'n', 'o', 'll', 'lz', 'ch', 'cz']) AS s) ORDER BY s COLLATE 'es@collation=traditional';
SELECT s FROM (SELECT arrayJoin(['côte', 'cote', 'coté', 'côté']) AS s) ORDER BY s COLLATE 'fr_CA';
SELECT s FROM (SELECT arrayJoin(['côte', 'cote', 'coté', 'côté']) AS s) ORDER BY s COLLATE 'FR';
SELECT s FROM (SELECT arrayJoin(['a10', 'a9', 'a-2', 'A1']) AS s) ORDER BY s COLLATE 'en@colNumeric=yes';
SELECT s FROM (SELECT arrayJoin(['a', 'A', 'b', 'B']) AS s) ORDER BY s COLLATE 'en@colCaseFirst=upper';
SELECT s FROM (SELECT arrayJoin(['a', 'A', 'b', 'B', '_']) AS s) ORDER BY s COLLATE 'en_US_POSIX';
SELECT s FROM (SELECT arrayJoin(['b 1', 'b1', 'a-2', 'a2', 'a 2', '_', '-', '1', 'Z']) AS s) ORDER BY s COLLATE 'en_us';
-- Other clauses.
SELECT s, row_number() OVER (ORDER BY s COLLATE 'de') FROM (SELECT arrayJoin(['b', 'A', 'a', 'B', 'ä']) AS s) ORDER BY s;
SELECT s FROM (SELECT arrayJoin(['b', 'A', 'a', 'B', 'ä']) AS s) ORDER BY s COLLATE 'de' LIMIT 1, 2;
SELECT s FROM (SELECT arrayJoin(['b', 'A', 'a', 'B', 'a']) AS s) ORDER BY s COLLATE 'de' LIMIT 1 WITH TIES;
SELECT s, count() FROM (SELECT arrayJoin(['b', 'A', 'a', 'B', 'a']) AS s) GROUP BY s WITH TOTALS ORDER BY s COLLATE 'en';
SELECT DISTINCT s FROM (SELECT arrayJoin(['b', 'A', 'a', 'B', 'a']) AS s) ORDER BY s COLLATE 'en';
SELECT s, n FROM (SELECT arrayJoin([('b', 1), ('A', 1), ('a', 2), ('B', 2)]) AS t, t.1 AS s, t.2 AS n) ORDER BY n DESC, s COLLATE 'en';
SELECT s FROM (SELECT arrayJoin(['b', 'A', 'a']) AS s) ORDER BY 1 COLLATE 'en';
SELECT number FROM numbers(3) ORDER BY toString(number) COLLATE 'en' DESC; -- { serverError SYNTAX_ERROR }
CREATE TABLE collated (s String, n UInt8) ENGINE = Memory;
INSERT INTO collated VALUES ('b', 1), ('A', 2), ('a', 3), ('B', 4), ('ä', 5);
SELECT groupArray(n) FROM (SELECT n FROM collated ORDER BY s COLLATE 'de');
SELECT n FROM collated WHERE n > 1 ORDER BY s COLLATE 'sv' DESC; -- { serverError SYNTAX_ERROR }
DROP TABLE collated;
-- Errors.
SELECT 'a' AS s ORDER BY s COLLATE 'xx'; -- { serverError UNSUPPORTED_COLLATION_LOCALE }
SELECT 'a' AS s ORDER BY s COLLATE ''; -- { serverError UNSUPPORTED_COLLATION_LOCALE }
SELECT 'a' AS s ORDER BY s COLLATE 'de-DE'; -- { serverError UNSUPPORTED_COLLATION_LOCALE }
SELECT s FROM (SELECT arrayJoin([1, 2]) AS s) ORDER BY s COLLATE 'en'; -- { serverError BAD_COLLATION }
SELECT s FROM (SELECT arrayJoin([[1], [2]]) AS s) ORDER BY s COLLATE 'en'; -- { serverError BAD_COLLATION }
SELECT s FROM (SELECT materialize(toFixedString('a', 2)) AS s) ORDER BY s COLLATE 'en'; -- { serverError BAD_COLLATION }
SELECT count() > 100 FROM system.collations;
SELECT name, language FROM system.collations WHERE name IN ('de', 'en', 'en_US', 'sv', 'zh') ORDER BY name;
