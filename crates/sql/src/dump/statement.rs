//! Nodes of statements.

use super::Node;
use super::expr::{bare, data_type, expr, exprs, function, ident, text};
use super::query::{full_name, name_nodes, query, table, table_name};
use crate::ast::{
    AlterCommand, AlterTable, ColumnDef, CreateSource, CreateTable, CreateView, Explain,
    ExplainKind, Expr, Function, IndexDef, Insert, InsertSource, InsertTarget, KillMode,
    ObjectKind, Output, Partition, Query, RewrittenParts, ShowWhat, Statement, StatementKind,
    StatisticsVerb, Storage, TableElements, TableName,
};

/// The tree of a statement.
pub(super) fn of(statement: &Statement) -> Node {
    let mut node = kind(&statement.kind);
    node.children.extend(output(&statement.output));
    node
}

fn output(output: &Output) -> Vec<Node> {
    let mut nodes: Vec<Node> = output.outfile.iter().map(|file| text(&file.path)).collect();
    nodes.extend(output.format.as_ref().map(ident));
    if !output.settings.is_empty() {
        nodes.push(Node::leaf("Set"));
    }
    nodes
}

/// `DropQuery db t`: both names stand in the line, the database's place also when it is empty.
fn named(what: &str, name: &TableName, children: Vec<Node>) -> Node {
    let database = name.database.as_ref().map_or("", |d| d.as_str());
    Node::new(format!("{what} {database} {}", name.table.name), children)
}

/// A statement about one table, database, or other object.
fn about(what: &str, object: ObjectKind, name: &TableName) -> Node {
    match object {
        ObjectKind::Database => {
            Node::new(format!("{what} {} ", name.table.name), vec![ident(&name.table)])
        }
        _ => named(what, name, name_nodes(name)),
    }
}

fn kind(kind: &StatementKind) -> Node {
    match kind {
        StatementKind::Query(inner) => query(inner),
        StatementKind::Explain(inner) => explain(inner),
        StatementKind::Compare(compare) => {
            let mut children = vec![query(&compare.old)];
            children.extend(compare.new.as_ref().map(query));
            Node::new("CompareQuery", children)
        }
        StatementKind::Insert(inner) => insert(inner),
        StatementKind::CreateDatabase(create) => {
            let mut children = vec![ident(&create.name)];
            if let Some(engine) = &create.engine {
                let engine = bare(&engine.name, engine.args.as_deref().unwrap_or(&[]));
                children.push(Node::new("Storage definition", vec![engine]));
            }
            children.extend(create.comment.as_deref().map(text));
            Node::new(format!("CreateQuery {} ", create.name.name), children)
        }
        StatementKind::CreateTable(create) => create_table(create),
        StatementKind::CreateDictionary(create) => {
            created(&create.name, create.mode.attach, Vec::new())
        }
        StatementKind::CreateView(create) => create_view(create),
        StatementKind::CreateFunction(create) => Node::new(
            format!("CreateSQLFunctionQuery {}", create.name.name),
            vec![ident(&create.name), expr(&create.body)],
        ),
        StatementKind::Alter(alter) => self::alter(alter),
        StatementKind::Rename(rename) => {
            let names = rename.items.iter().flat_map(|(from, to)| [from, to]);
            Node::new("Rename", names.flat_map(name_nodes).collect())
        }
        StatementKind::Delete(delete) => {
            let mut children: Vec<Node> = delete.partition.iter().map(partition).collect();
            children.push(expr(&delete.where_clause));
            children.extend(name_nodes(&delete.table));
            named("DeleteQuery", &delete.table, children)
        }
        StatementKind::Update(update) => {
            let mut children = vec![expr(&update.where_clause), assignments(&update.set)];
            children.extend(name_nodes(&update.table));
            named("UpdateQuery", &update.table, children)
        }
        other => short(other),
    }
}

