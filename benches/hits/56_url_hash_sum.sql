-- A hash over long strings, and one over two columns.
SELECT sum(cityHash64(URL)), max(cityHash64(SearchPhrase, UserID)) FROM hits
