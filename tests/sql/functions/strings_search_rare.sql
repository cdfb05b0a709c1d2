-- { echoOn }
CREATE TABLE urls (id UInt32, u String) ENGINE = Memory;
INSERT INTO urls VALUES (1, 'http://example.com/path?q=1#frag'), (2, 'https://www.google.com/search?q=entasis&hl=en'), (3, ''), (4, 'ftp://host:21/file.txt'), (5, 'no url at all'), (6, 'http://example.com/'), (7, 'https://user:pw@sub.domain.co.uk:8080/a/b/c.html?x=1&y=2');
SELECT id, cutQueryString(u), cutFragment(u), cutWWW(u), cutToFirstSignificantSubdomain(u) FROM urls ORDER BY id;
SELECT id, extractURLParameter(u, 'q'), extractURLParameters(u), extractURLParameterNames(u), port(u), URLHierarchy(u) FROM urls ORDER BY id;
SELECT multiSearchAny('hello world', ['foo', 'wor']), multiSearchFirstIndex('hello world', ['foo', 'wor']), multiSearchAllPositions('hello', ['l', 'z']);
SELECT decodeURLComponent('a%20b%21'), encodeURLComponent('a b!'), decodeURLComponent('%zz');