/// Statements whose tree has little more than their name.
fn short(kind: &StatementKind) -> Node {
    match kind {
        StatementKind::Drop(drop) => {
            let what = if drop.detach { "DetachQuery" } else { "DropQuery" };
            match &drop.names[..] {
                [one] => about(what, drop.object, one),
                several => {
                    let names = Node::list(several.iter().map(table_name).collect());
                    Node::new(format!("{what}  "), vec![names])
                }
            }
        }
        StatementKind::Backup(backup) => {
            let what = if backup.restore { "RestoreQuery" } else { "BackupQuery" };
            Node::new(what, vec![expr(&backup.location)])
        }
        StatementKind::Attach(attach) => {
            let name = full_name(&attach.name).replace('.', " ");
            Node::new(format!("AttachQuery {name}"), name_nodes(&attach.name))
        }
        StatementKind::Truncate(truncate) => {
            about("TruncateQuery", truncate.object, &truncate.name)
        }
        StatementKind::Optimize(optimize) => {
            let mut node = about("OptimizeQuery", ObjectKind::Table, &optimize.table);
            node.name.push_str(if optimize.is_final { "_final" } else { "" });
            node.name.push_str(if optimize.deduplicate { "_deduplicate" } else { "" });
            node.name.push_str(if optimize.dry_run.is_some() { "_dry_run" } else { "" });
            node
        }
        StatementKind::AlterDatabase { name, .. } => {
            Node::new(format!("AlterQuery {}", name.name), vec![ident(name)])
        }
        StatementKind::Check { table, .. } => about("CheckQuery", ObjectKind::Table, table),
        StatementKind::Show(show) => self::show(&show.what),
        StatementKind::Describe(describe) => {
            Node::new("DescribeQuery", vec![table(&describe.table)])
        }
        StatementKind::Exists { object, name, .. } => {
            about(&format!("Exists{}Query", object_word(*object)), *object, name)
        }
        StatementKind::Set(_) => Node::leaf("Set"),
        StatementKind::Use(name) => Node::new(format!("UseQuery {}", name.name), vec![ident(name)]),
        StatementKind::System(_) => Node::leaf("SYSTEM query"),
        StatementKind::Kill { mutation, where_clause, mode } => {
            let what = if *mutation { "KillMutationQuery" } else { "KillQueryQuery" };
            let condition = expr(where_clause);
            let mode = match mode {
                KillMode::Async => "ASYNC",
                KillMode::Sync => "SYNC",
                KillMode::Test => "TEST",
            };
            let shown = condition.name.replace(' ', "_");
            Node::new(format!("{what} {shown} {mode}"), vec![condition])
        }
        StatementKind::Transaction(words) => Node::leaf(format!("Transaction {words}")),
        StatementKind::Unsupported(statement) => Node::leaf(statement.what.clone()),
        _ => Node::leaf("Query"),
    }
}

fn object_word(object: ObjectKind) -> &'static str {
    match object {
        ObjectKind::Database => "Database",
        ObjectKind::Table => "Table",
        ObjectKind::View => "View",
        ObjectKind::Dictionary => "Dictionary",
        ObjectKind::Function => "Function",
    }
}

fn show(what: &ShowWhat) -> Node {
    Node::leaf(match what {
        ShowWhat::Create { object, name, .. } => {
            return about(&format!("ShowCreate{}Query", object_word(*object)), *object, name);
        }
        ShowWhat::Columns(_) => "ShowColumns",
        ShowWhat::Indexes(_) => "ShowIndexes",
        ShowWhat::Processlist => "ShowProcesslistQuery",
        ShowWhat::Functions => "ShowFunctions",
        ShowWhat::Engines => "ShowEngineQuery",
        ShowWhat::Setting(_) => "ShowSetting",
        ShowWhat::Access(words) if words.starts_with("GRANTS") => "ShowGrantsQuery",
        ShowWhat::Access(_) => "ShowAccessEntitiesQuery",
        ShowWhat::Databases
        | ShowWhat::Tables
        | ShowWhat::Dictionaries
        | ShowWhat::Settings
        | ShowWhat::Clusters
        | ShowWhat::Merges => "ShowTables",
    })
}

