//! `REFRESH ...` of a materialised view.

use entasis_base::{Error, Result, codes};

use super::Parser;
use crate::ast::{Interval, Refresh};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `REFRESH EVERY|AFTER interval ...`; `None` if another word stands here.
    pub(super) fn refresh(&mut self) -> Result<Option<Refresh>> {
        if !self.eat_kw(Kw::REFRESH) {
            return Ok(None);
        }
        let every = if self.eat_word("EVERY") {
            true
        } else if self.eat_kw(Kw::AFTER) {
            false
        } else {
            return Err(self.unexpected("EVERY or AFTER"));
        };
        let mut refresh = Refresh {
            every,
            period: self.refresh_interval()?,
            offset: Interval::default(),
            spread: Interval::default(),
            depends_on: Vec::new(),
            settings: Vec::new(),
            append: false,
        };
        if every && self.eat_kw(Kw::OFFSET) {
            refresh.offset = self.refresh_interval()?;
        }
        if self.eat_word("RANDOMIZE") {
            self.expect_kw(Kw::FOR)?;
            refresh.spread = self.refresh_interval()?;
        }
        if self.eat_word("DEPENDS") {
            self.expect_kw(Kw::ON)?;
            refresh.depends_on = self.list(Self::table_name)?;
        }
        if self.eat_kw(Kw::SETTINGS) {
            refresh.settings = self.settings_list()?;
        }
        refresh.append = self.eat_kw(Kw::APPEND);
        Ok(Some(refresh))
    }

    /// `1 DAY 2 HOUR`.
    fn refresh_interval(&mut self) -> Result<Interval> {
        let mut sum = Interval::default();
        let from = self.mark();
        loop {
            let count = self.unsigned("a number and a unit, such as 1 DAY")?;
            let Some(unit) = Interval::of_unit(&self.upper_word()) else {
                return Err(self.unexpected("a unit such as SECOND, MINUTE, HOUR, DAY or MONTH"));
            };
            self.bump();
            sum = sum.plus(count, unit).ok_or_else(|| {
                let message = "The interval is too long: write a shorter one";
                Error::new(codes::SYNTAX_ERROR, message).at(self.span(from))
            })?;
            if self.kind() != TokenKind::Number {
                return Ok(sum);
            }
        }
    }

    /// The word that stands here, in upper case; empty if there is none.
    pub(super) fn upper_word(&self) -> String {
        match self.kind() {
            TokenKind::Word => self.text_of(self.token()).to_ascii_uppercase(),
            _ => String::new(),
        }
    }

    /// Eats a word that is no keyword of the language.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.upper_word() == word;
        if found {
            self.bump();
        }
        found
    }
}
