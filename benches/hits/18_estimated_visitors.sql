-- Estimated distinct counts of three keys at once.
SELECT uniq(UserID), uniq(ClientIP), uniq(SearchPhrase) FROM hits
