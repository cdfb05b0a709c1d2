-- Prefix, suffix, position and wildcard conditions counted side by side.
SELECT
    countIf(startsWith(Referer, 'https://')) AS secure,
    countIf(endsWith(URL, '.html')) AS pages,
    countIf(position(URL, '?') > 0) AS with_query,
    countIf(Referer LIKE 'http://%/%/%') AS deep,
    countIf(empty(Referer)) AS direct,
    countIf(notEmpty(Title) AND Title = Referer) AS odd
FROM hits
WHERE EventDate >= '2013-07-16'
