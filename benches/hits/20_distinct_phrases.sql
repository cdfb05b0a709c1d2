-- Exact distinct counts without a group: a wide integer, then a string.
SELECT uniqExact(UserID), uniqExact(SearchPhrase) FROM hits
