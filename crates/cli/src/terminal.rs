//! Text for the user: messages to stderr, answers to stdout.

use std::io::{BufRead, ErrorKind, IsTerminal, Read, Result, Write};
use std::sync::OnceLock;

use nu_ansi_term::{Color, Style};

/// The exit code that a shell reports for a program that was ended by a closed pipe.
const ENDED_BY_PIPE: i32 = 128 + 13;

/// Writes a line to stdout. A closed pipe is not an error.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}

/// Writes a line to stderr.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Writes to stderr without a line end and flushes it, for progress.
pub fn show(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

/// Whether stdout is a terminal.
pub fn stdout_is_terminal() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| std::io::stdout().is_terminal())
}

/// Whether stderr is a terminal.
pub fn stderr_is_terminal() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| std::io::stderr().is_terminal())
}

/// Whether stdin is a terminal.
pub fn stdin_is_terminal() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| std::io::stdin().is_terminal())
}

/// Whether both stdin and stdout are terminals.
pub fn is_interactive() -> bool {
    stdin_is_terminal() && stdout_is_terminal() && !is_dumb()
}

/// Whether output on stdout may have colours.
pub fn colours() -> bool {
    stdout_is_terminal() && colours_wanted()
}

/// Columns of the terminal.
pub fn width() -> usize {
    crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns).max(20))
}

/// Reads a line from the terminal without showing it.
pub fn ask_hidden(prompt: &str) -> Result<String> {
    show(prompt);
    crossterm::terminal::enable_raw_mode()?;
    let read = read_hidden(&mut std::io::stdin().lock());
    crossterm::terminal::disable_raw_mode()?;
    complain("");
    read
}

/// Reads keys up to Enter in raw mode, where Backspace and Ctrl-C are ordinary keys.
fn read_hidden(keys: &mut dyn BufRead) -> Result<String> {
    let mut typed = Vec::new();
    for key in keys.bytes() {
        match key? {
            b'\r' | b'\n' | 4 => break,
            3 => return Err(ErrorKind::Interrupted.into()),
            8 | 127 => while typed.pop().is_some_and(|byte: u8| byte & 0xC0 == 0x80) {},
            byte => typed.push(byte),
        }
    }
    String::from_utf8(typed).map_err(|_| ErrorKind::InvalidData.into())
}

/// The text in red, if stderr shows colours.
pub fn alarming(text: &str) -> String {
    if stderr_is_terminal() && colours_wanted() {
        return Style::new().fg(Color::Red).paint(text).to_string();
    }
    text.to_string()
}

/// Stdout for results. If nobody reads them any more, the program ends.
pub struct Results;

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        end_if_unread(std::io::stdout().lock().write(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        end_if_unread(std::io::stdout().lock().flush())
    }
}

fn end_if_unread<T>(written: Result<T>) -> Result<T> {
    if written.as_ref().is_err_and(|e| e.kind() == ErrorKind::BrokenPipe) {
        std::process::exit(ENDED_BY_PIPE);
    }
    written
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|t| t == "dumb")
}

fn colours_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && !is_dumb()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_typed() {
        let typed = |keys: &str| read_hidden(&mut keys.as_bytes());
        assert_eq!(typed("geheimж\u{7f}\u{7f}m\rrest").unwrap(), "geheim");
        assert!(typed("x\u{3}").is_err());
    }
}
