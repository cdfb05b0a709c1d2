//! ALTER as text.

use super::Writer;
use crate::ast::{
    AlterCommand, AlterStatistics, AlterTable, ColumnPlace, Ident, MoveTarget, RewrittenParts,
    StatisticsVerb,
};

impl Writer {
    pub(super) fn alter(&mut self, alter: &AlterTable) {
        self.push(if alter.temporary { "ALTER TEMPORARY TABLE " } else { "ALTER TABLE " });
        self.table_name(&alter.table);
        self.cluster(alter.cluster.as_ref());
        self.clause_list(&alter.commands, |w, command| {
            w.push("(");
            w.alter_command(command);
            w.push(")");
        });
    }

    /// `verb IF [NOT] EXISTS name`.
    fn named(&mut self, verb: &str, condition: Option<&str>, name: &Ident) {
        self.push(verb);
        if let Some(condition) = condition {
            self.push(condition);
        }
        self.ident(name);
    }

    fn place(&mut self, place: Option<&ColumnPlace>) {
        match place {
            None => {}
            Some(ColumnPlace::First) => self.push(" FIRST"),
            Some(ColumnPlace::After(name)) => {
                self.push(" AFTER ");
                self.ident(name);
            }
        }
    }

    fn alter_command(&mut self, command: &AlterCommand) {
        use AlterCommand as C;
        let exists = |flag: &bool| flag.then_some("IF EXISTS ");
        match command {
            C::AddColumn { if_not_exists, column, place } => {
                self.push("ADD COLUMN ");
                self.flag(*if_not_exists, "IF NOT EXISTS ");
                self.column_def(column);
                self.place(place.as_ref());
            }
            C::ModifyColumn { if_exists, column, place } => {
                self.push("MODIFY COLUMN ");
                self.flag(*if_exists, "IF EXISTS ");
                self.column_def(column);
                self.place(place.as_ref());
            }
            C::AddEnumValues { .. }
            | C::ModifyColumnRemove { .. }
            | C::ModifyColumnSetting { .. }
            | C::ResetColumnSetting { .. } => self.alter_column_part(command),
            C::DropColumn { if_exists, name } => {
                self.named("DROP COLUMN ", exists(if_exists), name);
            }
            C::ClearColumn { if_exists, name, partition } => {
                self.named("CLEAR COLUMN ", exists(if_exists), name);
                self.in_partition(partition.as_ref());
            }
            C::MaterializeColumn { name, partition } => {
                self.named("MATERIALIZE COLUMN ", None, name);
                self.in_partition(partition.as_ref());
            }
            C::RenameColumn { if_exists, from, to } => {
                self.named("RENAME COLUMN ", exists(if_exists), from);
                self.push(" TO ");
                self.ident(to);
            }
            C::CommentColumn { if_exists, name, comment } => {
                self.named("COMMENT COLUMN ", exists(if_exists), name);
                self.push(" ");
                self.string(comment);
            }
            C::AddIndex { .. }
            | C::DropIndex { .. }
            | C::ClearIndex { .. }
            | C::MaterializeIndex { .. }
            | C::AddProjection { .. }
            | C::DropProjection { .. }
            | C::ClearProjection { .. }
            | C::MaterializeProjection { .. }
            | C::AddConstraint { .. }
            | C::DropConstraint { .. } => self.alter_secondary(command),
            C::Delete { .. } | C::Update { .. } | C::Rewrite { .. } => {
                self.alter_rows(command);
            }
            C::Statistics(command) => self.alter_statistics(command),
            _ => self.alter_table_wide(command),
        }
    }

