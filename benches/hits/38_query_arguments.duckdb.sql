SELECT
    len(list_filter(string_split(Referer, '&'), lambda x: contains(x, '='))) AS arguments,
    count(*) AS views,
    max(list_sum(list_transform(string_split(Referer, '&'), lambda x: strlen(x)))) AS bytes
FROM hits
WHERE EventDate BETWEEN '2013-07-20' AND '2013-07-23' AND Referer != ''
GROUP BY arguments
ORDER BY arguments
LIMIT 30
