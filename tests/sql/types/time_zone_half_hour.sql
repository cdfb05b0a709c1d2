-- Lord Howe Island changes its clocks by half an hour: hours are counted from midnight.
SELECT toDateTime(t, 'Australia/Lord_Howe') AS d, toStartOfHour(d), toUnixTimestamp(toStartOfHour(d)), addHours(d, 1), toStartOfFifteenMinutes(d), toHour(d), toMinute(d), toDateTime(toString(d), 'Australia/Lord_Howe') = d
FROM values('t UInt32', 1712416500, 1712417400, 1712418300, 1712419200, 1712421000, 1712422800) ORDER BY t;
SELECT toDateTime(t, 'Australia/Lord_Howe') AS d, toStartOfHour(d), toUnixTimestamp(toStartOfHour(d)), addHours(d, 1), toStartOfFifteenMinutes(d), toHour(d), toMinute(d), toDateTime(toString(d), 'Australia/Lord_Howe') = d
FROM values('t UInt32', 1728140400, 1728142200, 1728144000, 1728145800, 1728147600) ORDER BY t;
SELECT toStartOfHour(toDateTime('2024-04-07 12:45:00', 'Asia/Kathmandu')), toStartOfHour(toDateTime('2024-04-07 00:15:00', 'Asia/Kolkata')), toStartOfHour(toDateTime64('2024-10-06 02:45:00', 3, 'Australia/Lord_Howe'));
SELECT toStartOfHour(toDateTime('2024-10-06 03:15:00', 'Australia/Adelaide')), toStartOfHour(toDateTime('2024-04-07 03:45:00', 'America/St_Johns'));
