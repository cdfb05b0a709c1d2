//! Engines of the reference that reach other systems, or that are not implemented yet, and what to
//! do instead.

/// What to do instead of using an engine of the reference; `None` if there is no such engine.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "Kafka" | "RabbitMQ" | "NATS" | "Redis" | "MongoDB" | "S3Queue" | "AzureQueue" => {
            "read the messages with a client of that system and INSERT them over HTTP"
        }
        "MySQL"
        | "PostgreSQL"
        | "MaterializedPostgreSQL"
        | "SQLite"
        | "ODBC"
        | "JDBC"
        | "ExternalDistributed"
        | "BigQuery"
        | "YTsaurus" => {
            "export the table as CSV or Parquet, and read it with file() or INSERT ... FROM INFILE"
        }
        "S3" | "COSN" | "OSS" | "GCS" | "HDFS" | "AzureBlobStorage" => {
            "copy the files into the folder of user files and read them with file()"
        }
        "Iceberg" | "IcebergS3" | "IcebergAzure" | "IcebergHDFS" | "IcebergLocal" | "DeltaLake"
        | "DeltaLakeS3" | "DeltaLakeAzure" | "DeltaLakeLocal" | "Hudi" | "Hive" | "Paimon"
        | "PaimonAzure" | "PaimonHDFS" | "PaimonLocal" | "PaimonS3" => {
            "read the Parquet files of the table with file()"
        }
        "FileLog" => "read the files with file(), which also takes patterns",
        "ArrowFlight" => "fetch the rows with a client, and INSERT them FORMAT Arrow",
        "TimeSeries" => "make a MergeTree table ORDER BY (tags, timestamp)",
        "Executable" | "ExecutablePool" => {
            "run the program outside, and INSERT its output over HTTP or from INFILE"
        }
        "FuzzJSON" | "FuzzQuery" => "use GenerateRandom for made-up rows",
        "ArrowStream" => "INSERT the stream with FORMAT ArrowStream",
        "QueryRunner" => "run the queries with a client",
        "Python" => "write the rows to a file and read it with file()",
        "WindowView" | "LiveView" => "use a materialized view",
        _ => return None,
    })
}