fn explain(explain: &Explain) -> Node {
    let words = match explain.kind {
        ExplainKind::Ast => "EXPLAIN AST",
        ExplainKind::Syntax => "EXPLAIN SYNTAX",
        ExplainKind::QueryTree => "EXPLAIN QUERY TREE",
        ExplainKind::Plan => "EXPLAIN",
        ExplainKind::Pipeline => "EXPLAIN PIPELINE",
        ExplainKind::Estimate => "EXPLAIN ESTIMATE",
        ExplainKind::Analyze => "EXPLAIN ANALYZE",
        ExplainKind::TableOverride => "EXPLAIN TABLE OVERRIDE",
        ExplainKind::CurrentTransaction => "EXPLAIN CURRENT TRANSACTION",
    };
    let mut children = Vec::new();
    if !explain.settings.is_empty() {
        children.push(Node::leaf("Set"));
    }
    children.push(of(&explain.statement));
    Node::new(format!("Explain {words}"), children)
}

fn insert(insert: &Insert) -> Node {
    let mut children = match &insert.target {
        InsertTarget::Table(name) => name_nodes(name),
        InsertTarget::Function(call) => vec![function(call)],
    };
    if !insert.columns.is_empty() {
        children.push(exprs(&insert.columns));
    }
    children.extend(insert.partition_by.as_ref().map(expr));
    match &insert.source {
        InsertSource::Select(inner) => children.push(query(inner)),
        InsertSource::Infile { path, compression, .. } => {
            children.push(text(path));
            children.extend(compression.as_deref().map(text));
        }
        InsertSource::Data { .. } => {}
    }
    if !insert.settings.is_empty() {
        children.push(Node::leaf("Set"));
    }
    Node::new("InsertQuery  ", children)
}

fn create_table(create: &CreateTable) -> Node {
    let mut children = name_nodes(&create.name);
    children.extend(elements(&create.elements));
    children.extend(storage(&create.storage, create.elements.primary_key.as_deref()));
    match &create.source {
        Some(CreateSource::Select(inner)) => children.push(query(inner)),
        Some(CreateSource::Function(call)) => children.push(function(call)),
        Some(CreateSource::Table(_) | CreateSource::Clone(_)) | None => {}
    }
    children.extend(create.comment.as_deref().map(text));
    created(&create.name, create.mode.attach, children)
}

fn create_view(create: &CreateView) -> Node {
    let mut children = name_nodes(&create.name);
    children.extend(elements(&create.elements));
    if !create.aliases.is_empty() {
        children.push(Node::list(create.aliases.iter().map(ident).collect()));
    }
    children.push(query(&create.query));
    if create.to.is_some() {
        children.push(Node::leaf("ViewTargets"));
    } else {
        children.extend(storage(&create.storage, None));
    }
    children.extend(create.comment.as_deref().map(text));
    created(&create.name, create.mode.attach, children)
}

fn created(name: &TableName, attach: bool, children: Vec<Node>) -> Node {
    let what = if attach { "AttachQuery" } else { "CreateQuery" };
    let database = name.database.as_ref().map_or(String::new(), |d| format!(" {}", d.name));
    Node::new(format!("{what}{database} {}", name.table.name), children)
}

fn elements(elements: &TableElements) -> Option<Node> {
    let mut lists = Vec::new();
    if !elements.columns.is_empty() {
        lists.push(Node::list(elements.columns.iter().map(column).collect()));
    }
    if !elements.indices.is_empty() {
        lists.push(Node::list(elements.indices.iter().map(index).collect()));
    }
    if !elements.constraints.is_empty() {
        let one = |c: &crate::ast::ConstraintDef| Node::new("Constraint", vec![expr(&c.expr)]);
        lists.push(Node::list(elements.constraints.iter().map(one).collect()));
    }
    if !elements.projections.is_empty() {
        let one = |p: &crate::ast::ProjectionDef| {
            Node::new("Projection", vec![projection_query(&p.query)])
        };
        lists.push(Node::list(elements.projections.iter().map(one).collect()));
    }
    (!lists.is_empty()).then(|| Node::new("Columns definition", lists))
}

fn projection_query(query: &Query) -> Node {
    let Query::Select(select) = query else { return Node::leaf("ProjectionSelectQuery") };
    let mut children = vec![exprs(&select.projection)];
    if let Some(crate::ast::GroupBy::Exprs(keys)) = &select.group_by {
        children.push(exprs(keys));
    }
    children.extend(select.order_by.items.iter().map(|item| expr(&item.expr)));
    Node::new("ProjectionSelectQuery", children)
}

fn index(index: &IndexDef) -> Node {
    let mut children = vec![expr(&index.expr)];
    children.extend(index.index_type.as_ref().map(|ty| bare(&ty.name, &ty.args)));
    Node::new("Index", children)
}

