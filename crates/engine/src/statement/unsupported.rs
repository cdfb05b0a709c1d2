//! Statements of the dialect that are recognised but do nothing here: each says what to use
//! instead.

use entasis_base::Error;
use entasis_sql::ast::Unsupported;

const USERS: &str = "users and their rights are defined in the server's configuration file";
const COLLECTIONS: &str = "there are no named collections: write the values where they are used";
const WORKLOADS: &str =
    "there are no workloads: limit statements by settings such as max_threads and max_memory_usage";
const INDICES: &str = "use ALTER TABLE ... ADD INDEX and DROP INDEX";

/// The word after the verb, and what to use instead.
const REMEDIES: &[(&str, &str)] = &[
    ("COLLECTION", COLLECTIONS),
    ("INDEX", INDICES),
    ("MASKING", USERS),
    ("NAMED", COLLECTIONS),
    ("POLICY", USERS),
    ("PROFILE", USERS),
    ("QUOTA", USERS),
    ("RESOURCE", WORKLOADS),
    ("ROLE", USERS),
    ("ROW", USERS),
    ("SETTINGS", USERS),
    ("SPATIAL", INDICES),
    ("UNIQUE", INDICES),
    ("USER", USERS),
    ("WORKLOAD", WORKLOADS),
];

/// The error for such a statement.
#[cold]
pub(super) fn refused(statement: &Unsupported) -> Error {
    let words: Vec<&str> = statement.what.split(' ').collect();
    let remedy = match words[..] {
        ["GRANT" | "REVOKE" | "SET", ..] => Some(USERS),
        ["MOVE", ..] => Some("move rows with INSERT ... SELECT"),
        [_, object, ..] => {
            REMEDIES.iter().find(|(word, _)| *word == object).map(|(_, remedy)| *remedy)
        }
        _ => None,
    };
    let error = Error::not_implemented(format!("Statement {}", statement.what));
    match remedy {
        Some(remedy) => error.append(format!(": {remedy}")),
        None => error,
    }
}
