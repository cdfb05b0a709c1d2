//! ALTER TABLE.

use entasis_base::Result;

use super::Parser;
use crate::ast::{
    AlterCommand, AlterTable, ColumnPlace, MoveTarget, Partition, RewrittenParts, StatementKind,
};
use crate::keyword::Kw;
use crate::lexer::TokenKind;

/// What `MODIFY COLUMN c REMOVE` can remove.
const REMOVABLE: [&str; 7] =
    ["DEFAULT", "MATERIALIZED", "ALIAS", "COMMENT", "CODEC", "TTL", "SETTINGS"];

impl Parser<'_> {
    /// After ALTER.
    pub(super) fn alter(&mut self, from: usize) -> Result<StatementKind> {
        let temporary = self.kw() == Kw::TEMPORARY && self.ahead(1).kw == Kw::TABLE;
        if self.kw() != Kw::TABLE && !temporary {
            return Ok(self.unsupported(from));
        }
        if temporary {
            self.bump();
        }
        self.bump();
        let table = self.table_name()?;
        let cluster = self.on_cluster()?;
        let mut commands = Vec::new();
        loop {
            let open = self.eat(TokenKind::LParen);
            commands.push(self.alter_command()?);
            if open {
                self.expect(TokenKind::RParen, "`)`")?;
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(StatementKind::Alter(Box::new(AlterTable { temporary, table, cluster, commands })))
    }

    fn alter_command(&mut self) -> Result<AlterCommand> {
        let from = self.mark();
        let verb = self.kw();
        let object = self.ahead(1).kw;
        if object == Kw::STATISTICS
            && let Some(command) = self.alter_statistics(verb)?
        {
            return Ok(command);
        }
        match verb {
            Kw::ADD => self.alter_add(object),
            Kw::DROP | Kw::DETACH => self.alter_drop(verb, object),
            Kw::CLEAR | Kw::MATERIALIZE => self.alter_rebuild(verb, object),
            Kw::MODIFY => self.alter_modify(object),
            Kw::ALTER if object == Kw::COLUMN => {
                self.bump();
                self.bump();
                self.modify_column(true)
            }
            Kw::RENAME if object == Kw::COLUMN => {
                self.bump();
                self.bump();
                let if_exists = self.if_exists();
                let old = self.dotted_ident()?;
                self.expect_kw(Kw::TO)?;
                Ok(AlterCommand::RenameColumn { if_exists, from: old, to: self.dotted_ident()? })
            }
            Kw::COMMENT if object == Kw::COLUMN => {
                self.bump();
                self.bump();
                let if_exists = self.if_exists();
                let name = self.dotted_ident()?;
                let comment = self.string("comment")?;
                Ok(AlterCommand::CommentColumn { if_exists, name, comment })
            }
            Kw::REMOVE => self.alter_remove(),
            Kw::RESET if object == Kw::SETTING => {
                self.bump();
                self.bump();
                let names = self.list(Self::ident)?;
                Ok(AlterCommand::ResetSetting(names.into_iter().map(|n| n.name).collect()))
            }
            Kw::DELETE => {
                self.bump();
                let partition = self.in_partition()?;
                self.expect_kw(Kw::WHERE)?;
                Ok(AlterCommand::Delete { partition, where_clause: self.expr()? })
            }
            Kw::UPDATE => {
                self.bump();
                let set = self.assignments()?;
                let partition = self.in_partition()?;
                self.expect_kw(Kw::WHERE)?;
                Ok(AlterCommand::Update { set, partition, where_clause: self.expr()? })
            }
            _ => match self.alter_parts()? {
                Some(command) => Ok(command),
                None => self.alter_partition(verb, from),
            },
        }
    }

    /// APPLY, REWRITE or FORGET; `None` at another word.
    fn alter_parts(&mut self) -> Result<Option<AlterCommand>> {
        let which = if self.eat_kw(Kw::APPLY) {
            if self.eat_word("PATCHES") {
                RewrittenParts::Patched
            } else {
                self.expect_kws(&[Kw::DELETED, Kw::MASK])?;
                RewrittenParts::Deleted
            }
        } else if self.eat_word("REWRITE") {
            if !self.eat_word("PARTS") {
                return Err(self.unexpected("PARTS"));
            }
            RewrittenParts::All
        } else if self.eat_word("FORGET") {
            return Ok(Some(AlterCommand::ForgetPartition { partition: self.partition()? }));
        } else {
            return Ok(None);
        };
        Ok(Some(AlterCommand::Rewrite { which, partition: self.in_partition()? }))
    }

    /// `a = e, b = f`. The last value ends before IN PARTITION.
    pub(super) fn assignments(&mut self) -> Result<Vec<(crate::ast::Ident, crate::ast::Expr)>> {
        let mut items = Vec::new();
        loop {
            let name = self.ident()?;
            self.expect(TokenKind::Equals, "`=`")?;
            items.push((name, self.expr_before_partition()?));
            if !self.eat(TokenKind::Comma) {
                return Ok(items);
            }
        }
    }

    fn alter_add(&mut self, object: Kw) -> Result<AlterCommand> {
        self.bump();
        if !matches!(object, Kw::COLUMN | Kw::INDEX | Kw::PROJECTION | Kw::CONSTRAINT) {
            return Err(self.unexpected("COLUMN, INDEX, STATISTICS, PROJECTION or CONSTRAINT"));
        }
        self.bump();
        let if_not_exists = self.if_not_exists();
        Ok(match object {
            Kw::COLUMN => {
                let column = self.column_def(true)?;
                AlterCommand::AddColumn { if_not_exists, column, place: self.place()? }
            }
            Kw::INDEX => {
                let index = self.index_def()?;
                AlterCommand::AddIndex { if_not_exists, index, place: self.place()? }
            }
            Kw::PROJECTION => {
                let projection = self.projection_def()?;
                AlterCommand::AddProjection { if_not_exists, projection, place: self.place()? }
            }
            _ => {
                let constraint = self.constraint_def()?;
                AlterCommand::AddConstraint { if_not_exists, constraint }
            }
        })
    }

    fn place(&mut self) -> Result<Option<ColumnPlace>> {
        if self.eat_kw(Kw::FIRST) {
            return Ok(Some(ColumnPlace::First));
        }
        if self.eat_kw(Kw::AFTER) {
            return Ok(Some(ColumnPlace::After(self.dotted_ident()?)));
        }
        Ok(None)
    }

    fn alter_drop(&mut self, verb: Kw, object: Kw) -> Result<AlterCommand> {
        self.bump();
        let detach = verb == Kw::DETACH;
        if matches!(object, Kw::PARTITION | Kw::PART) {
            let partition = self.partition()?;
            return Ok(AlterCommand::DropPartition { partition, detach });
        }
        if detach {
            return Err(self.unexpected("PARTITION or PART"));
        }
        if object == Kw::DETACHED {
            self.bump();
            return Ok(AlterCommand::DropDetachedPartition { partition: self.partition()? });
        }
        if !matches!(object, Kw::COLUMN | Kw::INDEX | Kw::PROJECTION | Kw::CONSTRAINT) {
            return Err(self.unexpected(
                "PARTITION, PART, COLUMN, INDEX, STATISTICS, PROJECTION or CONSTRAINT",
            ));
        }
        self.bump();
        let if_exists = self.if_exists();
        let name = self.dotted_ident()?;
        Ok(match object {
            Kw::COLUMN => AlterCommand::DropColumn { if_exists, name },
            Kw::INDEX => AlterCommand::DropIndex { if_exists, name },
            Kw::PROJECTION => AlterCommand::DropProjection { if_exists, name },
            _ => AlterCommand::DropConstraint { if_exists, name },
        })
    }

    fn alter_rebuild(&mut self, verb: Kw, object: Kw) -> Result<AlterCommand> {
        self.bump();
        let clear = verb == Kw::CLEAR;
        if object == Kw::TTL && !clear {
            self.bump();
            return Ok(AlterCommand::MaterializeTtl { partition: self.in_partition()? });
        }
        if !matches!(object, Kw::COLUMN | Kw::INDEX | Kw::PROJECTION) {
            return Err(self.unexpected("COLUMN, INDEX, STATISTICS or PROJECTION"));
        }
        self.bump();
        let if_exists = self.if_exists();
        let name = self.dotted_ident()?;
        let partition = self.in_partition()?;
        Ok(match (object, clear) {
            (Kw::COLUMN, true) => AlterCommand::ClearColumn { if_exists, name, partition },
            (Kw::COLUMN, false) => AlterCommand::MaterializeColumn { name, partition },
            (Kw::INDEX, true) => AlterCommand::ClearIndex { if_exists, name, partition },
            (Kw::INDEX, false) => AlterCommand::MaterializeIndex { if_exists, name, partition },
            (_, true) => AlterCommand::ClearProjection { if_exists, name, partition },
            (_, false) => AlterCommand::MaterializeProjection { if_exists, name, partition },
        })
    }

    fn alter_modify(&mut self, object: Kw) -> Result<AlterCommand> {
        self.bump();
        let by = self.ahead(1).kw == Kw::BY;
        match object {
            Kw::COLUMN => {
                self.bump();
                self.modify_column(false)
            }
            Kw::ORDER if by => {
                self.eat_kws(&[Kw::ORDER, Kw::BY]);
                self.sorting_key().map(AlterCommand::ModifyOrderBy)
            }
            Kw::SAMPLE if by => {
                self.eat_kws(&[Kw::SAMPLE, Kw::BY]);
                self.expr().map(AlterCommand::ModifySampleBy)
            }
            Kw::TTL => {
                self.bump();
                // A comma may start the next command, so only one rule is taken unless another TTL
                // rule follows.
                let mut items = vec![self.ttl_item()?];
                while self.kind() == TokenKind::Comma && !self.command_follows() {
                    self.bump();
                    items.push(self.ttl_item()?);
                }
                Ok(AlterCommand::ModifyTtl(items))
            }
            Kw::SETTING => {
                self.bump();
                self.settings_before_command().map(AlterCommand::ModifySetting)
            }
            Kw::COMMENT => {
                self.bump();
                self.string("comment").map(AlterCommand::ModifyComment)
            }
            Kw::QUERY => {
                self.bump();
                Ok(AlterCommand::ModifyQuery(Box::new(self.query()?)))
            }
            Kw::REFRESH => match self.refresh()? {
                Some(refresh) => Ok(AlterCommand::ModifyRefresh(Box::new(refresh))),
                None => Err(self.unexpected("REFRESH")),
            },
            Kw::SQL | Kw::DEFINER => {
                Ok(AlterCommand::ModifySecurity(self.security().unwrap_or_default()))
            }
            _ => Err(self.unexpected(
                "COLUMN, ORDER BY, SAMPLE BY, TTL, SETTING, STATISTICS, COMMENT or QUERY",
            )),
        }
    }

    /// `a = 1, b = 2`. A comma that no setting follows starts the next command.
    fn settings_before_command(&mut self) -> Result<Vec<crate::ast::SettingChange>> {
        let mut settings = vec![self.setting()?];
        while self.kind() == TokenKind::Comma && self.ahead(2).kind == TokenKind::Equals {
            self.bump();
            settings.push(self.setting()?);
        }
        Ok(settings)
    }

    /// Whether another command follows after the comma.
    pub(super) fn command_follows(&mut self) -> bool {
        let word = self.ahead(1).kw;
        let next = self.ahead(2).kind;
        matches!(
            word,
            Kw::ADD
                | Kw::DROP
                | Kw::MODIFY
                | Kw::RENAME
                | Kw::REMOVE
                | Kw::CLEAR
                | Kw::COMMENT
                | Kw::MATERIALIZE
                | Kw::RESET
                | Kw::ALTER
                | Kw::DETACH
                | Kw::ATTACH
                | Kw::DELETE
                | Kw::UPDATE
                | Kw::MOVE
                | Kw::REPLACE
        ) && matches!(next, TokenKind::Word)
    }

    /// Whether the word at a distance is this one.
    fn word_is(&mut self, distance: usize, word: &str) -> bool {
        let token = self.ahead(distance);
        self.text_of(token).eq_ignore_ascii_case(word)
    }

    /// Parses the rest after MODIFY COLUMN or ALTER COLUMN.
    fn modify_column(&mut self, is_alter: bool) -> Result<AlterCommand> {
        let if_exists = self.if_exists();
        let before = self.mark();
        let name = self.dotted_ident()?;
        if self.eat_kw(Kw::REMOVE) {
            let at = self.mark();
            let property = self.ident()?.name.to_ascii_uppercase();
            if !REMOVABLE.contains(&property.as_str()) {
                self.rewind(at)?;
                return Err(self
                    .unexpected("DEFAULT, MATERIALIZED, ALIAS, COMMENT, CODEC, TTL or SETTINGS"));
            }
            return Ok(AlterCommand::ModifyColumnRemove { if_exists, name, property });
        }
        if self.kw() == Kw::ADD && self.word_is(1, "ENUM") && self.word_is(2, "VALUES") {
            for _ in 0..3 {
                self.bump();
            }
            self.expect(TokenKind::LParen, "`(`")?;
            let values = match self.kind() {
                TokenKind::RParen => Vec::new(),
                _ => self.list(Self::type_arg)?,
            };
            self.expect(TokenKind::RParen, "`)`")?;
            return Ok(AlterCommand::AddEnumValues { if_exists, name, values });
        }
        if self.eat_kws(&[Kw::MODIFY, Kw::SETTING]) {
            let settings = self.settings_before_command()?;
            return Ok(AlterCommand::ModifyColumnSetting { if_exists, name, settings });
        }
        if self.eat_kws(&[Kw::RESET, Kw::SETTING]) {
            let names = self.list(Self::ident)?;
            let settings = names.into_iter().map(|n| n.name).collect();
            return Ok(AlterCommand::ResetColumnSetting { if_exists, name, settings });
        }
        let column = if self.eat_kw(Kw::TYPE) {
            let data_type = Some(self.type_name()?);
            let mut column =
                crate::ast::ColumnDef { name, data_type, ..crate::ast::ColumnDef::default() };
            self.column_properties(&mut column)?;
            column.position = self.span(before);
            column
        } else if is_alter {
            return Err(self.unexpected("TYPE, REMOVE, MODIFY SETTING or RESET SETTING"));
        } else {
            self.rewind(before)?;
            self.column_def(true)?
        };
        let mut column = column;
        if column.data_type.is_none() && self.kw() == Kw::FIRST && column.default.is_none() {
            // As in the reference, FIRST directly behind the name is taken for a type.
            let is_bare = column.comment.is_none() && column.codec.is_none();
            column.data_type = if is_bare { Some(self.type_name()?) } else { None };
        }
        let says_something = column.data_type.is_some()
            || column.nullable.is_some()
            || column.default.is_some()
            || column.comment.is_some()
            || column.codec.is_some()
            || column.statistics.is_some()
            || column.ttl.is_some()
            || column.primary_key
            || !column.settings.is_empty();
        if !says_something {
            return Err(self.unexpected("a type, DEFAULT, CODEC, COMMENT or REMOVE"));
        }
        Ok(AlterCommand::ModifyColumn { if_exists, column, place: self.place()? })
    }

    fn alter_remove(&mut self) -> Result<AlterCommand> {
        self.bump();
        if self.eat_kw(Kw::TTL) {
            return Ok(AlterCommand::RemoveTtl);
        }
        if self.eat_kws(&[Kw::SAMPLE, Kw::BY]) {
            return Ok(AlterCommand::RemoveSampleBy);
        }
        Err(self.unexpected("TTL or SAMPLE BY"))
    }

    fn alter_partition(&mut self, verb: Kw, from: usize) -> Result<AlterCommand> {
        match verb {
            Kw::ATTACH => {
                self.bump();
                let partition = self.partition()?;
                let from = if self.eat_kw(Kw::FROM) { Some(self.table_name()?) } else { None };
                Ok(AlterCommand::AttachPartition { partition, from })
            }
            Kw::REPLACE => {
                self.bump();
                let partition = self.partition()?;
                self.expect_kw(Kw::FROM)?;
                Ok(AlterCommand::ReplacePartition { partition, from: self.table_name()? })
            }
            Kw::MOVE => {
                self.bump();
                let partition = self.partition()?;
                self.expect_kw(Kw::TO)?;
                let to = if self.eat_kw(Kw::TABLE) {
                    MoveTarget::Table(self.table_name()?)
                } else if self.eat_kw(Kw::DISK) {
                    MoveTarget::Disk(self.string("name of a disk")?)
                } else {
                    self.expect_kw(Kw::VOLUME)?;
                    MoveTarget::Volume(self.string("name of a volume")?)
                };
                Ok(AlterCommand::MovePartition { partition, to })
            }
            Kw::FREEZE | Kw::UNFREEZE => {
                self.bump();
                let partition =
                    if self.kw() == Kw::PARTITION { Some(self.partition()?) } else { None };
                let name = if self.eat_kws(&[Kw::WITH, Kw::NAME]) {
                    Some(self.string("name")?)
                } else {
                    None
                };
                Ok(if verb == Kw::FREEZE {
                    AlterCommand::Freeze { partition, name }
                } else {
                    AlterCommand::Unfreeze { partition, name }
                })
            }
            Kw::FETCH => {
                self.bump();
                let partition = self.partition()?;
                self.expect_kw(Kw::FROM)?;
                Ok(AlterCommand::FetchPartition { partition, from: self.string("path")? })
            }
            _ if self.kind() == TokenKind::Word => {
                let _ = from;
                Err(self.unexpected("ADD, DROP, MODIFY, RENAME, UPDATE, DELETE or another command"))
            }
            _ => Err(self.unexpected("command of ALTER TABLE")),
        }
    }

    /// `IN PARTITION p`, if it follows.
    pub(super) fn in_partition(&mut self) -> Result<Option<Partition>> {
        if self.kw() == Kw::IN && self.ahead(1).kw == Kw::PARTITION {
            self.bump();
            return self.partition().map(Some);
        }
        Ok(None)
    }

    /// An expression that may be followed by `IN PARTITION`, where IN is not an operator.
    fn expr_before_partition(&mut self) -> Result<crate::ast::Expr> {
        self.stop_before_partition = true;
        let result = self.expr();
        self.stop_before_partition = false;
        result
    }

    /// At PARTITION or PART.
    pub(super) fn partition(&mut self) -> Result<Partition> {
        if self.eat_kw(Kw::PART) {
            return self.string("name of a part").map(Partition::Part);
        }
        self.expect_kw(Kw::PARTITION)?;
        if self.eat_kw(Kw::ALL) {
            return Ok(Partition::All);
        }
        if self.kw() == Kw::ID && self.ahead(1).kind == TokenKind::String {
            self.bump();
            return self.string("partition").map(Partition::Id);
        }
        self.expr().map(Partition::Expr)
    }
}
