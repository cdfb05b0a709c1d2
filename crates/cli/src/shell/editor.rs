//! The line editor: several lines, colours from the lexer's tokens, history, completion.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_base::{Error, Result, codes};
use entasis_engine::{Token, TokenKind};
use nu_ansi_term::{Color, Style};
use reedline::{
    ColumnarMenu, DefaultHinter, Emacs, FileBackedHistory, Highlighter, KeyCode, KeyModifiers,
    MenuBuilder, Prompt, PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, StyledText, ValidationResult, Validator, default_emacs_keybindings,
};

use super::complete::Names;
use super::{Shared, history, is_whole};
use crate::terminal;

const MENU: &str = "names";

/// The input of a user.
pub enum Input {
    /// Statements or a command.
    Text(String),
    /// Ctrl-C: nothing.
    Interrupted,
    /// Ctrl-D.
    End,
}

/// Reads statements from the terminal.
pub struct Editor {
    line: Reedline,
    /// Set when names may have changed.
    stale: Arc<AtomicBool>,
}

impl Editor {
    /// Makes an editor with history, completion over `backend`, and colours if they are wanted.
    pub fn new(backend: &Shared, history_file: Option<&str>) -> Result<Self> {
        let stale = Arc::new(AtomicBool::new(false));
        let names = Names::new(Arc::clone(backend), Arc::clone(&stale));
        let colours = terminal::colours();
        let mut keys = default_emacs_keybindings();
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(vec![
                ReedlineEvent::Menu(MENU.to_string()),
                ReedlineEvent::MenuNext,
            ]),
        );
        let menu = ColumnarMenu::default().with_name(MENU).with_marker("> ");
        let mut line = Reedline::create()
            .with_ansi_colors(colours)
            .with_edit_mode(Box::new(Emacs::new(keys)))
            .with_validator(Box::new(Whole))
            .with_completer(Box::new(names))
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .use_bracketed_paste(true)
            .with_highlighter(Box::new(Colours { wanted: colours }));
        if colours {
            let grey = Style::new().fg(Color::DarkGray);
            line = line.with_hinter(Box::new(DefaultHinter::default().with_style(grey)));
        }
        if let Some(path) = history::file(history_file) {
            let kept = FileBackedHistory::with_file(history::CAPACITY, path).map_err(|e| {
                let message = format!("Cannot use the history file: {e}");
                Error::new(codes::CANNOT_OPEN_FILE, message)
            })?;
            line = line.with_history(Box::new(kept));
        }
        Ok(Self { line, stale })
    }

    /// Reads the next input.
    pub fn read(&mut self, database: &str) -> Result<Input> {
        let prompt = DatabasePrompt { database: database.to_string() };
        loop {
            match self.line.read_line(&prompt) {
                Ok(Signal::Success(text)) if text.trim().is_empty() => {}
                Ok(Signal::Success(text)) => return Ok(Input::Text(text)),
                Ok(Signal::CtrlC) => return Ok(Input::Interrupted),
                Ok(Signal::CtrlD) => return Ok(Input::End),
                Ok(_) => {}
                Err(e) => {
                    let message = format!("Cannot read from the terminal: {e}");
                    return Err(Error::new(codes::CANNOT_READ_FROM_FILE_DESCRIPTOR, message));
                }
            }
        }
    }

    /// Makes completion query all names again when they are next needed.
    pub fn forget_names(&self) {
        self.stale.store(true, Ordering::Relaxed);
    }
}

struct Whole;

impl Validator for Whole {
    fn validate(&self, line: &str) -> ValidationResult {
        if is_whole(line) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

struct Colours {
    wanted: bool,
}

impl Highlighter for Colours {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut text = StyledText::new();
        let tokens = entasis_engine::lex(line);
        let mut end = 0;
        for (i, token) in tokens.iter().enumerate() {
            let is_call = tokens.get(i + 1).is_some_and(|t| t.kind == TokenKind::LParen);
            let style = if self.wanted { style_of(token, is_call) } else { Style::new() };
            // The whole text is shown, whatever the lexer makes of it.
            if let Some(piece) = line.get(end..token.end as usize) {
                text.push((style, piece.to_string()));
                end = token.end as usize;
            }
        }
        if end < line.len() {
            text.push((Style::new(), line[end..].to_string()));
        }
        text
    }
}

fn style_of(token: &Token, is_call: bool) -> Style {
    let plain = Style::new();
    match token.kind {
        TokenKind::Comment => plain.fg(Color::DarkGray),
        TokenKind::Number => plain.fg(Color::Magenta),
        TokenKind::String | TokenKind::HexString | TokenKind::BinString | TokenKind::Heredoc => {
            plain.fg(Color::Green)
        }
        TokenKind::QuotedName => plain.fg(Color::Cyan),
        TokenKind::Word if is_call => plain.fg(Color::Yellow),
        TokenKind::Word if token.is_keyword() => plain.fg(Color::Blue).bold(),
        TokenKind::Unterminated => plain.fg(Color::Red),
        _ => plain,
    }
}

struct DatabasePrompt {
    database: String,
}

impl Prompt for DatabasePrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.database)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{}> ", " ".repeat(self.database.chars().count())))
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highlighting_loses_nothing() {
        let lines = [
            "SELECT count() FROM t -- x",
            "'open ж",
            "\\G \u{0} ☃",
            "",
            "a\nb;\n",
            "/* open",
            "`q",
        ];
        for line in lines {
            let text = Colours { wanted: true }.highlight(line, 0);
            assert_eq!(text.raw_string(), line);
        }
        let text = Colours { wanted: true }.highlight("SELECT count(1)", 0);
        let styles: Vec<_> = text.buffer.iter().map(|(style, _)| style.foreground).collect();
        assert_eq!(styles[0], Some(Color::Blue));
        assert_eq!(styles[2], Some(Color::Yellow));
        let plain = Colours { wanted: false }.highlight("SELECT 'x'", 0);
        assert!(plain.buffer.iter().all(|(style, _)| *style == Style::new()));
    }
}
