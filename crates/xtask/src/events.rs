//! Profile events: every event in the table is counted somewhere in the product, outside of tests.

use std::collections::BTreeMap;

use crate::Problem;
use crate::source::{Source, word};

/// Where the events are listed.
const TABLE: &str = "crates/base/src/events/table.rs";

/// Finds events that nothing counts. `product` are the sources outside of tests.
pub fn check(product: &BTreeMap<&String, &Source>) -> Vec<Problem> {
    let Some(table) = product.iter().find(|(path, _)| *path == &TABLE).map(|(_, s)| s) else {
        return Vec::new();
    };
    let uses = |name: &str| {
        product.iter().filter(|(path, _)| **path != TABLE).any(|(_, source)| {
            // After `use Event::*` inside a function, the name stands alone.
            let imported = source.code.iter().any(|line| line.contains("use Event::*"));
            source.code.iter().zip(&source.test).any(|(line, test)| {
                !test && (line.contains("Event::") || imported) && word(line, name).is_some()
            })
        })
    };
    let named = table.code.iter().enumerate().filter_map(|(at, line)| {
        let name = line.trim_start().split_once(", ")?.0;
        let is_row = line.trim_end().ends_with(';') && table.lines[at].contains('"');
        is_row.then_some((at, name))
    });
    let unused = named.filter(|(_, name)| !uses(name));
    unused
        .map(|(at, name)| {
            let message = format!("event {name} is counted nowhere: count it, or delete its row");
            Problem::new(TABLE, at + 1, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_nothing_counts_is_found() {
        let table = "events! {\n    Used, Number, \"Text.\";\n    Unused, Bytes, \"Text.\";\n}\n";
        let user = "fn f() {\n    events::one(Event::Used);\n}\n\
                    #[cfg(test)]\nmod tests {\n    fn g() {\n        one(Event::Unused);\n    }\n}\n";
        let (table, user) = (Source::new(table), Source::new(user));
        let paths = [TABLE.to_string(), "crates/a/src/b.rs".to_string()];
        let product = BTreeMap::from([(&paths[0], &table), (&paths[1], &user)]);
        let problems = check(&product);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].line == 3 && problems[0].message.contains("Unused"));
    }
}
