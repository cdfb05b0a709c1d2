-- The statements of docs/text-search.md.
CREATE TABLE notes
(
    id UInt32,
    body String,
    tags Array(String),
    INDEX body_words body TYPE text(tokenizer = splitByNonAlpha, preprocessor = lower(body)),
    INDEX tag_names tags TYPE text(tokenizer = array)
)
ENGINE = MergeTree ORDER BY id;
INSERT INTO notes VALUES (1, 'The quick brown fox', ['animals']), (2, 'A brown, quick-witted bear', ['animals', 'jokes']), (3, 'Quick notes on foxes', []);
SELECT id FROM notes WHERE hasToken(body, 'quick') ORDER BY id;
SELECT id FROM notes WHERE hasAllTokens(body, 'Brown QUICK') ORDER BY id;
SELECT id FROM notes WHERE hasAnyTokens(body, 'fox foxes') ORDER BY id;
SELECT id FROM notes WHERE hasPhrase(body, 'quick brown') ORDER BY id;
SELECT id FROM notes WHERE has(tags, 'jokes') ORDER BY id;
SELECT id, highlight(body, ['quick', 'fox']) FROM notes WHERE hasAllTokens(body, 'quick') ORDER BY id;
SELECT tokens('A brown, quick-witted bear'), tokens('bear', 'ngrams', 3);
DROP TABLE notes;
