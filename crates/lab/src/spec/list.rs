//! The list that `entasis lab queries` prints.

use std::io::{Result, Write};

use super::TestFile;

/// What stands in the list's last column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Listing {
    /// The query's whole text.
    #[default]
    Text,
    /// Its name in reports.
    Name,
    /// No queries, but the tests' settings.
    Settings,
}

/// Prints a line per query: test, index, query; or per setting: test, name, value. Columns are
/// separated by tabs and escaped as in the format TSV.
pub fn list(files: &[TestFile], listing: Listing, out: &mut dyn Write) -> Result<()> {
    for file in files {
        let name = escape(&file.name);
        if listing == Listing::Settings {
            for (setting, value) in &file.settings {
                writeln!(out, "{name}\t{}\t{}", escape(setting), escape(value))?;
            }
            continue;
        }
        for query in &file.queries {
            let text = match listing {
                Listing::Name => query.display_name(),
                Listing::Text | Listing::Settings => query.text(),
            };
            writeln!(out, "{name}\t{}\t{}", query.index, escape(&text))?;
        }
    }
    Ok(())
}

/// A field of TSV.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\t' => escaped.push_str("\\t"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes_of_tsv() {
        assert_eq!(super::escape("a\tb\\n\nc\rd é"), "a\\tb\\\\n\\nc\\rd é");
    }
}
