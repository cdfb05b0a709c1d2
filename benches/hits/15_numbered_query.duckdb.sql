SELECT count(*), min(Referer)
FROM hits
WHERE IsRefresh = 0 AND regexp_matches(Referer, '[?&][a-z]+=[0-9]{4,}')
