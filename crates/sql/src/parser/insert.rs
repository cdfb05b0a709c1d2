//! INSERT, up to its data.

use entasis_base::Result;

use super::Parser;
use crate::ast::{
    Ident, Insert, InsertSource, InsertTarget, Query, Select, SettingChange, StatementKind,
    WithItem,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn with_insert(&mut self) -> Result<StatementKind> {
        self.bump();
        let with = self.with_items()?;
        self.expect_kw(Kw::INSERT)?;
        let mut kind = self.insert()?;
        if let StatementKind::Insert(insert) = &mut kind
            && let InsertSource::Select(query) = &mut insert.source
            && let Some(select) = first_select(query)
        {
            let inner: Vec<WithItem> = select.with.take().map(|w| w.items).unwrap_or_default();
            let mut with = with;
            with.items.extend(inner);
            select.with = Some(with);
        }
        Ok(kind)
    }

    pub(super) fn insert(&mut self) -> Result<StatementKind> {
        self.expect_kw(Kw::INTO)?;
        let function = self.kw() == Kw::FUNCTION
            && matches!(self.ahead(1).kind, TokenKind::Word)
            && self.ahead(2).kind == TokenKind::LParen;
        let mut partition_by = None;
        let mut columns = Vec::new();
        let target = if function || self.kw() == Kw::TABLE && self.ahead(1).kw == Kw::FUNCTION {
            self.eat_kw(Kw::TABLE);
            self.bump();
            let name = self.ident()?.name;
            let mut call = self.call_tail(name)?;
            // `f(args) (columns)` reads like a call with parameters.
            if let Some(args) = call.parameters.take() {
                columns = std::mem::replace(&mut call.args, args);
            }
            if self.eat_kws(&[Kw::PARTITION, Kw::BY]) {
                partition_by = Some(self.expr()?);
            }
            InsertTarget::Function(Box::new(call))
        } else {
            if self.kw() == Kw::TABLE
                && matches!(self.ahead(1).kind, TokenKind::Word | TokenKind::QuotedName)
                && !matches!(self.ahead(1).kw, Kw::VALUES | Kw::FORMAT | Kw::SELECT)
            {
                self.bump();
            }
            InsertTarget::Table(self.table_name()?)
        };
        if self.kind() == TokenKind::LParen && !self.starts_query(1) && !self.nested_query() {
            self.bump();
            columns = self.list(Self::expr)?;
            self.expect(TokenKind::RParen, "`,` or `)`")?;
        }
        let mut settings = Vec::new();
        let source = loop {
            match self.kw() {
                Kw::SETTINGS => {
                    self.bump();
                    settings = self.settings_list()?;
                }
                Kw::FROM if self.ahead(1).kw == Kw::INFILE => break self.infile()?,
                _ => break self.insert_source(&mut settings)?,
            }
        };
        Ok(StatementKind::Insert(Box::new(Insert {
            target,
            columns,
            partition_by,
            settings,
            source,
        })))
    }

    /// `((SELECT ...` after the table.
    fn nested_query(&mut self) -> bool {
        let mut n = 0;
        while n < 64 && self.ahead(n).kind == TokenKind::LParen {
            n += 1;
        }
        n > 1 && self.starts_query(n)
    }

    fn infile(&mut self) -> Result<InsertSource> {
        self.expect_kws(&[Kw::FROM, Kw::INFILE])?;
        let path = self.string("path")?;
        let compression = if self.eat_kw(Kw::COMPRESSION) {
            Some(self.string("name of a compression")?)
        } else {
            None
        };
        let format = if self.eat_kw(Kw::FORMAT) { Some(self.ident()?) } else { None };
        Ok(InsertSource::Infile { path, compression, format })
    }

    fn insert_source(&mut self, settings: &mut Vec<SettingChange>) -> Result<InsertSource> {
        // The token after VALUES or after the name of the format is ignored, because it is data.
        // The lexer has already read it, which does no harm: it is one token, and the lexer accepts
        // any bytes.
        match self.kw() {
            Kw::VALUES => {
                let token = self.token();
                let position = self.here();
                self.stop_at(token.end);
                let format = Some(Ident { position, ..Ident::new("Values") });
                Ok(InsertSource::Data { format, offset: token.end as usize })
            }
            Kw::FORMAT => {
                self.bump();
                let name = self.token();
                if !matches!(name.kind, TokenKind::Word | TokenKind::QuotedName) {
                    return Err(self.unexpected("name of a format"));
                }
                let mut end = name.end;
                if self.settings_after_format && self.ahead(1).kw == Kw::SETTINGS {
                    self.bump();
                    self.bump();
                    settings.extend(self.settings_list()?);
                    end = self.last_end();
                }
                let offset = crate::script::data_start(self.text, end as usize);
                self.stop_at(end);
                let position = entasis_base::Position { start: name.start, end: name.end };
                let format = Some(Ident { position, ..Ident::new(self.text_of(name)) });
                Ok(InsertSource::Data { format, offset })
            }
            _ if self.starts_query(0) || self.kind() == TokenKind::LParen => {
                Ok(InsertSource::Select(Box::new(self.query()?)))
            }
            _ if self.at_end() => {
                Ok(InsertSource::Data { format: None, offset: self.token().start as usize })
            }
            _ => Err(self.unexpected("VALUES, FORMAT, SELECT or a list of columns")),
        }
    }

    /// Ends the token stream at byte `end`, which the current token reaches.
    fn stop_at(&mut self, end: u32) {
        self.tokens.truncate(self.at + 1);
        self.tokens.push(crate::lexer::Token {
            kind: TokenKind::End,
            kw: Kw::NONE,
            start: end,
            end,
        });
        self.at += 1;
    }
}

fn first_select(query: &mut Query) -> Option<&mut Select> {
    match query {
        Query::Select(select) => Some(select),
        Query::SetOperation(operation) => first_select(operation.branches.first_mut()?),
    }
}
