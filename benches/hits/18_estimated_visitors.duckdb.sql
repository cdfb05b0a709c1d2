-- compare: none, since the estimates differ by algorithm
SELECT approx_count_distinct(UserID), approx_count_distinct(ClientIP), approx_count_distinct(SearchPhrase) FROM hits
