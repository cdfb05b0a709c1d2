-- A regular expression as a filter.
SELECT count(), min(Referer)
FROM hits
WHERE IsRefresh = 0 AND match(Referer, '[?&][a-z]+=[0-9]{4,}')
