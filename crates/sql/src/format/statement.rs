//! Statements other than CREATE and ALTER as text.

use super::Writer;
use crate::ast::{
    Attach, Compare, DatabaseChange, DropObject, Explain, ExplainKind, Ident, Insert, InsertSource,
    InsertTarget, KillMode, Like, ObjectKind, Optimize, Rename, Show, ShowWhat, Statement,
    StatementKind, TableName, Truncate,
};

fn object(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Database => "DATABASE ",
        ObjectKind::Table => "TABLE ",
        ObjectKind::View => "VIEW ",
        ObjectKind::Dictionary => "DICTIONARY ",
        ObjectKind::Function => "FUNCTION ",
    }
}

impl Writer {
    pub(super) fn statement(&mut self, statement: &Statement) {
        self.statement_kind(&statement.kind);
        self.output(&statement.output);
    }

    fn statement_kind(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Query(query) => self.query(query),
            StatementKind::Explain(explain) => self.explain(explain),
            StatementKind::Compare(compare) => self.compare(compare),
            StatementKind::Insert(insert) => self.insert(insert),
            StatementKind::CreateDatabase(create) => self.create_database(create),
            StatementKind::CreateTable(create) => self.create_table(create),
            StatementKind::CreateDictionary(create) => self.create_dictionary(create),
            StatementKind::CreateView(create) => self.create_view(create),
            StatementKind::CreateFunction(create) => self.create_function(create),
            StatementKind::Unsupported(statement) => self.push(&statement.text),
            StatementKind::Backup(backup) => self.backup(backup),
            StatementKind::Drop(drop) => self.drop_statement(drop),
            StatementKind::Attach(attach) => self.attach(attach),
            StatementKind::Truncate(truncate) => self.truncate(truncate),
            StatementKind::Rename(rename) => self.rename(rename),
            StatementKind::Alter(alter) => self.alter(alter),
            StatementKind::Optimize(optimize) => self.optimize(optimize),
            StatementKind::Delete(delete) => {
                self.push("DELETE FROM ");
                self.table_name(&delete.table);
                self.cluster(delete.cluster.as_ref());
                self.in_partition(delete.partition.as_ref());
                self.push(" WHERE ");
                self.plain(&delete.where_clause);
            }
            StatementKind::Update(update) => {
                self.push("UPDATE ");
                self.table_name(&update.table);
                self.cluster(update.cluster.as_ref());
                self.push(" SET ");
                self.assignments(&update.set);
                self.in_partition(update.partition.as_ref());
                self.push(" WHERE ");
                self.plain(&update.where_clause);
            }
            StatementKind::Show(show) => self.show(show),
            _ => self.small_statement(kind),
        }
    }

    fn alter_database(&mut self, name: &Ident, change: &DatabaseChange) {
        self.push("ALTER DATABASE ");
        self.ident(name);
        match change {
            DatabaseChange::Comment(comment) => {
                self.push(" (MODIFY COMMENT ");
                self.string(comment);
            }
            DatabaseChange::Settings(settings) => {
                self.push(" (MODIFY SETTING ");
                self.settings(settings);
            }
        }
        self.push(")");
    }

    fn small_statement(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::Check { table, partition } => {
                if table.table.as_str().is_empty() {
                    let Some(database) = &table.database else {
                        return self.push("CHECK ALL TABLES");
                    };
                    self.push("CHECK DATABASE ");
                    return self.ident(database);
                }
                self.push("CHECK TABLE ");
                self.table_name(table);
                if let Some(partition) = partition {
                    self.push(" ");
                    self.partition(partition);
                }
            }
            StatementKind::AlterDatabase { name, change } => self.alter_database(name, change),
            StatementKind::Describe(describe) => {
                self.push("DESCRIBE TABLE");
                self.table_expr(&describe.table);
            }
            StatementKind::Exists { object: kind, temporary, name } => {
                self.push("EXISTS ");
                self.flag(*temporary, "TEMPORARY ");
                self.push(object(*kind));
                self.table_name(name);
            }
            StatementKind::Set(settings) => {
                self.push("SET ");
                self.settings(settings);
            }
            StatementKind::Use(name) => {
                self.push("USE ");
                self.ident(name);
            }
            StatementKind::System(system) => {
                self.push("SYSTEM ");
                self.push(&system.command);
                if let Some(name) = &system.name {
                    self.push(" ");
                    self.table_name(name);
                }
                self.flag(!system.rest.is_empty(), " ");
                self.push(&system.rest);
            }
            StatementKind::Kill { mutation, where_clause, mode } => {
                self.push(if *mutation { "KILL MUTATION WHERE " } else { "KILL QUERY WHERE " });
                self.plain(where_clause);
                self.push(match mode {
                    KillMode::Async => " ASYNC",
                    KillMode::Sync => " SYNC",
                    KillMode::Test => " TEST",
                });
            }
            StatementKind::Transaction(words) => self.push(words),
            _ => {}
        }
    }

    fn compare(&mut self, compare: &Compare) {
        self.push("COMPARE (");
        self.query(&compare.old);
        match &compare.new {
            Some(new) => {
                self.push(") WITH (");
                self.query(new);
                self.push(")");
            }
            None => {
                self.push(") USING SETTINGS ");
                self.settings(&compare.old_settings);
                self.push(" VERSUS ");
                self.settings(&compare.new_settings);
            }
        }
        if !compare.options.is_empty() {
            self.push(" SETTINGS ");
            self.settings(&compare.options);
        }
    }

    fn explain(&mut self, explain: &Explain) {
        self.push("EXPLAIN ");
        self.push(match explain.kind {
            ExplainKind::Plan => "",
            ExplainKind::Ast => "AST ",
            ExplainKind::Syntax => "SYNTAX ",
            ExplainKind::QueryTree => "QUERY TREE ",
            ExplainKind::Pipeline => "PIPELINE ",
            ExplainKind::Estimate => "ESTIMATE ",
            ExplainKind::Analyze => "ANALYZE ",
            ExplainKind::TableOverride => "TABLE OVERRIDE ",
            ExplainKind::CurrentTransaction => "CURRENT TRANSACTION ",
        });
        if !explain.settings.is_empty() {
            self.settings(&explain.settings);
            self.push(" ");
        }
        self.statement(&explain.statement);
    }

    fn insert(&mut self, insert: &Insert) {
        self.push("INSERT INTO ");
        match &insert.target {
            InsertTarget::Table(name) => self.table_name(name),
            InsertTarget::Function(function) => {
                self.push("FUNCTION ");
                self.call(function);
            }
        }
        if let Some(partition_by) = &insert.partition_by {
            self.push(" PARTITION BY ");
            self.plain(partition_by);
        }
        if !insert.columns.is_empty() {
            self.push(" (");
            self.inline(&insert.columns, Self::plain);
            self.push(")");
        }
        if !insert.settings.is_empty() {
            self.push(" SETTINGS ");
            self.settings(&insert.settings);
        }
        match &insert.source {
            InsertSource::Data { format: None, .. } => {}
            InsertSource::Data { format: Some(format), .. } => {
                self.push(" FORMAT ");
                self.format_name(format);
            }
            InsertSource::Select(query) => {
                self.line();
                self.query(query);
            }
            InsertSource::Infile { path, compression, format } => {
                self.push(" FROM INFILE ");
                self.string(path);
                if let Some(compression) = compression {
                    self.push(" COMPRESSION ");
                    self.string(compression);
                }
                if let Some(format) = format {
                    self.push(" FORMAT ");
                    self.format_name(format);
                }
            }
        }
    }

    pub(super) fn tables(&mut self, names: &[TableName]) {
        self.inline(names, |w, name| w.table_name(name));
    }

    fn drop_statement(&mut self, drop: &DropObject) {
        self.push(if drop.detach { "DETACH " } else { "DROP " });
        self.flag(drop.temporary, "TEMPORARY ");
        self.push(object(drop.object));
        self.flag(drop.if_exists, "IF EXISTS ");
        self.flag(drop.if_empty, "IF EMPTY ");
        self.tables(&drop.names);
        self.cluster(drop.cluster.as_ref());
        self.flag(drop.permanently, " PERMANENTLY");
        self.flag(drop.sync, " SYNC");
    }

    fn attach(&mut self, attach: &Attach) {
        self.push(if attach.undrop { "UNDROP " } else { "ATTACH " });
        self.push(object(attach.object));
        self.flag(attach.if_not_exists, "IF NOT EXISTS ");
        self.table_name(&attach.name);
        self.cluster(attach.cluster.as_ref());
    }

    fn truncate(&mut self, truncate: &Truncate) {
        self.push("TRUNCATE ");
        self.flag(truncate.temporary, "TEMPORARY ");
        self.push(if truncate.all_tables { "ALL TABLES FROM " } else { object(truncate.object) });
        self.flag(truncate.if_exists, "IF EXISTS ");
        self.table_name(&truncate.name);
        self.like(truncate.like.as_ref());
        self.cluster(truncate.cluster.as_ref());
        self.flag(truncate.sync, " SYNC");
    }

    fn rename(&mut self, rename: &Rename) {
        self.push(if rename.exchange { "EXCHANGE " } else { "RENAME " });
        self.push(match (rename.exchange, rename.object) {
            (true, ObjectKind::Dictionary) => "DICTIONARIES ",
            (true, _) => "TABLES ",
            (false, kind) => object(kind),
        });
        self.flag(rename.if_exists, "IF EXISTS ");
        self.inline(&rename.items, |w, (from, to)| {
            w.table_name(from);
            w.push(if rename.exchange { " AND " } else { " TO " });
            w.table_name(to);
        });
        self.cluster(rename.cluster.as_ref());
    }

    fn optimize(&mut self, optimize: &Optimize) {
        self.push("OPTIMIZE TABLE ");
        self.table_name(&optimize.table);
        self.cluster(optimize.cluster.as_ref());
        if let Some(partition) = &optimize.partition {
            self.push(" ");
            self.partition(partition);
        }
        if let Some(parts) = &optimize.dry_run {
            self.push(" DRY RUN PARTS ");
            self.inline(parts, |w, part| w.string(part));
        }
        self.flag(optimize.is_final, " FINAL");
        self.flag(optimize.deduplicate, " DEDUPLICATE");
        if !optimize.deduplicate_by.is_empty() {
            self.push(" BY ");
            self.inline(&optimize.deduplicate_by, Self::plain);
        }
        self.flag(optimize.cleanup, " CLEANUP");
    }

    fn like(&mut self, like: Option<&Like>) {
        if let Some(like) = like {
            self.flag(like.not, " NOT");
            self.push(if like.case_insensitive { " ILIKE " } else { " LIKE " });
            self.string(&like.pattern);
        }
    }

    fn show(&mut self, show: &Show) {
        self.push("SHOW ");
        self.flag(show.extended, "EXTENDED ");
        self.flag(show.full, "FULL ");
        self.flag(show.changed, "CHANGED ");
        self.flag(show.temporary, "TEMPORARY ");
        match &show.what {
            ShowWhat::Databases => self.push("DATABASES"),
            ShowWhat::Tables => self.push("TABLES"),
            ShowWhat::Dictionaries => self.push("DICTIONARIES"),
            ShowWhat::Columns(table) => {
                self.push("COLUMNS FROM ");
                self.table_name(table);
            }
            ShowWhat::Indexes(table) => {
                self.push("INDEXES FROM ");
                self.table_name(table);
            }
            ShowWhat::Create { object: kind, temporary, name } => {
                self.push("CREATE ");
                self.flag(*temporary, "TEMPORARY ");
                self.push(object(*kind));
                self.table_name(name);
            }
            ShowWhat::Settings => self.push("SETTINGS"),
            ShowWhat::Setting(name) => {
                self.push("SETTING ");
                self.setting_name(&name.name);
            }
            ShowWhat::Processlist => self.push("PROCESSLIST"),
            ShowWhat::Functions => self.push("FUNCTIONS"),
            ShowWhat::Engines => self.push("ENGINES"),
            ShowWhat::Clusters => self.push("CLUSTERS"),
            ShowWhat::Merges => self.push("MERGES"),
            ShowWhat::Access(words) => self.push(words),
        }
        if let Some(from) = &show.from {
            self.push(" FROM ");
            self.ident(from);
        }
        self.like(show.like.as_ref());
        if let Some(condition) = &show.where_clause {
            self.push(" WHERE ");
            self.plain(condition);
        }
        if let Some(limit) = &show.limit {
            self.push(" LIMIT ");
            self.plain(limit);
        }
    }
}