fn column(column: &ColumnDef) -> Node {
    let mut children: Vec<Node> = column.data_type.iter().map(data_type).collect();
    let default = column.default.as_ref().and_then(|default| default.expr.as_ref());
    children.extend(default.map(expr));
    children.extend(column.comment.as_deref().map(text));
    children.extend(column.codec.as_deref().map(|codecs| codec("CODEC", codecs)));
    children.extend(column.statistics.as_deref().map(|kinds| codec("STATISTICS", kinds)));
    children.extend(column.ttl.as_ref().map(expr));
    Node::new(format!("ColumnDeclaration {}", column.name.name), children)
}

fn codec(name: &str, parts: &[Function]) -> Node {
    let list = Node::list(parts.iter().map(|part| bare(&part.name, &part.args)).collect());
    Node::new(format!("Function {name}"), vec![list])
}

/// A key: a single expression as it is, none or several as a tuple.
fn key<'a>(parts: impl ExactSizeIterator<Item = &'a Expr>) -> Node {
    let mut nodes: Vec<Node> = parts.map(expr).collect();
    if nodes.len() == 1
        && let Some(only) = nodes.pop()
    {
        return only;
    }
    Node::new("Function tuple", vec![Node::list(nodes)])
}

fn storage(storage: &Storage, primary_key: Option<&[Expr]>) -> Option<Node> {
    let mut children = Vec::new();
    if let Some(engine) = &storage.engine {
        children.push(bare(&engine.name, engine.args.as_deref().unwrap_or(&[])));
    }
    children.extend(storage.partition_by.as_ref().map(expr));
    let primary = storage.primary_key.as_deref().or(primary_key);
    children.extend(primary.map(|parts| key(parts.iter())));
    let order = storage.order_by.as_deref();
    children.extend(order.map(|items| key(items.iter().map(|item| &item.expr))));
    children.extend(storage.sample_by.as_ref().map(expr));
    if !storage.ttl.is_empty() {
        let element = |ttl: &crate::ast::TtlItem| Node::new("TTLElement", vec![expr(&ttl.expr)]);
        children.push(Node::list(storage.ttl.iter().map(element).collect()));
    }
    if !storage.settings.is_empty() {
        children.push(Node::leaf("Set"));
    }
    (!children.is_empty()).then(|| Node::new("Storage definition", children))
}

fn alter(alter: &AlterTable) -> Node {
    let mut children = vec![Node::list(alter.commands.iter().map(command).collect())];
    children.extend(name_nodes(&alter.table));
    named("AlterQuery", &alter.table, children)
}

fn partition(partition: &Partition) -> Node {
    match partition {
        Partition::Expr(value) => Node::new("Partition", vec![expr(value)]),
        Partition::Id(id) => Node::new("Partition", vec![text(id)]),
        Partition::All => Node::leaf("Partition"),
        Partition::Part(name) => text(name),
    }
}

fn assignments(set: &[(crate::ast::Ident, Expr)]) -> Node {
    let one = |(name, value): &(crate::ast::Ident, Expr)| {
        Node::new(format!("Assignment {}", name.name), vec![expr(value)])
    };
    Node::list(set.iter().map(one).collect())
}

