-- A hash over long strings.
SELECT sum(cityHash64(URL)), max(cityHash64(Title, Referer)) FROM hits
