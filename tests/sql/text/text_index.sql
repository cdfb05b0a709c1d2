-- Full-text search with an index: every condition finds the same rows with the index and without it.
DROP TABLE IF EXISTS docs;
DROP TABLE IF EXISTS plain;
CREATE TABLE docs (id UInt32, s String, n Nullable(String), l LowCardinality(String), f FixedString(12), a Array(String), m Map(String, String),
    INDEX s_words s TYPE text(tokenizer = splitByNonAlpha),
    INDEX n_grams n TYPE text(tokenizer = ngrams(3)),
    INDEX l_whole l TYPE text(tokenizer = 'array'),
    INDEX f_words f TYPE text(tokenizer = splitByNonAlpha),
    INDEX a_whole a TYPE text(tokenizer = array),
    INDEX m_keys mapKeys(m) TYPE text(tokenizer = array),
    INDEX m_values mapValues(m) TYPE text(tokenizer = splitByNonAlpha))
ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 16;
INSERT INTO docs SELECT number, concat('word', toString(number % 7), ' and item-', toString(number % 31), if(number % 50 = 3, ' needle in hay', '')),
    if(number % 5 = 0, NULL, concat('text', toString(number % 11))), concat('kind ', toString(number % 3)), concat('f ', toString(number % 13)),
    arrayMap(i -> concat('tag ', toString((number + i) % 9)), range(number % 4)), map(concat('k', toString(number % 4)), concat('value ', toString(number % 6))) FROM numbers(300);
INSERT INTO docs VALUES (1000, '', NULL, '', '', [], map()), (1001, 'Größe 12µm — Ünïcode', 'Größe', 'Größe', 'ü', ['ä', '', 'ö'], map('ü', 'ß', '', '')),
    (1002, 'a%b_c\\d', 'a%b_c', 'a%b', 'a%b', ['a%b'], map('a%b', 'a_b'));
