//! INTO OUTFILE: the shell writes the file, whether the engine or a server runs the statement.

use std::io::{Result, Write};

use entasis_engine::{OutFile, TokenKind};

use crate::backend::{Ask, Screen};
use crate::statement;

/// The destination of a result: the screen, a file, or both.
pub struct Target {
    screen: Screen,
    file: Option<OutFile>,
}

impl Target {
    /// The screen, and the file that the statement names.
    pub fn open(ask: Ask<'_>, screen: Screen) -> entasis_base::Result<Self> {
        let clause = ask.parsed.statement.output.outfile.as_deref();
        Ok(Self { screen, file: clause.map(OutFile::open).transpose()? })
    }

    /// The format of a result without FORMAT.
    pub fn format<'a>(&'a self, usual: &'a str) -> &'a str {
        self.file.as_ref().map_or(usual, |file| file.format())
    }

    /// Whether only the screen sees the result.
    pub fn is_screen(&self) -> bool {
        self.file.is_none()
    }

    /// Ends a complete result.
    pub fn finish(mut self) -> entasis_base::Result<()> {
        self.screen.flush()?;
        self.file.map_or(Ok(()), OutFile::finish)
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match &mut self.file {
            None => return self.screen.write(bytes),
            Some(file) => file.write_all(bytes)?,
        }
        if self.file.as_ref().is_some_and(|file| file.and_stdout) {
            self.screen.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.screen.flush()
    }
}

/// The statement with FORMAT in place of FROM INFILE, for a server to which the content of the
/// files is sent.
pub fn with_data_of(text: &str, format: &str) -> String {
    let tokens = statement::tokens(text);
    let is = |i: usize, name: &str| tokens.get(i).is_some_and(|t| t.1.eq_ignore_ascii_case(name));
    let clause = (0..tokens.len()).find(|&i| is(i, "FROM") && is(i + 1, "INFILE"));
    let Some(start) = clause.map(|i| tokens[i].0.range().start) else { return text.to_string() };
    format!("{}FORMAT {format}", &text[..start])
}

/// The statement with blanks in place of INTO OUTFILE, for a server. Positions in the text do not
/// change.
pub fn without_clause(text: &str) -> String {
    let tokens = statement::tokens(text);
    let word = |i: usize, name: &str| {
        tokens
            .get(i)
            .is_some_and(|(t, s)| t.kind == TokenKind::Word && s.eq_ignore_ascii_case(name))
    };
    let Some(start) = (0..tokens.len()).rev().find(|&i| word(i, "INTO") && word(i + 1, "OUTFILE"))
    else {
        return text.to_string();
    };
    let mut end = start + 3; // the path is one token
    end += usize::from(word(end, "APPEND") || word(end, "TRUNCATE"));
    end += if word(end, "AND") && word(end + 1, "STDOUT") { 2 } else { 0 };
    end += if word(end, "COMPRESSION") { 2 } else { 0 };
    end += if word(end, "LEVEL") { 2 } else { 0 };
    let from = tokens[start].0.range().start;
    let to = tokens.get(end - 1).map_or(text.len(), |(token, _)| token.range().end);
    let blank: String = text[from..to].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    format!("{}{blank}{}", &text[..from], &text[to..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_data() {
        let text = "INSERT INTO t (a) FROM INFILE 'x.csv.gz' COMPRESSION 'gzip' FORMAT CSV";
        assert_eq!(with_data_of(text, "CSV"), "INSERT INTO t (a) FORMAT CSV");
        assert_eq!(with_data_of("SELECT 1", "CSV"), "SELECT 1");
    }

    #[test]
    fn the_clause_is_blanked() {
        let all = "SELECT 'INTO OUTFILE ''x''' INTO OUTFILE 'f.gz' TRUNCATE AND STDOUT \
                   COMPRESSION 'gzip' FORMAT TSV";
        let left = without_clause(all);
        assert_eq!(left.len(), all.len());
        let words: Vec<&str> = left.split_whitespace().collect();
        assert_eq!(words.join(" "), "SELECT 'INTO OUTFILE ''x''' FORMAT TSV");
        assert_eq!(without_clause("SELECT 1 into outfile 'f'").trim_end(), "SELECT 1");
        assert_eq!(without_clause("SELECT 1"), "SELECT 1");
    }
}
