SELECT count(*), min(EventTime), max(EventTime), min(EventDate), max(EventDate) FROM hits
