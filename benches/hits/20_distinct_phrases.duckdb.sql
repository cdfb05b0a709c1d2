SELECT count(DISTINCT UserID), count(DISTINCT SearchPhrase) FROM hits