fn command(command: &AlterCommand) -> Node {
    use crate::ast::ColumnPlace;
    let placed = |node: Node, place: &Option<ColumnPlace>| {
        let mut nodes = vec![node];
        if let Some(ColumnPlace::After(name)) = place {
            nodes.push(ident(name));
        }
        nodes
    };
    let (name, children) = match command {
        AlterCommand::AddColumn { column, place, .. } => {
            ("ADD_COLUMN", placed(self::column(column), place))
        }
        AlterCommand::ModifyColumn { column, place, .. } => {
            ("MODIFY_COLUMN", placed(self::column(column), place))
        }
        AlterCommand::DropColumn { name, .. } | AlterCommand::ClearColumn { name, .. } => {
            ("DROP_COLUMN", vec![ident(name)])
        }
        AlterCommand::RenameColumn { from, to, .. } => {
            ("RENAME_COLUMN", vec![ident(from), ident(to)])
        }
        AlterCommand::CommentColumn { name, comment, .. } => {
            ("COMMENT_COLUMN", vec![ident(name), text(comment)])
        }
        AlterCommand::Delete { where_clause, .. } => ("DELETE", vec![expr(where_clause)]),
        AlterCommand::Update { set, where_clause, .. } => {
            ("UPDATE", vec![expr(where_clause), assignments(set)])
        }
        AlterCommand::AddIndex { index, place, .. } => {
            ("ADD_INDEX", placed(self::index(index), place))
        }
        AlterCommand::DropIndex { name, .. } | AlterCommand::ClearIndex { name, .. } => {
            ("DROP_INDEX", vec![ident(name)])
        }
        AlterCommand::DropPartition { partition, .. } => {
            ("DROP_PARTITION", vec![self::partition(partition)])
        }
        AlterCommand::ModifySetting(_) => ("MODIFY_SETTING", vec![Node::leaf("Set")]),
        AlterCommand::ModifyComment(comment) => ("MODIFY_COMMENT", vec![text(comment)]),
        other => return Node::leaf(format!("AlterCommand {}", command_words(other))),
    };
    Node::new(format!("AlterCommand {name}"), children)
}

/// The words of a command, joined by underscores.
fn command_words(command: &AlterCommand) -> &'static str {
    match command {
        AlterCommand::MaterializeColumn { .. } => "MATERIALIZE_COLUMN",
        AlterCommand::ModifyOrderBy(_) => "MODIFY_ORDER_BY",
        AlterCommand::ModifySampleBy(_) => "MODIFY_SAMPLE_BY",
        AlterCommand::RemoveSampleBy => "REMOVE_SAMPLE_BY",
        AlterCommand::ModifyTtl(_) => "MODIFY_TTL",
        AlterCommand::RemoveTtl => "REMOVE_TTL",
        AlterCommand::MaterializeTtl { .. } => "MATERIALIZE_TTL",
        AlterCommand::ResetSetting(_) => "RESET_SETTING",
        AlterCommand::ModifyQuery(_) => "MODIFY_QUERY",
        AlterCommand::ModifySecurity(_) => "MODIFY_SQL_SECURITY",
        AlterCommand::ModifyRefresh(_) => "MODIFY_REFRESH",
        AlterCommand::MaterializeIndex { .. } => "MATERIALIZE_INDEX",
        AlterCommand::AddProjection { .. } => "ADD_PROJECTION",
        AlterCommand::DropProjection { .. } | AlterCommand::ClearProjection { .. } => {
            "DROP_PROJECTION"
        }
        AlterCommand::MaterializeProjection { .. } => "MATERIALIZE_PROJECTION",
        AlterCommand::AddConstraint { .. } => "ADD_CONSTRAINT",
        AlterCommand::DropConstraint { .. } => "DROP_CONSTRAINT",
        AlterCommand::Statistics(command) => match command.verb {
            StatisticsVerb::Add => "ADD_STATISTICS",
            StatisticsVerb::Drop | StatisticsVerb::Clear => "DROP_STATISTICS",
            StatisticsVerb::Modify => "MODIFY_STATISTICS",
            StatisticsVerb::Materialize => "MATERIALIZE_STATISTICS",
        },
        AlterCommand::Rewrite { which: RewrittenParts::Deleted, .. } => "APPLY_DELETED_MASK",
        AlterCommand::Rewrite { which: RewrittenParts::Patched, .. } => "APPLY_PATCHES",
        AlterCommand::Rewrite { which: RewrittenParts::All, .. } => "REWRITE_PARTS",
        AlterCommand::ForgetPartition { .. } => "FORGET_PARTITION",
        AlterCommand::DropDetachedPartition { .. } => "DROP_DETACHED_PARTITION",
        AlterCommand::AttachPartition { .. } => "ATTACH_PARTITION",
        AlterCommand::ReplacePartition { .. } => "REPLACE_PARTITION",
        AlterCommand::MovePartition { .. } => "MOVE_PARTITION",
        AlterCommand::Freeze { .. } => "FREEZE_ALL",
        AlterCommand::Unfreeze { .. } => "UNFREEZE_ALL",
        AlterCommand::FetchPartition { .. } => "FETCH_PARTITION",
        _ => "MODIFY_COLUMN",
    }
}
