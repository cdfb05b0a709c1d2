//! The names of collations: the locales in whose order `ORDER BY ... COLLATE` sorts text.

/// `name <tab> language`, sorted by name, as `system.collations` shows them.
const TABLE: &str = include_str!("collations.tsv");

/// All collations, sorted by name: the name and the language in English.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter_map(|line| line.split_once('\t'))
}

/// The collation that a COLLATE clause means, and what stands behind its `@`
/// (`de@collation=phonebook`); `None` if there is no such collation. Case does not matter.
pub fn find(name: &str) -> Option<(&'static str, &str)> {
    let (locale, keywords) = name.split_once('@').unwrap_or((name, ""));
    let (known, _) = all().find(|(known, _)| known.eq_ignore_ascii_case(locale))?;
    Some((known, keywords))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_locales_without_regard_to_case() {
        assert_eq!(find("EN_us"), Some(("en_US", "")));
        assert_eq!(find("de@collation=phonebook"), Some(("de", "collation=phonebook")));
        assert_eq!(find("xx"), None);
    }
}
