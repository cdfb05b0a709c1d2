//! BACKUP and RESTORE.

use entasis_base::Result;

use super::Parser;
use crate::ast::{
    Backup, BackupElement, Expr, ExprKind, Ident, Literal, Partition, SettingChange, StatementKind,
    TableName,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// What follows BACKUP or RESTORE.
    pub(super) fn backup(&mut self, restore: bool) -> Result<StatementKind> {
        self.bump();
        let elements = self.list(Self::backup_element)?;
        let cluster = self.on_cluster()?;
        self.expect_kw(if restore { Kw::FROM } else { Kw::TO })?;
        let from = self.mark();
        let name = self.ident()?.name;
        let place = match self.kind() {
            TokenKind::LParen => self.call_tail(name)?,
            _ => crate::ast::Function::new(name, Vec::new()),
        };
        let location = Expr::new(ExprKind::Function(Box::new(place)), self.span(from));
        let mut settings = Vec::new();
        if self.eat_kw(Kw::SETTINGS) {
            settings = self.settings_list()?;
        }
        let is_async = match self.kw() {
            Kw::ASYNC => Some(true),
            Kw::SYNC => Some(false),
            _ => None,
        };
        if let Some(on) = is_async {
            let value = Expr::new(ExprKind::Literal(Literal::Bool(on)), self.here());
            self.bump();
            settings.retain(|setting| setting.name != "async");
            settings.insert(0, SettingChange { name: "async".to_owned(), value: Some(value) });
        }
        let backup = Backup { restore, elements, cluster, location, settings };
        Ok(StatementKind::Backup(Box::new(backup)))
    }

    fn backup_element(&mut self) -> Result<BackupElement> {
        match self.kw() {
            Kw::DATABASE => {
                self.bump();
                let name = self.ident()?;
                let new_name = if self.eat_kw(Kw::AS) { Some(self.ident()?) } else { None };
                let mut except = Vec::new();
                self.backup_except(None, &mut except)?;
                Ok(BackupElement::Database { name, new_name, except })
            }
            Kw::ALL => {
                self.bump();
                let (mut except_databases, mut except_tables) = (Vec::new(), Vec::new());
                self.backup_except(Some(&mut except_databases), &mut except_tables)?;
                Ok(BackupElement::All { except_databases, except_tables })
            }
            Kw::FUNCTION => {
                self.bump();
                Ok(BackupElement::Function(self.ident()?))
            }
            Kw::TABLE | Kw::VIEW | Kw::DICTIONARY | Kw::TEMPORARY => {
                let temporary = self.eat_kw(Kw::TEMPORARY);
                if temporary {
                    self.expect_kw(Kw::TABLE)?;
                } else {
                    self.bump();
                }
                let name = self.table_name()?;
                let new_name = if self.eat_kw(Kw::AS) { Some(self.table_name()?) } else { None };
                let partitions = self.backup_partitions()?;
                Ok(BackupElement::Table { temporary, name, new_name, partitions })
            }
            _ => Err(self.unexpected("TABLE, DATABASE, VIEW, DICTIONARY, FUNCTION or ALL")),
        }
    }

    fn backup_partitions(&mut self) -> Result<Vec<Partition>> {
        let token = self.token();
        let is_list = self.text_of(token).eq_ignore_ascii_case("PARTITIONS");
        if !is_list && self.kw() != Kw::PARTITION {
            return Ok(Vec::new());
        }
        self.bump();
        self.list(|parser| {
            if parser.kw() == Kw::ID && parser.ahead(1).kind == TokenKind::String {
                parser.bump();
                return parser.string("partition").map(Partition::Id);
            }
            parser.expr().map(Partition::Expr)
        })
    }

    /// `EXCEPT TABLES a, b`, `EXCEPT DATABASES c`, as often as they stand there.
    fn backup_except(
        &mut self,
        mut databases: Option<&mut Vec<Ident>>,
        tables: &mut Vec<TableName>,
    ) -> Result<()> {
        while self.eat_kw(Kw::EXCEPT) {
            match (self.kw(), &mut databases) {
                (Kw::TABLE | Kw::TABLES, _) => {
                    self.bump();
                    tables.extend(self.list(Self::table_name)?);
                }
                (Kw::DATABASE | Kw::DATABASES, Some(databases)) => {
                    self.bump();
                    databases.extend(self.list(Self::ident)?);
                }
                (_, Some(_)) => return Err(self.unexpected("TABLES or DATABASES")),
                (_, None) => return Err(self.unexpected("TABLES")),
            }
        }
        Ok(())
    }
}
