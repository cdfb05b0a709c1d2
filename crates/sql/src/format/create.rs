//! CREATE and ALTER as text.

use super::Writer;
use crate::ast::{
    ColumnDef, ConstraintDef, CreateDatabase, CreateFunction, CreateMode, CreateSource,
    CreateTable, CreateView, DefaultKind, Expr, Function, Ident, IndexDef, KeyItem, Partition,
    ProjectionDef, Storage, TableElements, TtlAction, TtlItem,
};

impl Writer {
    pub(super) fn create_database(&mut self, create: &CreateDatabase) {
        self.push("CREATE DATABASE ");
        self.flag(create.if_not_exists, "IF NOT EXISTS ");
        self.ident(&create.name);
        self.cluster(create.cluster.as_ref());
        if let Some(engine) = &create.engine {
            self.line();
            self.engine(&engine.name, engine.args.as_deref());
        }
        if !create.settings.is_empty() {
            self.line();
            self.push("SETTINGS ");
            self.settings(&create.settings);
        }
        self.comment(create.comment.as_deref());
    }

    pub(super) fn cluster(&mut self, cluster: Option<&Ident>) {
        if let Some(cluster) = cluster {
            self.push(" ON CLUSTER ");
            self.ident(cluster);
        }
    }

    pub(super) fn comment(&mut self, comment: Option<&str>) {
        if let Some(comment) = comment {
            self.line();
            self.push("COMMENT ");
            self.string(comment);
        }
    }

    pub(super) fn create_head(&mut self, mode: CreateMode, what: &str) {
        self.push(match mode {
            CreateMode { attach: true, .. } => "ATTACH ",
            CreateMode { replace: true, .. } => "REPLACE ",
            _ => "CREATE ",
        });
        self.flag(mode.or_replace, "OR REPLACE ");
        self.flag(mode.temporary, "TEMPORARY ");
        self.push(what);
        self.flag(mode.if_not_exists, "IF NOT EXISTS ");
    }

    pub(super) fn uuid(&mut self, uuid: Option<&str>) {
        if let Some(uuid) = uuid {
            self.push(" UUID ");
            self.string(uuid);
        }
    }

    pub(super) fn create_table(&mut self, create: &CreateTable) {
        self.create_head(create.mode, "TABLE ");
        self.table_name(&create.name);
        self.uuid(create.uuid.as_deref());
        self.cluster(create.cluster.as_ref());
        self.elements(&create.elements);
        match &create.source {
            Some(CreateSource::Table(table)) => {
                self.push(" AS ");
                self.table_name(table);
            }
            Some(CreateSource::Clone(table)) => {
                self.push(" CLONE AS ");
                self.table_name(table);
            }
            Some(CreateSource::Function(function)) => {
                self.push(" AS ");
                self.call(function);
            }
            _ => {}
        }
        self.storage(&create.storage);
        if let Some(CreateSource::Select(query)) = &create.source {
            // A comment goes before AS, because after the query its words would belong to the
            // query.
            self.comment(create.comment.as_deref());
            self.flag(create.empty, " EMPTY");
            self.line();
            self.push("AS ");
            self.query(query);
        } else {
            self.comment(create.comment.as_deref());
        }
    }

    pub(super) fn create_view(&mut self, create: &CreateView) {
        self.create_head(
            create.mode,
            if create.materialized { "MATERIALIZED VIEW " } else { "VIEW " },
        );
        self.table_name(&create.name);
        self.uuid(create.uuid.as_deref());
        self.cluster(create.cluster.as_ref());
        if let Some(refresh) = &create.refresh {
            self.line();
            self.refresh(refresh);
        }
        if let Some(to) = &create.to {
            self.push(" TO ");
            self.table_name(to);
        }
        self.elements(&create.elements);
        self.aliases(&create.aliases);
        self.storage(&create.storage);
        self.flag(create.populate, " POPULATE");
        self.flag(create.empty, " EMPTY");
        if let Some(security) = &create.security {
            self.line();
            self.push(security);
        }
        self.comment(create.comment.as_deref());
        self.line();
        self.push("AS ");
        self.query(&create.query);
    }

    /// Names of a view's columns without types.
    fn aliases(&mut self, aliases: &[Ident]) {
        if !aliases.is_empty() {
            self.line();
            self.push("(");
            self.inline(aliases, Self::ident);
            if !self.one_line {
                self.new_line();
            }
            self.push(")");
        }
    }