    /// Commands that change one thing of a column.
    fn alter_column_part(&mut self, command: &AlterCommand) {
        use AlterCommand as C;
        let exists = |flag: &bool| flag.then_some("IF EXISTS ");
        match command {
            C::AddEnumValues { if_exists, name, values } => {
                self.named("MODIFY COLUMN ", exists(if_exists), name);
                self.push(" ADD ENUM VALUES (");
                self.inline(values, Self::type_arg);
                self.push(")");
            }
            C::ModifyColumnRemove { if_exists, name, property } => {
                self.named("MODIFY COLUMN ", exists(if_exists), name);
                self.push(" REMOVE ");
                self.push(property);
            }
            C::ModifyColumnSetting { if_exists, name, settings } => {
                self.named("MODIFY COLUMN ", exists(if_exists), name);
                self.push(" MODIFY SETTING ");
                self.settings(settings);
            }
            C::ResetColumnSetting { if_exists, name, settings } => {
                self.named("MODIFY COLUMN ", exists(if_exists), name);
                self.push(" RESET SETTING ");
                self.inline(settings, |w, s| w.setting_name(s));
            }
            _ => {}
        }
    }

    fn alter_secondary(&mut self, command: &AlterCommand) {
        use AlterCommand as C;
        let exists = |flag: &bool| flag.then_some("IF EXISTS ");
        match command {
            C::AddIndex { if_not_exists, index, place } => {
                self.push("ADD INDEX ");
                self.flag(*if_not_exists, "IF NOT EXISTS ");
                self.index_def(index);
                self.place(place.as_ref());
            }
            C::AddProjection { if_not_exists, projection, place } => {
                self.push("ADD PROJECTION ");
                self.flag(*if_not_exists, "IF NOT EXISTS ");
                self.projection_def(projection);
                self.place(place.as_ref());
            }
            C::AddConstraint { if_not_exists, constraint } => {
                self.push("ADD CONSTRAINT ");
                self.flag(*if_not_exists, "IF NOT EXISTS ");
                self.constraint_def(constraint);
            }
            C::DropIndex { if_exists, name } => {
                self.named("DROP INDEX ", exists(if_exists), name);
            }
            C::DropProjection { if_exists, name } => {
                self.named("DROP PROJECTION ", exists(if_exists), name);
            }
            C::DropConstraint { if_exists, name } => {
                self.named("DROP CONSTRAINT ", exists(if_exists), name);
            }
            C::ClearIndex { if_exists, name, partition } => {
                self.named("CLEAR INDEX ", exists(if_exists), name);
                self.in_partition(partition.as_ref());
            }
            C::MaterializeIndex { if_exists, name, partition } => {
                self.named("MATERIALIZE INDEX ", exists(if_exists), name);
                self.in_partition(partition.as_ref());
            }
            C::ClearProjection { if_exists, name, partition } => {
                self.named("CLEAR PROJECTION ", exists(if_exists), name);
                self.in_partition(partition.as_ref());
            }
            C::MaterializeProjection { if_exists, name, partition } => {
                self.named("MATERIALIZE PROJECTION ", exists(if_exists), name);
                self.in_partition(partition.as_ref());
            }
            _ => {}
        }
    }

    fn alter_statistics(&mut self, command: &AlterStatistics) {
        self.push(command.verb.name());
        self.push(" STATISTICS ");
        let condition =
            if command.verb == StatisticsVerb::Add { "IF NOT EXISTS " } else { "IF EXISTS " };
        self.flag(command.conditional, condition);
        if command.columns.is_empty() {
            self.push("ALL");
        }
        self.inline(&command.columns, Self::ident);
        if !command.kinds.is_empty() {
            self.push(" TYPE ");
            self.inline(&command.kinds, Self::bare_or_call);
        }
        self.in_partition(command.partition.as_ref());
    }

    fn alter_rows(&mut self, command: &AlterCommand) {
        match command {
            AlterCommand::Delete { partition, where_clause } => {
                self.push("DELETE");
                self.in_partition(partition.as_ref());
                self.push(" WHERE ");
                self.plain(where_clause);
            }
            AlterCommand::Update { set, partition, where_clause } => {
                self.push("UPDATE ");
                self.assignments(set);
                self.in_partition(partition.as_ref());
                self.push(" WHERE ");
                self.plain(where_clause);
            }
            AlterCommand::Rewrite { which, partition } => {
                self.push(match which {
                    RewrittenParts::Deleted => "APPLY DELETED MASK",
                    RewrittenParts::Patched => "APPLY PATCHES",
                    RewrittenParts::All => "REWRITE PARTS",
                });
                self.in_partition(partition.as_ref());
            }
            _ => {}
        }
    }

