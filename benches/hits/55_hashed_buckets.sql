-- Hashes and bits of identifiers.
SELECT bitAnd(cityHash64(UserID), 15) AS bucket, count() AS views, uniq(UserID) AS visitors,
    groupBitXor(intHash64(WatchID)) AS checksum, sum(bitShiftRight(bitXor(ClientIP, RemoteIP), 24) != 0) AS proxied
FROM hits
GROUP BY bucket
ORDER BY bucket
