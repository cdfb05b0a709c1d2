//! Statements other than CREATE and ALTER, and the clauses after a statement.

use entasis_base::Result;

use super::{EXPR, Parser};
use crate::ast::{
    Compare, Describe, Explain, ExplainKind, InsertSource, OutFile, Output, Statement,
    StatementKind, TableExpr, TableExprKind, Unsupported,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// One statement with its output clauses, up to but without the `;`.
    pub(crate) fn statement(&mut self) -> Result<Statement> {
        self.enter(EXPR)?;
        let from = self.mark();
        let kind = self.statement_kind()?;
        let mut output = Output::default();
        let data = matches!(
            &kind,
            StatementKind::Insert(insert) if matches!(insert.source, InsertSource::Data { .. })
        );
        if !data {
            self.output(&mut output)?;
        }
        self.leave(EXPR);
        Ok(Statement { kind, output, position: self.span(from) })
    }

    fn statement_kind(&mut self) -> Result<StatementKind> {
        let from = self.mark();
        let kw = self.kw();
        match kw {
            Kw::SELECT | Kw::FROM => return self.query_statement(),
            Kw::WITH => return self.with_statement(),
            _ if self.kind() == TokenKind::LParen => return self.query_statement(),
            Kw::NONE if self.kind() == TokenKind::Word => return self.rare_statement(from),
            _ => {}
        }
        if self.kind() != TokenKind::Word {
            return Err(self.unexpected("SELECT, INSERT, CREATE or another statement"));
        }
        self.bump();
        match kw {
            Kw::EXPLAIN => self.explain(),
            Kw::COMPARE => self.compare(),
            Kw::INSERT => self.insert(),
            Kw::CREATE | Kw::ATTACH | Kw::REPLACE => self.create(kw, from),
            Kw::DROP | Kw::DETACH => self.drop_statement(kw == Kw::DETACH, from),
            Kw::TRUNCATE => self.truncate(),
            Kw::RENAME | Kw::EXCHANGE => self.rename(kw == Kw::EXCHANGE),
            Kw::ALTER if self.kw() == Kw::DATABASE => self.alter_database(from),
            Kw::ALTER => self.alter(from),
            Kw::OPTIMIZE => self.optimize(),
            Kw::DELETE => self.delete(),
            Kw::UPDATE => self.update(),
            Kw::CHECK => self.check(),
            Kw::SHOW => self.show(),
            Kw::DESCRIBE | Kw::DESC => {
                self.eat_kw(Kw::TABLE);
                self.describe()
            }
            Kw::EXISTS => self.exists(),
            Kw::SET => self.set(from),
            Kw::USE => {
                if self.kw() == Kw::DATABASE && self.ahead(1).kind == TokenKind::Word {
                    self.bump();
                }
                self.ident().map(StatementKind::Use)
            }
            Kw::SYSTEM => self.system(),
            Kw::KILL => self.kill(),
            Kw::BEGIN => {
                self.eat_kw(Kw::TRANSACTION);
                Ok(StatementKind::Transaction("BEGIN TRANSACTION"))
            }
            Kw::COMMIT => Ok(StatementKind::Transaction("COMMIT")),
            Kw::ROLLBACK => Ok(StatementKind::Transaction("ROLLBACK")),
            Kw::GRANT | Kw::REVOKE | Kw::MOVE => Ok(self.unsupported(from)),
            _ => {
                self.rewind(from)?;
                Err(self.unexpected("SELECT, INSERT, CREATE or another statement"))
            }
        }
    }

    /// After DESCRIBE: a table, a function or a query, with or without parentheses.
    fn describe(&mut self) -> Result<StatementKind> {
        let from = self.mark();
        let table = if self.starts_query(0) {
            let query = TableExprKind::Subquery(Box::new(self.query()?));
            TableExpr::new(query, self.span(from))
        } else {
            self.table_expr()?
        };
        Ok(StatementKind::Describe(Box::new(Describe { table })))
    }

    fn query_statement(&mut self) -> Result<StatementKind> {
        Ok(StatementKind::Query(Box::new(self.query()?)))
    }

    fn rare_statement(&mut self, from: usize) -> Result<StatementKind> {
        let token = self.token();
        let word = self.text_of(token).to_ascii_uppercase();
        if word == "UNDROP" && self.ahead(1).kw == Kw::TABLE {
            return self.undrop();
        }
        if matches!(word.as_str(), "BACKUP" | "RESTORE") {
            return self.backup(word == "RESTORE");
        }
        if matches!(word.as_str(), "UNDROP" | "WATCH" | "PARALLEL") {
            return Ok(self.unsupported(from));
        }
        Err(self.unexpected("SELECT, INSERT, CREATE or another statement"))
    }

    /// A statement that is recognised but not parsed: takes everything up to its end.
    pub(super) fn unsupported(&mut self, from: usize) -> StatementKind {
        while !self.at_end() {
            self.bump();
        }
        let text = self.text_from(from);
        let words = text.split_whitespace().take(2).collect::<Vec<_>>();
        let what = words.join(" ").to_ascii_uppercase();
        StatementKind::Unsupported(Unsupported { what, text })
    }

    /// `WITH ... SELECT`, or `WITH ... INSERT INTO t SELECT`, whose WITH goes to the SELECT.
    fn with_statement(&mut self) -> Result<StatementKind> {
        let before = self.mark();
        let (depth, tallest) = (self.depth, self.tallest);
        match self.query_statement() {
            Ok(kind) => Ok(kind),
            Err(error) => {
                if self.kw() != Kw::INSERT {
                    return Err(error);
                }
                (self.depth, self.tallest) = (depth, tallest);
                self.rewind(before)?;
                self.with_insert()
            }
        }
    }

    /// INTO OUTFILE, FORMAT, SETTINGS, in any order.
    fn output(&mut self, output: &mut Output) -> Result<()> {
        loop {
            match self.kw() {
                Kw::INTO if output.outfile.is_none() => {
                    self.bump();
                    output.outfile = Some(Box::new(self.outfile()?));
                }
                Kw::FORMAT if output.format.is_none() => {
                    self.bump();
                    output.format = Some(self.ident()?);
                }
                Kw::SETTINGS if output.settings.is_empty() => {
                    self.bump();
                    output.settings = self.settings_list()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn outfile(&mut self) -> Result<OutFile> {
        self.expect_kw(Kw::OUTFILE)?;
        let mut file = OutFile { path: self.string("path")?, ..OutFile::default() };
        file.append = self.eat_kw(Kw::APPEND);
        file.truncate = self.eat_kw(Kw::TRUNCATE);
        file.and_stdout = self.eat_kws(&[Kw::AND, Kw::STDOUT]);
        if self.eat_kw(Kw::COMPRESSION) {
            file.compression = Some(self.string("name of a compression")?);
            if self.eat_kw(Kw::LEVEL) {
                file.level = Some(self.unsigned("level")?);
            }
        }
        Ok(file)
    }

    fn compare(&mut self) -> Result<StatementKind> {
        let old = self.bracketed_query()?;
        let (mut old_settings, mut new_settings) = (Vec::new(), Vec::new());
        let new = if self.eat_kw(Kw::USING) {
            self.expect_kw(Kw::SETTINGS)?;
            old_settings = self.settings_list()?;
            self.expect_kw(Kw::VERSUS)?;
            new_settings = self.settings_list()?;
            None
        } else {
            self.expect_kw(Kw::WITH)?;
            Some(self.bracketed_query()?)
        };
        let own = self.eat_kw(Kw::SETTINGS);
        let options = if own { self.settings_list()? } else { Vec::new() };
        let compare = Compare { old, new, old_settings, new_settings, options };
        Ok(StatementKind::Compare(Box::new(compare)))
    }

    pub(super) fn explain(&mut self) -> Result<StatementKind> {
        let next = self.ahead(1).kind;
        let kind = match self.kw() {
            _ if next == TokenKind::Equals => ExplainKind::Plan,
            Kw::AST => ExplainKind::Ast,
            Kw::SYNTAX => ExplainKind::Syntax,
            Kw::PLAN => ExplainKind::Plan,
            Kw::PIPELINE => ExplainKind::Pipeline,
            Kw::ESTIMATE => ExplainKind::Estimate,
            Kw::ANALYZE => ExplainKind::Analyze,
            Kw::QUERY => ExplainKind::QueryTree,
            Kw::TABLE => ExplainKind::TableOverride,
            Kw::CURRENT => ExplainKind::CurrentTransaction,
            _ => ExplainKind::Plan,
        };
        let named = matches!(
            self.kw(),
            Kw::AST | Kw::SYNTAX | Kw::PLAN | Kw::PIPELINE | Kw::ESTIMATE | Kw::ANALYZE
        );
        match kind {
            _ if named && next != TokenKind::Equals => {
                self.bump();
            }
            ExplainKind::QueryTree => self.expect_kws(&[Kw::QUERY, Kw::TREE])?,
            ExplainKind::CurrentTransaction => {
                self.expect_kws(&[Kw::CURRENT, Kw::TRANSACTION])?;
                let position = self.span(self.mark() - 1);
                let kind = StatementKind::Transaction("CURRENT TRANSACTION");
                let statement = Statement { kind, output: Output::default(), position };
                let explain = Explain {
                    kind: ExplainKind::CurrentTransaction,
                    settings: Vec::new(),
                    statement,
                };
                return Ok(StatementKind::Explain(Box::new(explain)));
            }
            ExplainKind::TableOverride => {
                let from = self.mark() - 1;
                return Ok(self.unsupported(from));
            }
            _ => {}
        }
        let mut settings = Vec::new();
        while self.kind() == TokenKind::Word && self.ahead(1).kind == TokenKind::Equals {
            settings.push(self.setting()?);
            self.eat(TokenKind::Comma);
        }
        self.enter(EXPR)?;
        let from = self.mark();
        let inner = self.statement_kind()?;
        let statement =
            Statement { kind: inner, output: Output::default(), position: self.span(from) };
        self.leave(EXPR);
        Ok(StatementKind::Explain(Box::new(Explain { kind, settings, statement })))
    }
}