CREATE TABLE plain ENGINE = Memory AS SELECT * FROM docs;
SELECT 'words';
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle');
SELECT count(), sum(id) FROM plain WHERE hasToken(s, 'needle');
SELECT count(), sum(id) FROM docs WHERE hasAnyTokens(s, 'word3 needle');
SELECT count(), sum(id) FROM plain WHERE hasAnyTokens(s, 'word3 needle');
SELECT count(), sum(id) FROM docs WHERE hasAllTokens(s, 'hay word3');
SELECT count(), sum(id) FROM plain WHERE hasAllTokens(s, 'hay word3');
SELECT count(), sum(id) FROM docs WHERE hasPhrase(s, 'needle in');
SELECT count(), sum(id) FROM plain WHERE hasPhrase(s, 'needle in');
SELECT count(), sum(id) FROM docs WHERE hasPhrase(s, 'in needle');
SELECT count(), sum(id) FROM docs WHERE s LIKE '%in hay%';
SELECT count(), sum(id) FROM docs WHERE s LIKE '% item-3' OR s LIKE '%a\\%b%';
SELECT count(), sum(id) FROM docs WHERE startsWith(s, 'word5 and item-7');
SELECT count(), sum(id) FROM docs WHERE endsWith(s, ' in hay');
SELECT count(), sum(id) FROM docs WHERE s = 'word1 and item-1';
SELECT count(), sum(id) FROM docs WHERE s IN ('word1 and item-1', 'word2 and item-2', '', 'none');
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'Größe') OR id = 7;
SELECT count(), sum(id) FROM docs WHERE NOT hasToken(s, 'and');
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle') AND id % 2 = 1 AND hasAnyTokens(s, ['word3', 'word4']);
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'absent');
SELECT 'grams';
SELECT count(), sum(id) FROM docs WHERE hasAllTokens(n, 'text10');
SELECT count(), sum(id) FROM docs WHERE hasAllTokens(n, 'te');
SELECT count(), sum(id) FROM docs WHERE n LIKE '%ext1%';
SELECT count(), sum(id) FROM plain WHERE n LIKE '%ext1%';
SELECT count(), sum(id) FROM docs WHERE n = 'text4';
SELECT count(), sum(id) FROM docs WHERE hasToken(n, 'text4');
SELECT count(), sum(id) FROM docs WHERE hasPhrase(n, 'ext4');
SELECT 'whole';
SELECT count(), sum(id) FROM docs WHERE l = 'kind 1';
SELECT count(), sum(id) FROM docs WHERE l IN ('kind 1', '', 'Größe');
SELECT count(), sum(id) FROM docs WHERE hasAnyTokens(l, ['kind 1', 'kind']);
SELECT 'fixed';
SELECT count(), sum(id) FROM docs WHERE f = 'f 12';
SELECT 'arrays';
SELECT count(), sum(id) FROM docs WHERE has(a, 'tag 5');
SELECT count(), sum(id) FROM plain WHERE has(a, 'tag 5');
SELECT count(), sum(id) FROM docs WHERE has(a, '');
SELECT count(), sum(id) FROM docs WHERE hasAny(a, ['tag 5', 'ö']);
SELECT count(), sum(id) FROM docs WHERE hasAll(a, ['tag 5', 'tag 6']);
SELECT count(), sum(id) FROM docs WHERE hasAllTokens(a, ['tag 5', 'tag 6']);
SELECT 'maps';
SELECT count(), sum(id) FROM docs WHERE mapContains(m, 'k2');
SELECT count(), sum(id) FROM docs WHERE mapContainsKey(m, 'ü');
SELECT count(), sum(id) FROM docs WHERE m['k2'] = 'value 0';
SELECT count(), sum(id) FROM docs WHERE m['k2'] = '';
SELECT count(), sum(id) FROM docs WHERE has(mapKeys(m), 'k3');
SELECT count(), sum(id) FROM docs WHERE hasAllTokens(mapValues(m), 'value 5');
SELECT 'settings';
SELECT count() FROM docs WHERE hasToken(s, 'needle') SETTINGS use_skip_indexes = 0;
SELECT count() FROM docs WHERE hasToken(s, 'needle') SETTINGS query_plan_direct_read_from_text_index = 0;
SELECT count() FROM docs WHERE hasToken(s, 'needle') SETTINGS ignore_data_skipping_indices = 's_words';
SELECT id, s FROM docs WHERE hasAllTokens(s, 'needle word4') ORDER BY id LIMIT 3;
SELECT 'changes';
ALTER TABLE docs UPDATE s = 'fresh needle' WHERE id IN (10, 20) SETTINGS mutations_sync = 2;
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle');
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'fresh');
ALTER TABLE docs DELETE WHERE id % 10 = 3 SETTINGS mutations_sync = 2;
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle');
SELECT count(), sum(id) FROM docs WHERE hasAnyTokens(s, 'word3 fresh');
OPTIMIZE TABLE docs FINAL;
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle');
SELECT count(), sum(id) FROM docs WHERE hasAnyTokens(s, 'word3 fresh');
SELECT count(), sum(id) FROM docs WHERE has(a, 'tag 5');
ALTER TABLE docs DROP INDEX s_words;
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle');
ALTER TABLE docs ADD INDEX s_again s TYPE text(tokenizer = ngrams(4), preprocessor = lower(s));
ALTER TABLE docs MATERIALIZE INDEX s_again SETTINGS mutations_sync = 2;
SELECT count(), sum(id) FROM docs WHERE hasToken(s, 'needle');
SELECT count(), sum(id) FROM docs WHERE hasAllTokens(s, 'NEEDLE');
SELECT count(), sum(id) FROM docs WHERE s LIKE '%fresh%';
SELECT name, type, type_full, expr, granularity FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = 'docs' ORDER BY name;
DROP TABLE docs;
DROP TABLE plain;