    fn alter_table_wide(&mut self, command: &AlterCommand) {
        use AlterCommand as C;
        match command {
            C::ModifyOrderBy(key) => {
                self.push("MODIFY ORDER BY ");
                self.sorting_key(key);
            }
            C::ModifySampleBy(expr) => {
                self.push("MODIFY SAMPLE BY ");
                self.plain(expr);
            }
            C::RemoveSampleBy => self.push("REMOVE SAMPLE BY"),
            C::ModifyTtl(items) => {
                self.push("MODIFY TTL ");
                self.inline(items, Self::ttl_item);
            }
            C::RemoveTtl => self.push("REMOVE TTL"),
            C::MaterializeTtl { partition } => {
                self.push("MATERIALIZE TTL");
                self.in_partition(partition.as_ref());
            }
            C::ModifySetting(settings) => {
                self.push("MODIFY SETTING ");
                self.settings(settings);
            }
            C::ResetSetting(names) => {
                self.push("RESET SETTING ");
                self.inline(names, |w, s| w.setting_name(s));
            }
            C::ModifyComment(comment) => {
                self.push("MODIFY COMMENT ");
                self.string(comment);
            }
            C::ModifyRefresh(refresh) => {
                self.push("MODIFY ");
                self.refresh(refresh);
            }
            C::ModifySecurity(security) => {
                self.push("MODIFY ");
                self.push(security);
            }
            C::ModifyQuery(query) => {
                self.push("MODIFY QUERY ");
                self.query(query);
            }
            _ => self.alter_partition(command),
        }
    }

    fn alter_partition(&mut self, command: &AlterCommand) {
        use AlterCommand as C;
        match command {
            C::DropPartition { partition, detach } => {
                self.push(if *detach { "DETACH " } else { "DROP " });
                self.partition(partition);
            }
            C::DropDetachedPartition { partition } => {
                self.push("DROP DETACHED ");
                self.partition(partition);
            }
            C::AttachPartition { partition, from } => {
                self.push("ATTACH ");
                self.partition(partition);
                if let Some(from) = from {
                    self.push(" FROM ");
                    self.table_name(from);
                }
            }
            C::ReplacePartition { partition, from } => {
                self.push("REPLACE ");
                self.partition(partition);
                self.push(" FROM ");
                self.table_name(from);
            }
            C::MovePartition { partition, to } => {
                self.push("MOVE ");
                self.partition(partition);
                match to {
                    MoveTarget::Table(table) => {
                        self.push(" TO TABLE ");
                        self.table_name(table);
                    }
                    MoveTarget::Disk(disk) => {
                        self.push(" TO DISK ");
                        self.string(disk);
                    }
                    MoveTarget::Volume(volume) => {
                        self.push(" TO VOLUME ");
                        self.string(volume);
                    }
                }
            }
            C::Freeze { partition, name } | C::Unfreeze { partition, name } => {
                let freeze = matches!(command, C::Freeze { .. });
                self.push(if freeze { "FREEZE" } else { "UNFREEZE" });
                if let Some(partition) = partition {
                    self.push(" ");
                    self.partition(partition);
                }
                if let Some(name) = name {
                    self.push(" WITH NAME ");
                    self.string(name);
                }
            }
            C::ForgetPartition { partition } => {
                self.push("FORGET ");
                self.partition(partition);
            }
            C::FetchPartition { partition, from } => {
                self.push("FETCH ");
                self.partition(partition);
                self.push(" FROM ");
                self.string(from);
            }
            _ => {}
        }
    }
}
