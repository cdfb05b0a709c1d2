-- A time that a sign joins to its date.
SELECT parseDateTimeBestEffort('20210101-000000', 'UTC'), parseDateTimeBestEffort('20210101-123456', 'UTC'), parseDateTimeBestEffort('20210101 123456', 'UTC');
SELECT parseDateTimeBestEffort('20210101-1234', 'UTC'), parseDateTimeBestEffort('20210101-12', 'UTC'), parseDateTimeBestEffort('20210101-0300', 'UTC');
SELECT parseDateTimeBestEffort('2021-01-01-123456', 'UTC'), parseDateTimeBestEffort('20210101+000000', 'UTC'), parseDateTimeBestEffort('20210101-123456Z', 'UTC');
SELECT parseDateTime64BestEffort('20210101-123456.789', 3, 'UTC'), parseDateTime64BestEffort('20210101 123456.789', 3, 'UTC');
SELECT parseDateTimeBestEffort('2021-01-01 12:34:56+0300', 'UTC'), parseDateTimeBestEffort('20210101T123456-0300', 'UTC');
SELECT parseDateTimeBestEffort('20210101-12:34:56'); -- { serverError CANNOT_PARSE_TEXT }
SELECT parseDateTimeBestEffort('2021010-123456'); -- { serverError CANNOT_PARSE_DATETIME }
