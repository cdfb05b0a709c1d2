//! Commands of SYSTEM that have nothing to do here, or that are refused: each form that the
//! reference knows gets the answer that it gives where the thing in question does not exist.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;

use crate::Session;

/// What a command does with the names that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// There is nothing to do, whatever is named.
    Nothing,
    /// It is about a replicated table, and there are none.
    Replicated,
    /// It is about a distributed table, and there are none.
    Distributed,
    /// It is about a refreshable view, and there are none.
    Refreshable,
    /// There is nothing to do for tables of the MergeTree family; others are refused.
    MergeTree,
    /// It is about a disk, and there is one only, `default`: it is opened, and has no metadata of
    /// its own.
    Disk,
    /// It is about a point in the program at which tests let it fail.
    FailPoint,
    /// It is refused with this code and message.
    Refused(u32, &'static str),
}

use Answer::{Disk, Distributed, FailPoint, MergeTree, Nothing, Refreshable, Refused, Replicated};

/// Names of error codes for the table below.
const UNSUPPORTED: u32 = 1;
const BAD_ARGUMENTS: u32 = 36;
const NOT_IMPLEMENTED: u32 = 48;
const DISABLED: u32 = 344;

/// The commands, sorted. Nothing that is read or computed outlives its statement, so the commands
/// about caches have nothing to do.
const COMMANDS: &[(&str, Answer)] = &[
    (
        "ALLOCATE MEMORY",
        Refused(BAD_ARGUMENTS, "The command is for tests of the reference, and does nothing here"),
    ),
    ("CANCEL VIEW", Refreshable),
    ("DISABLE FAILPOINT", FailPoint),
    ("DROP CATALOG REPLICA", Nothing),
    ("DROP DATABASE REPLICA", Nothing),
    ("DROP DISK METADATA CACHE", Disk),
    ("DROP DISTRIBUTED CACHE", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    ("DROP REPLICA", Nothing),
    ("ENABLE FAILPOINT", FailPoint),
    ("FLUSH DISTRIBUTED", Distributed),
    ("FLUSH OBJECT STORAGE QUEUE", Refused(BAD_ARGUMENTS, "There are no tables with a queue")),
    (
        "FREE MEMORY",
        Refused(BAD_ARGUMENTS, "The command is for tests of the reference, and does nothing here"),
    ),
    (
        "JEMALLOC DISABLE PROFILE",
        Refused(DISABLED, "The allocator has no profiler: use SELECT with the query profiler"),
    ),
    (
        "JEMALLOC ENABLE PROFILE",
        Refused(DISABLED, "The allocator has no profiler: use SELECT with the query profiler"),
    ),
    (
        "JEMALLOC FLUSH PROFILE",
        Refused(DISABLED, "The allocator has no profiler: use SELECT with the query profiler"),
    ),
    ("LOAD PRIMARY KEY", MergeTree),
    ("NOTIFY FAILPOINT", FailPoint),
    ("PAUSE VIEW", Nothing),
    ("PREWARM MARK CACHE", MergeTree),
    (
        "PREWARM PRIMARY INDEX CACHE",
        Refused(BAD_ARGUMENTS, "There is no primary index cache: the index is read with the part"),
    ),
    ("RECONNECT ZOOKEEPER", Nothing),
    ("REFRESH VIEW", Refreshable),
    ("RELOAD ASYNCHRONOUS METRICS", Nothing),
    (
        "RELOAD CONFIG",
        Refused(
            UNSUPPORTED,
            "The configuration is read when the server starts: restart it to read it again",
        ),
    ),
    (
        "RELOAD DELTA KERNEL TRACING",
        Refused(BAD_ARGUMENTS, "Tables of Delta Lake are not supported"),
    ),
    ("RELOAD DICTIONARIES", Nothing),
    ("RELOAD EMBEDDED DICTIONARIES", Nothing),
    (
        "RELOAD FUNCTION",
        Refused(BAD_ARGUMENTS, "There is no external user defined function of this name"),
    ),
    ("RELOAD FUNCTIONS", Nothing),
    ("RELOAD USERS", Nothing),
    ("REPLICA READY", Refused(DISABLED, "There are no replicas")),
    ("REPLICA UNREADY", Refused(DISABLED, "There are no replicas")),
    ("RESET COVERAGE", Nothing),
    ("RESTART DISK", Disk),
    ("RESTART REPLICA", Replicated),
    ("RESTART REPLICAS", Nothing),
    (
        "RESTORE DATABASE REPLICA",
        Refused(BAD_ARGUMENTS, "The command is for databases with the engine Replicated only"),
    ),
    ("RESTORE REPLICA", Replicated),
    (
        "SCHEDULE MERGE",
        Refused(BAD_ARGUMENTS, "Merges are chosen by the server: use OPTIMIZE TABLE"),
    ),
    ("START CLEANUP", Nothing),
    ("START DISTRIBUTED SENDS", Nothing),
    ("START FETCHES", Nothing),
    ("START LISTEN", Refused(UNSUPPORTED, "The ports are in the server's configuration")),
    ("START MOVES", Nothing),
    ("START PULLING REPLICATION LOG", Nothing),
    ("START REDUCE BLOCKING PARTS", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    ("START REPLICATED DDL QUERIES", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    ("START REPLICATED SENDS", Nothing),
    ("START REPLICATED VIEW", Refreshable),
    ("START REPLICATION QUEUES", Nothing),
    ("START THREAD FUZZER", Nothing),
    ("START VIEW", Nothing),
    ("START VIEWS", Nothing),
    ("START VIRTUAL PARTS UPDATE", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    ("STOP CLEANUP", Nothing),
    ("STOP DISTRIBUTED SENDS", Nothing),
    ("STOP FETCHES", Nothing),
    ("STOP LISTEN", Refused(UNSUPPORTED, "The ports are in the server's configuration")),
    ("STOP MOVES", Nothing),
    ("STOP PULLING REPLICATION LOG", Nothing),
    ("STOP REDUCE BLOCKING PARTS", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    ("STOP REPLICATED DDL QUERIES", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    ("STOP REPLICATED SENDS", Nothing),
    ("STOP REPLICATED VIEW", Refreshable),
    ("STOP REPLICATION QUEUES", Nothing),
    ("STOP THREAD FUZZER", Nothing),
    ("STOP VIEW", Nothing),
    ("STOP VIEWS", Nothing),
    ("STOP VIRTUAL PARTS UPDATE", Refused(BAD_ARGUMENTS, "Unknown type of SYSTEM query")),
    (
        "SYNC DATABASE REPLICA",
        Refused(BAD_ARGUMENTS, "The command is for databases with the engine Replicated only"),
    ),
    ("SYNC FILE CACHE", Nothing),
    ("SYNC FILESYSTEM CACHE", Nothing),
    ("SYNC MERGES", Refused(BAD_ARGUMENTS, "Merges are chosen by the server: use OPTIMIZE TABLE")),
    ("SYNC REPLICA", Replicated),
    ("SYNC TRANSACTION LOG", Refused(NOT_IMPLEMENTED, "Transactions are not supported")),
    ("TEST VIEW", Refreshable),
    (
        "UNFREEZE",
        Refused(
            DISABLED,
            "Support for SYSTEM UNFREEZE query is disabled: there are no frozen parts",
        ),
    ),
    ("UNLOAD PRIMARY KEY", MergeTree),
    ("UNLOCK SNAPSHOT", Refused(BAD_ARGUMENTS, "Backups lock nothing that could be unlocked")),
    ("WAIT BLOBS CLEANUP", Disk),
    ("WAIT FAILPOINT", FailPoint),
    ("WAIT LOADING PARTS", MergeTree),
    ("WAIT VIEW", Refreshable),
];

/// The caches of the reference, for DROP and CLEAR. What may follow the name is read, too.
const CACHES: &[&str] = &[
    "AVRO SCHEMA CACHE",
    "COMPILED EXPRESSION CACHE",
    "CONNECTIONS CACHE",
    "DNS CACHE",
    "FILESYSTEM CACHE",
    "FORMAT SCHEMA CACHE",
    "ICEBERG METADATA CACHE",
    "INDEX MARK CACHE",
    "INDEX UNCOMPRESSED CACHE",
    "MARK CACHE",
    "MMAP CACHE",
    "PAGE CACHE",
    "PARQUET METADATA CACHE",
    "POINT IN POLYGON CACHE",
    "PRIMARY INDEX CACHE",
    "QUERY CACHE",
    "QUERY CONDITION CACHE",
    "S3 CLIENT CACHE",
    "SCHEMA CACHE",
    "TEXT INDEX CACHES",
    "TEXT INDEX DICTIONARY CACHE",
    "TEXT INDEX HEADER CACHE",
    "TEXT INDEX POSTINGS CACHE",
    "TEXT INDEX TOKENS CACHE",
    "UNCOMPRESSED CACHE",
    "VECTOR SIMILARITY INDEX CACHE",
];

impl Session {
    /// Answers a command that is not about anything that exists here.
    pub(super) fn other_command(&self, system: &ast::System) -> Result<()> {
        let text = &system.command;
        if let Some(rest) = text.strip_prefix("DROP ").or_else(|| text.strip_prefix("CLEAR "))
            && let Some(cache) = CACHES.iter().find(|cache| begins(rest, cache))
        {
            if *cache == "FILESYSTEM CACHE" && !system.rest.is_empty() {
                let message = format!("There is no cache by name: {}", system.rest);
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            return Ok(());
        }
        // The longest name that fits is meant: `STOP VIEWS` and not `STOP VIEW`.
        let found = COMMANDS.iter().filter(|(command, _)| begins(text, command));
        let Some((command, answer)) = found.max_by_key(|(command, _)| command.len()) else {
            let name = system.name.as_ref().map_or("", |name| name.table.as_str());
            let what = format!("SYSTEM {text} {name} {}", system.rest);
            return Err(Error::not_implemented(what.trim_end()));
        };
        self.answer_command(command, *answer, system)
    }

    fn answer_command(&self, command: &str, answer: Answer, system: &ast::System) -> Result<()> {
        let bad = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
        let named = || {
            let name = system.name.as_ref().map(|name| self.full_name(name));
            let rest = (self.database.clone(), system.rest.clone());
            name.unwrap_or(rest)
        };
        match answer {
            Nothing => Ok(()),
            Refused(code, message) => {
                Err(Error::new(code_of(code), format!("SYSTEM {command}: {message}")))
            }
            FailPoint => bad(format!("Cannot find fail point {}", named().1)),
            Disk if named().1 == "default" => match command {
                "RESTART DISK" => Ok(()),
                "WAIT BLOBS CLEANUP" => bad("Disk 'default' is not an object storage disk".into()),
                _ => Err(Error::not_implemented(format!("SYSTEM {command} of a local disk"))),
            },
            Disk => Err(Error::new(codes::UNKNOWN_DISK, format!("Unknown disk {}", named().1))),
            Refreshable => {
                let (database, table) = named();
                bad(format!("Refreshable view {database}.{table} doesn't exist"))
            }
            MergeTree if system.name.is_none() => Ok(()),
            MergeTree | Replicated | Distributed => {
                let (database, table) = named();
                let entry = self.engine.catalog.entry(&database, &table)?;
                let engine = entry.table.engine();
                match answer {
                    MergeTree if entry.features().parts => Ok(()),
                    MergeTree => bad(format!(
                        "Command {command} is supported only for MergeTree tables, but got: {engine}"
                    )),
                    Replicated => bad(format!("Table {database}.{table} is not replicated")),
                    _ => bad(format!("Table {database}.{table} is not distributed")),
                }
            }
        }
    }
}

fn code_of(number: u32) -> entasis_base::ErrorCode {
    match number {
        UNSUPPORTED => codes::UNSUPPORTED_METHOD,
        NOT_IMPLEMENTED => codes::NOT_IMPLEMENTED,
        DISABLED => codes::SUPPORT_IS_DISABLED,
        _ => codes::BAD_ARGUMENTS,
    }
}

/// Whether a text begins with the words of a command.
fn begins(text: &str, command: &str) -> bool {
    text.strip_prefix(command).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(COMMANDS.is_sorted_by_key(|(command, _)| command));
        assert!(CACHES.is_sorted());
    }

    #[test]
    fn commands_are_compared_by_words() {
        assert!(begins("STOP VIEW X", "STOP VIEW"));
        assert!(!begins("STOP VIEWS", "STOP VIEW"));
    }
}
