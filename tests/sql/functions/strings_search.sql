-- { echoOn }
CREATE TABLE urls (id UInt32, u String) ENGINE = Memory;
INSERT INTO urls VALUES (1, 'http://example.com/path?q=1#frag'), (2, 'https://www.google.com/search?q=entasis&hl=en'), (3, ''), (4, 'ftp://host:21/file.txt'), (5, 'no url at all'), (6, 'http://example.com/'), (7, 'https://user:pw@sub.domain.co.uk:8080/a/b/c.html?x=1&y=2');
SELECT id FROM urls WHERE u LIKE '%google%' ORDER BY id;
SELECT id FROM urls WHERE u NOT LIKE '%google%' AND u != '' ORDER BY id;
SELECT id FROM urls WHERE u LIKE 'http%' ORDER BY id;
SELECT id FROM urls WHERE u LIKE '%/' ORDER BY id;
SELECT id FROM urls WHERE u LIKE 'http://%.com/%' ORDER BY id;
SELECT id FROM urls WHERE u ILIKE '%GOOGLE%' ORDER BY id;
SELECT id FROM urls WHERE match(u, '^https?://[^/]+/$') ORDER BY id;
SELECT id FROM urls WHERE match(u, 'q=\\w+') ORDER BY id;
SELECT id, extract(u, 'q=(\\w+)') FROM urls ORDER BY id;
SELECT id, replaceRegexpOne(u, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS k FROM urls ORDER BY id;
SELECT id, domain(u), domainWithoutWWW(u), topLevelDomain(u), protocol(u) FROM urls ORDER BY id;
SELECT id, path(u), pathFull(u), queryString(u), fragment(u) FROM urls ORDER BY id;
SELECT protocol(u) AS p, count(), sum(length(u)) FROM urls GROUP BY p ORDER BY p;
SELECT countIf(u LIKE '%example%'), countIf(position(u, 'http') = 1), avg(length(u)) FROM urls;
SELECT substring(u, position(u, '//') + 2) AS s FROM urls WHERE position(u, '//') > 0 ORDER BY s;
SELECT s, s ILIKE 'HTTP%', s ILIKE '%film%HTML%', s ILIKE '%.Html', s ILIKE '_ttp%l', s ILIKE '', s ILIKE '%', s ILIKE 'X.HTML', s NOT ILIKE '%B', s ILIKE '%ж%'
FROM (SELECT arrayJoin(['http://a/Film/x.HTML', 'HTTPS://b', 'film html', 'x.html', '', 'жFILMж.html', 'Ж']) AS s) ORDER BY s;
