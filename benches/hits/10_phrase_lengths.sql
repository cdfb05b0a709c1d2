-- Bytes of search phrases in buckets of eight.
SELECT intDiv(length(SearchPhrase), 8) AS bucket, count() AS searches, max(SearchPhrase) AS last
FROM hits
WHERE SearchPhrase != ''
GROUP BY bucket
ORDER BY bucket
LIMIT 40
