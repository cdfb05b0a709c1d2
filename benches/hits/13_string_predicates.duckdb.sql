SELECT
    count(*) FILTER (starts_with(Referer, 'https://')) AS secure,
    count(*) FILTER (ends_with(URL, '.html')) AS pages,
    count(*) FILTER (contains(URL, '?')) AS with_query,
    count(*) FILTER (Referer LIKE 'http://%/%/%') AS deep,
    count(*) FILTER (Referer = '') AS direct,
    count(*) FILTER (Title != '' AND Title = Referer) AS odd
FROM hits
WHERE EventDate >= '2013-07-16'
