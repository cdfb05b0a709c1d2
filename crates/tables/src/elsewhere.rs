//! Table functions of the reference that are not here, and what to do instead.

use entasis_base::{Error, codes};

const COPY: &str = "copy the data into a file, and use the table function file";
const EXPORT: &str = "export the table to a file, and use the table function file";
const PARQUET: &str = "use the table function file with its Parquet files";
const SERIES: &str = "make a MergeTree table ORDER BY (tags, timestamp), and query that";
const PARTS: &str = "system.parts and system.parts_columns say what parts consist of";
const FUZZ: &str = "use generateRandom for made-up rows";

/// Names, and what to do instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("arrowFlight", EXPORT),
    ("arrowflight", EXPORT),
    ("arrowstream", "INSERT the stream with FORMAT ArrowStream, or write it to a file"),
    ("azureBlobStorage", COPY),
    ("azureBlobStorageCluster", COPY),
    ("bigquery", EXPORT),
    ("cosn", COPY),
    ("deltaLake", PARQUET),
    ("deltaLakeAzure", COPY),
    ("deltaLakeAzureCluster", COPY),
    ("deltaLakeCluster", COPY),
    ("deltaLakeLocal", PARQUET),
    ("deltaLakeS3", COPY),
    ("deltaLakeS3Cluster", COPY),
    ("eval", "write the query itself, with parameters such as {name:Type}"),
    ("executable", "write the program's output to a file, and use the table function file"),
    ("filesystem", "use the virtual columns _path, _file, _size and _time of file('*', 'RawBLOB')"),
    ("fuzzJSON", FUZZ),
    ("fuzzQuery", FUZZ),
    ("gcs", COPY),
    ("hdfs", COPY),
    ("hdfsCluster", COPY),
    ("hudi", COPY),
    ("hudiCluster", COPY),
    ("iceberg", COPY),
    ("icebergAzure", COPY),
    ("icebergAzureCluster", COPY),
    ("icebergCluster", COPY),
    ("icebergHDFS", COPY),
    ("icebergHDFSCluster", COPY),
    ("icebergLocal", PARQUET),
    ("icebergLocalCluster", PARQUET),
    ("icebergS3", COPY),
    ("icebergS3Cluster", COPY),
    ("jdbc", EXPORT),
    ("mergeTreeAnalyzeIndexes", "EXPLAIN indexes = 1 SELECT ... says what the indexes leave"),
    ("mergeTreeAnalyzeIndexesUUID", "EXPLAIN indexes = 1 SELECT ... says what the indexes leave"),
    ("mergeTreeCodecBlockCounts", PARTS),
    ("mergeTreeTextIndex", PARTS),
    ("mongodb", EXPORT),
    ("mysql", EXPORT),
    ("odbc", EXPORT),
    ("oss", COPY),
    ("paimon", COPY),
    ("paimonAzure", COPY),
    ("paimonAzureCluster", COPY),
    ("paimonCluster", COPY),
    ("paimonHDFS", COPY),
    ("paimonHDFSCluster", COPY),
    ("paimonLocal", PARQUET),
    ("paimonS3", COPY),
    ("paimonS3Cluster", COPY),
    ("postgresql", EXPORT),
    ("prometheusQuery", SERIES),
    ("prometheusQueryRange", SERIES),
    ("python", "write the rows to a file, and use the table function file"),
    ("redis", EXPORT),
    ("s3", COPY),
    ("s3Cluster", COPY),
    ("sqlite", EXPORT),
    ("timeSeriesData", SERIES),
    ("timeSeriesMetricFamilies", SERIES),
    ("timeSeriesMetrics", SERIES),
    ("timeSeriesSamples", SERIES),
    ("timeSeriesSelector", SERIES),
    ("timeSeriesTags", SERIES),
    ("ytsaurus", EXPORT),
];

/// The error for a table function that is not here.
#[cold]
pub(crate) fn missing(name: &str) -> Error {
    match ELSEWHERE.iter().find(|(known, _)| *known == name) {
        Some((_, instead)) => Error::not_implemented(format!("Table function {name} ({instead})")),
        None => Error::new(codes::UNKNOWN_FUNCTION, format!("Unknown table function {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_names_nothing_that_is_here() {
        assert!(ELSEWHERE.is_sorted());
        for (name, _) in ELSEWHERE {
            assert!(!crate::TABLE_FUNCTIONS.iter().any(|f| f.name == *name), "{name}");
        }
    }
}