    pub(super) fn create_function(&mut self, create: &CreateFunction) {
        self.push("CREATE ");
        self.flag(create.or_replace, "OR REPLACE ");
        self.push("FUNCTION ");
        self.flag(create.if_not_exists, "IF NOT EXISTS ");
        self.ident(&create.name);
        self.cluster(create.cluster.as_ref());
        self.push(" AS ");
        self.plain(&create.body);
    }

    fn elements(&mut self, elements: &TableElements) {
        let mut parts: Vec<Box<dyn Fn(&mut Self) + '_>> = Vec::new();
        for column in &elements.columns {
            parts.push(Box::new(move |w| w.column_def(column)));
        }
        for index in &elements.indices {
            parts.push(Box::new(move |w| {
                w.push("INDEX ");
                w.index_def(index);
            }));
        }
        for constraint in &elements.constraints {
            parts.push(Box::new(move |w| {
                w.push("CONSTRAINT ");
                w.constraint_def(constraint);
            }));
        }
        for projection in &elements.projections {
            parts.push(Box::new(move |w| {
                w.push("PROJECTION ");
                w.projection_def(projection);
            }));
        }
        if let Some(key) = &elements.primary_key {
            parts.push(Box::new(move |w| {
                w.push("PRIMARY KEY ");
                w.key(key);
            }));
        }
        if parts.is_empty() {
            return;
        }
        self.line();
        self.block(|w| {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    w.push(",");
                    w.line();
                }
                part(w);
            }
        });
    }

    pub(super) fn column_def(&mut self, column: &ColumnDef) {
        self.quoted_name(&column.name.name);
        if let Some(data_type) = &column.data_type {
            self.push(" ");
            self.type_name(data_type);
        }
        if let Some(nullable) = column.nullable {
            self.push(if nullable { " NULL" } else { " NOT NULL" });
        }
        if column.auto_increment {
            self.push(" AUTO_INCREMENT");
        }
        if let Some(default) = &column.default {
            self.push(match default.kind {
                DefaultKind::Default => " DEFAULT",
                DefaultKind::Materialized => " MATERIALIZED",
                DefaultKind::Alias => " ALIAS",
                DefaultKind::Ephemeral => " EPHEMERAL",
            });
            if let Some(expr) = &default.expr {
                self.push(" ");
                self.plain(expr);
            }
        }
        if let Some(comment) = &column.comment {
            self.push(" COMMENT ");
            self.string(comment);
        }
        if let Some(codecs) = &column.codec {
            self.push(" CODEC(");
            self.inline(codecs, Self::bare_or_call);
            self.push(")");
        }
        if let Some(statistics) = &column.statistics {
            self.push(" STATISTICS(");
            self.inline(statistics, Self::bare_or_call);
            self.push(")");
        }
        if let Some(ttl) = &column.ttl {
            self.push(" TTL ");
            self.plain(ttl);
        }
        if let Some(collate) = &column.collate {
            self.push(" COLLATE ");
            self.name(collate);
        }
        self.flag(column.primary_key, " PRIMARY KEY");
        if !column.settings.is_empty() {
            self.push(" SETTINGS (");
            self.settings(&column.settings);
            self.push(")");
        }
    }

    /// A function whose parentheses may have been left out.
    pub(super) fn bare_or_call(&mut self, function: &Function) {
        if function.from_operator { self.name(&function.name) } else { self.call(function) }
    }

    pub(super) fn index_def(&mut self, index: &IndexDef) {
        self.ident(&index.name);
        self.push(" ");
        self.plain(&index.expr);
        if let Some(index_type) = &index.index_type {
            self.push(" TYPE ");
            self.bare_or_call(index_type);
        }
        if let Some(granularity) = index.granularity {
            self.push(&format!(" GRANULARITY {granularity}"));
        }
    }

    pub(super) fn constraint_def(&mut self, constraint: &ConstraintDef) {
        self.ident(&constraint.name);
        self.push(if constraint.assume { " ASSUME " } else { " CHECK " });
        self.plain(&constraint.expr);
    }

    pub(super) fn projection_def(&mut self, projection: &ProjectionDef) {
        self.ident(&projection.name);
        match &projection.index {
            Some((expr, kind)) => {
                self.push(" INDEX ");
                self.plain(expr);
                self.push(" TYPE ");
                self.ident(kind);
            }
            None => {
                self.line();
                let outer = std::mem::replace(&mut self.in_projection, true);
                self.block(|w| w.query(&projection.query));
                self.in_projection = outer;
            }
        }
        if !projection.settings.is_empty() {
            self.push(" WITH SETTINGS (");
            self.settings(&projection.settings);
            self.push(")");
        }
    }

    fn engine(&mut self, name: &str, args: Option<&[Expr]>) {
        self.push("ENGINE = ");
        self.engine_call(name, args);
    }

    fn engine_call(&mut self, name: &str, args: Option<&[Expr]>) {
        self.name(name);
        if let Some(args) = args {
            self.push("(");
            match args.first().and_then(Expr::as_identifier) {
                // `Join(ANY, LEFT, k)`: a keyword, and not a name to be quoted.
                Some([strictness]) if name == "Join" => {
                    self.push(strictness.as_str());
                    self.flag(args.len() > 1, ", ");
                    self.items(&args[1..]);
                }
                _ => self.items(args),
            }
            self.push(")");
        }
    }

    /// A key: one expression, or a tuple.
    fn key(&mut self, key: &[Expr]) {
        match key {
            [] => self.push("tuple()"),
            [only] => self.plain(only),
            many => {
                self.push("(");
                self.items(many);
                self.push(")");
            }
        }
    }

    pub(super) fn sorting_key(&mut self, key: &[KeyItem]) {
        let item = |w: &mut Self, item: &KeyItem| {
            w.plain(&item.expr);
            w.flag(item.descending, " DESC");
        };
        match key {
            [] => self.push("tuple()"),
            [only] => item(self, only),
            many => {
                let is_plain = many.iter().all(|item| !item.descending);
                self.push(if is_plain { "(" } else { "tuple(" });
                self.inline(many, item);
                self.push(")");
            }
        }
    }

    fn storage(&mut self, storage: &Storage) {
        if let Some(engine) = &storage.engine {
            self.line();
            self.engine(&engine.name, engine.args.as_deref());
        }
        self.storage_clauses(storage);
    }

    /// The engine's call and what follows it, without the words `ENGINE =`.
    pub(super) fn engine_full(&mut self, storage: &Storage) {
        if let Some(engine) = &storage.engine {
            self.engine_call(&engine.name, engine.args.as_deref());
        }
        self.storage_clauses(storage);
    }

    fn storage_clauses(&mut self, storage: &Storage) {
        if let Some(partition_by) = &storage.partition_by {
            self.line();
            self.push("PARTITION BY ");
            self.plain(partition_by);
        }
        if let Some(key) = &storage.primary_key {
            self.line();
            self.push("PRIMARY KEY ");
            self.key(key);
        }
        if let Some(key) = &storage.order_by {
            self.line();
            self.push("ORDER BY ");
            self.sorting_key(key);
        }
        if let Some(sample_by) = &storage.sample_by {
            self.line();
            self.push("SAMPLE BY ");
            self.plain(sample_by);
        }
        if !storage.ttl.is_empty() {
            self.line();
            self.push("TTL ");
            self.inline(&storage.ttl, Self::ttl_item);
        }
        if !storage.settings.is_empty() {
            self.line();
            self.push("SETTINGS ");
            self.settings(&storage.settings);
        }
    }

    pub(super) fn ttl_item(&mut self, item: &TtlItem) {
        self.plain(&item.expr);
        match &item.action {
            TtlAction::Delete => {}
            TtlAction::ToDisk(disk) => {
                self.push(" TO DISK ");
                self.string(disk);
            }
            TtlAction::ToVolume(volume) => {
                self.push(" TO VOLUME ");
                self.string(volume);
            }
            TtlAction::Recompress(codecs) => {
                self.push(" RECOMPRESS CODEC(");
                self.inline(codecs, Self::bare_or_call);
                self.push(")");
            }
            TtlAction::GroupBy { keys, set } => {
                self.push(" GROUP BY ");
                self.inline(keys, Self::plain);
                if !set.is_empty() {
                    self.push(" SET ");
                    self.assignments(set);
                }
            }
        }
        if let Some(condition) = &item.where_clause {
            self.push(" WHERE ");
            self.plain(condition);
        }
    }

    pub(super) fn assignments(&mut self, set: &[(Ident, Expr)]) {
        self.inline(set, |w, (name, expr)| {
            w.ident(name);
            w.push(" = ");
            w.plain(expr);
        });
    }

    pub(super) fn partition(&mut self, partition: &Partition) {
        match partition {
            Partition::Expr(expr) => {
                self.push("PARTITION ");
                self.plain(expr);
            }
            Partition::Id(id) => {
                self.push("PARTITION ID ");
                self.string(id);
            }
            Partition::All => self.push("PARTITION ALL"),
            Partition::Part(name) => {
                self.push("PART ");
                self.string(name);
            }
        }
    }

    pub(super) fn in_partition(&mut self, partition: Option<&Partition>) {
        if let Some(partition) = partition {
            self.push(" IN ");
            self.partition(partition);
        }
    }
}
