-- { echoOn }
SELECT toDateTime('2024-03-31 02:30:00', 'Europe/Berlin'), toUnixTimestamp(toDateTime('2024-10-27 02:30:00', 'Europe/Berlin'));
SELECT timeZoneOf(toDateTime(0, 'Asia/Tokyo')), timeZoneOffset(toDateTime('2024-07-01 00:00:00', 'Europe/Berlin')), timezone() != '';
