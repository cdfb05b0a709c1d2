-- Commands that the laboratory gives before it measures.
SYSTEM STOP MERGES;
SYSTEM START MERGES;
SYSTEM JEMALLOC PURGE;
SYSTEM FLUSH LOGS;
SELECT 'done';
