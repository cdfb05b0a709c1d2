//! INSERT of rows that are written in the statement, sent behind it, or selected.
//!
//! Every source becomes a plan. A projection on top of it casts, orders and completes the columns
//! for the table, and the table's sink ends the pipeline. The pipeline only prepares the rows. When
//! it has ended without an error, the statement commits them, so that all of them become visible
//! and durable together.

use entasis_plan::physical;
use std::io::{Cursor, Read};
use std::sync::Arc;

use entasis_analyze::remote;
use entasis_base::{Error, Result, codes};
use entasis_column::Header;
use entasis_expr::{ColumnId, Expr};
use entasis_format::Compression;
use entasis_function::FunctionContext;
use entasis_plan::{Plan, QueryPlan};
use entasis_sql::ast::{self, InsertSource, InsertTarget};
use entasis_table_api::{Catalog, ColumnDef, DefaultKind, Repeats, ScanSpec, Schema, Table};
use entasis_tables::file::Partitioned;
use entasis_tables::input::InputTable;
use entasis_tables::values::format_structure;
use entasis_types::{DataType, Value};

use crate::catalog::Entry;
use crate::definition::defaults::{Defaults, Given};
use crate::engines::called::CalledTable;
use crate::session::Input;
use crate::statement::async_insert::{self, AsyncData, Collected};
use crate::statement::infile::{self, InFile};
use crate::statement::insertion::Target;
use crate::statement::query::settings_of;
use crate::statement::value_expressions;
use crate::{QueryOptions, Session, Settings, settings};

/// Most tables that stand for other ones, one behind the other.
const MOST_CALLS: usize = 20;

impl Session {
    pub(crate) fn insert(
        &self,
        insert: &ast::Insert,
        data: Option<&[u8]>,
        options: QueryOptions,
    ) -> Result<()> {
        let mut changes = insert.settings.clone();
        if let InsertSource::Select(query) = &insert.source {
            changes.extend_from_slice(settings_of(query));
        }
        let settings = self.settings_with(&changes)?;
        self.limit(&settings, &options)?;
        let selected = match &insert.source {
            InsertSource::Select(query) => {
                let described = self.with_structure(insert, query, &settings)?;
                Some(self.plan_source(described.as_ref().unwrap_or(query), &settings)?)
            }
            _ => None,
        };
        let mut target = self.insert_target(&insert.target, selected.as_ref(), &settings)?;
        target.repeats = repeats_of(&settings, selected.is_some());
        if let Some(by) = &insert.partition_by {
            target.table = self.partitioned(&target.table, by, &settings)?;
        }
        let schema = target.table.schema();
        let positions = self.positions_of(insert, &target, &settings)?;
        let plan = match &insert.source {
            InsertSource::Select(_) => {
                selected.ok_or_else(|| Error::logical("a SELECT without a plan"))?
            }
            InsertSource::Data { format, .. } => {
                let name = format.as_ref().map_or("Values", |f| f.as_str());
                let text = data.unwrap_or_default().to_vec();
                let bytes = options.input.is_none().then_some(text.len() as u64);
                let reader: Input = match options.input {
                    Some(more)
                        if options.input_continues
                            || format.is_some()
                            || text.trim_ascii().is_empty() =>
                    {
                        Box::new(Cursor::new(text).chain(more))
                    }
                    _ => Box::new(Cursor::new(text)),
                };
                let mut reader = uncompressed(name, reader)?;
                if self.is_async(insert, &settings) {
                    match async_insert::collect(reader, &settings)? {
                        Collected::Large(again) => reader = again,
                        Collected::Small(data) => {
                            let work = AsyncData { insert, format: name, data };
                            let options = QueryOptions { input: None, ..options };
                            return self.insert_async(work, &settings, &options);
                        }
                    }
                }
                self.plan_of_data(name, &schema, &positions, (reader, bytes), &settings)?
            }
            InsertSource::Infile { .. } if !options.allows_outfile => {
                return Err(infile::not_allowed());
            }
            InsertSource::Infile { .. } => {
                let options = QueryOptions { input: None, ..options };
                return self.insert_files(&insert.source, &target, &positions, &settings, &options);
            }
        };
        let options = QueryOptions { input: None, ..options };
        self.run_insert(plan, &target, &positions, &settings, &options)
    }

    /// Positions in the table's schema of the columns that an INSERT gives.
    pub(super) fn positions_of(
        &self,
        insert: &ast::Insert,
        target: &Target,
        settings: &Settings,
    ) -> Result<Vec<usize>> {
        let schema = target.table.schema();
        let materialized = settings.flag(settings::INSERT_MATERIALIZED);
        let written = self.written_columns(insert)?;
        let Some(own) = &target.columns else {
            return target_columns(&schema, &target.name, &written, materialized);
        };
        let chosen = target_columns(own, &target.name, &written, materialized)?;
        let names = chosen.into_iter().map(|position| &own.columns[position].name);
        names.map(|name| schema.position(name).ok_or_else(|| no_such_column(name))).collect()
    }

    /// FROM INFILE: inserts the rows of one file after the other, and makes them visible together.
    fn insert_files(
        &self,
        source: &InsertSource,
        target: &Target,
        positions: &[usize],
        settings: &Settings,
        options: &QueryOptions,
    ) -> Result<()> {
        let schema = target.table.schema();
        let files = InFile::of_source(source)?.unwrap_or_default();
        let insertion = self.insertion(target, positions, settings, options)?;
        for (file, sink) in files.iter().zip(insertion.views(files.len())) {
            let plan = self.plan_of_data(
                &file.format,
                &schema,
                positions,
                (file.open()?, None),
                settings,
            )?;
            self.prepare(plan, sink, &insertion)?;
        }
        insertion.commit()
    }

    /// The column list of an INSERT. `* EXCEPT (...)` and `COLUMNS(...)` are replaced by the names
    /// that a SELECT of them would answer.
    pub(super) fn written_columns(&self, insert: &ast::Insert) -> Result<Vec<ast::Expr>> {
        let mut out = Vec::with_capacity(insert.columns.len());
        for written in &insert.columns {
            if written.as_identifier().is_some() {
                out.push(written.clone());
                continue;
            }
            let kind = match &insert.target {
                InsertTarget::Table(name) => ast::TableExprKind::Table(name.clone()),
                InsertTarget::Function(call) => ast::TableExprKind::Function(call.clone()),
            };
            let table = ast::TableExpr {
                kind,
                alias: None,
                column_aliases: Vec::new(),
                is_final: false,
                sample: None,
                position: written.position,
            };
            let query = ast::Query::Select(Box::new(ast::Select {
                projection: vec![written.clone()],
                from: Some(ast::FromClause { table, steps: Vec::new() }),
                ..ast::Select::default()
            }));
            let header = match self.header_of(&query) {
                Err(error) if error.code() == codes::EMPTY_LIST_OF_COLUMNS_QUERIED => continue,
                header => header?,
            };
            out.extend(header.iter().map(|field| {
                let name = ast::Ident::new(field.name.to_string());
                ast::Expr::new(ast::ExprKind::Identifier(vec![name]), written.position)
            }));
        }
        if out.is_empty() && !insert.columns.is_empty() {
            let message = "Empty list of columns to insert";
            return Err(Error::new(codes::EMPTY_LIST_OF_COLUMNS_PASSED, message));
        }
        Ok(out)
    }

    /// Fills a table that CREATE ... AS SELECT has created under a temporary name.
    pub(crate) fn fill(
        &self,
        entry: &Entry,
        (database, table): (String, String),
        query: &ast::Query,
        options: QueryOptions,
    ) -> Result<()> {
        // No view reads a table that has no name yet.
        let target = Target::unseen(entry, &(database, table));
        let positions = target_columns(&target.table.schema(), "", &[], false)?;
        let plan = self.plan_source(query, &self.settings)?;
        self.run_insert(plan, &target, &positions, &self.settings, &options)
    }

    /// The table to fill. A file without a given structure takes the structure of the SELECT.
    pub(crate) fn insert_target(
        &self,
        target: &InsertTarget,
        selected: Option<&QueryPlan>,
        settings: &Settings,
    ) -> Result<Target> {
        self.target_at(target, selected, settings, 0)
    }

    /// [`Self::insert_target`], after so many tables that stand for others.
    fn target_at(
        &self,
        target: &InsertTarget,
        selected: Option<&QueryPlan>,
        settings: &Settings,
        depth: usize,
    ) -> Result<Target> {
        if depth > MOST_CALLS {
            let message = "The table stands for itself, by way of tables that stand for others";
            return Err(Error::new(codes::INFINITE_LOOP, message));
        }
        match target {
            InsertTarget::Table(name) => {
                let database = name.database.as_ref().map(|d| d.as_str());
                let entry = self.catalog_view().entry(database, name.table.as_str())?;
                let (database, table) = self.full_name(name);
                let own = entry.view.as_ref().and_then(|view| view.materialized.as_ref());
                if let Some(own) = own {
                    let view = format!("{database}.{table}");
                    let target = self.view_target(&own.target(&database), &view)?;
                    return Ok(Target { columns: Some(entry.table.schema()), ..target });
                }
                if let Some(called) = CalledTable::of(&*entry.table) {
                    let function = InsertTarget::Function(Box::new(called.call.clone()));
                    let to = self.target_at(&function, None, settings, depth + 1)?;
                    let full = Some((database.clone(), table.clone()));
                    let (name, columns) = (format!("{database}.{table}"), entry.table.schema());
                    let (checks, columns) = (entry.checks(), Some(columns));
                    return Ok(Target { name, full, checks, columns, ..to });
                }
                if self.temporary_table(name).is_some() {
                    // A view over a table of this name reads another table.
                    return Ok(Target::unseen(&entry, &(database, table)));
                }
                Ok(Target::of_entry(&entry, database, table))
            }
            InsertTarget::Function(function) if remote::NAMES.contains(&&*function.name) => {
                let target = self.remote_target(function, settings)?;
                self.target_at(&target, selected, settings, depth + 1)
            }
            InsertTarget::Function(function) => self.function_target(function, selected, settings),
        }
    }

    fn function_target(
        &self,
        function: &ast::Function,
        selected: Option<&QueryPlan>,
        settings: &Settings,
    ) -> Result<Target> {
        let function_context = self.function_context(settings);
        let mut args = function
            .args
            .iter()
            .map(|arg| {
                if let Some(parts) = arg.as_identifier() {
                    // `file('x', CSV)`: a bare word is taken as a name, as in FROM.
                    let parts: Vec<&str> = parts.iter().map(ast::Ident::as_str).collect();
                    return Ok(Value::from(parts.join(".").as_str()));
                }
                let bound = entasis_analyze::bind_expression(arg, &[], &function_context)?;
                bound.constant().ok_or_else(|| {
                    Error::new(codes::BAD_ARGUMENTS, "Table functions take constants")
                })
            })
            .collect::<Result<Vec<_>>>()?;
        if let Some(plan) = selected
            && function.name.as_str() == "file"
            && matches!(args.len(), 1 | 2)
        {
            args.resize(2, Value::from("auto"));
            args.push(Value::from(format_structure(&plan.header).as_str()));
        }
        let view = self.catalog_view_with(settings);
        let table = view.table_function(&function.name, &args)?;
        let (name, checks) = (String::new(), Arc::default());
        let repeats = Repeats::Stored;
        Ok(Target { table, name, full: None, checks, repeats, columns: None })
    }

    /// The table that divides the rows of an INSERT by an expression, PARTITION BY.
    fn partitioned(
        &self,
        table: &Arc<dyn Table>,
        by: &ast::Expr,
        settings: &Settings,
    ) -> Result<Arc<dyn Table>> {
        let schema = table.schema();
        let columns: Vec<(Arc<str>, DataType)> =
            schema.stored().iter().map(|c| (Arc::clone(&c.name), c.ty.clone())).collect();
        let text = ast::Function::new("toString", vec![by.clone()]);
        let text = ast::Expr::new(ast::ExprKind::Function(Box::new(text)), by.position);
        let context = self.function_context(settings);
        let by = entasis_analyze::bind_expression(&text, &columns, &context)?;
        Partitioned::table(Arc::clone(table), by)
    }

    /// A plan that scans rows in a format, of so many bytes if that is known.
    pub(super) fn plan_of_data(
        &self,
        format: &str,
        schema: &Schema,
        positions: &[usize],
        (reader, bytes): (Input, Option<u64>),
        settings: &Settings,
    ) -> Result<QueryPlan> {
        let fields = positions.iter().map(|&p| {
            let column = &schema.columns[p];
            entasis_column::Field::new(column.name.clone(), column.ty.clone())
        });
        let header = Header::new(fields.collect());
        let mut options = self.format_options(settings);
        let function_context = self.function_context(settings);
        if settings.flag(settings::INTERPRET_EXPRESSIONS) {
            options.evaluator = Some(value_expressions::evaluator(function_context));
        }
        let input = entasis_format::input(format, &header, reader, &options)?;
        let defaults = match settings.flag(settings::DEFAULTS_FOR_OMITTED) {
            true => omitted_defaults(schema, positions, &self.function_context(settings))?,
            false => Vec::new(),
        };
        let table = InputTable::new(format, &header, input, defaults, bytes)?;
        let ids: Vec<ColumnId> = (0..header.len() as u32).map(ColumnId).collect();
        let spec = ScanSpec::of_columns(ids.iter().copied().zip(0..));
        let types = ids.iter().copied().zip(header.iter().map(|f| f.ty.clone())).collect();
        let root = Plan::Scan(physical::Scan {
            table: table.snapshot()?,
            name: format.into(),
            types,
            spec,
        });
        Ok(QueryPlan { root, header, outputs: ids, subqueries: Vec::new(), totals: None })
    }
}

/// Fails if the data of a text format begin like a compressed file; they would be read as text.
fn uncompressed(format: &str, mut reader: Input) -> Result<Input> {
    if entasis_format::takes_any_bytes(format) {
        return Ok(reader);
    }
    let mut first = Vec::new();
    reader.by_ref().take(16).read_to_end(&mut first)?;
    let method = Compression::by_content(&first);
    if method != Compression::None {
        let message = format!(
            "The data are compressed ({method:?}), and {format} was announced: send the header \
             Content-Encoding, or unpack them first"
        );
        return Err(Error::new(codes::INCORRECT_DATA, message));
    }
    Ok(Box::new(Cursor::new(first).chain(reader)))
}

/// How an INSERT that is sent again is recognised: by its token or by its rows. A SELECT may answer
/// its rows in another order the next time, so it is recognised by its token only.
fn repeats_of(settings: &Settings, is_select: bool) -> Repeats {
    let is_on = match &*settings.text(settings::DEDUPLICATE_INSERT) {
        "disable" => false,
        "backward_compatible_choice" => settings.flag(settings::INSERT_DEDUPLICATE),
        _ => true,
    };
    let token = settings.text(settings::INSERT_TOKEN);
    match (is_on, token.is_empty(), is_select) {
        (false, _, _) | (true, true, true) => Repeats::Stored,
        (true, false, _) => Repeats::ByToken(token.into_owned()),
        (true, true, false) => Repeats::ByContent,
    }
}

/// Positions in the schema of the columns that an INSERT gives, in the order in which it gives
/// them. `table` is `database.table`: names may begin with it, or with the table alone.
pub(super) fn target_columns(
    schema: &Schema,
    table: &str,
    written: &[ast::Expr],
    materialized: bool,
) -> Result<Vec<usize>> {
    if written.is_empty() || is_star(written) {
        let ordinary =
            |c: &ColumnDef| matches!(c.default_kind(), None | Some(DefaultKind::Default));
        let all = schema.columns.iter().enumerate();
        return Ok(all.filter(|(_, c)| ordinary(c)).map(|(i, _)| i).collect());
    }
    let mut positions = Vec::with_capacity(written.len());
    for expr in written {
        let Some(parts) = expr.as_identifier() else {
            return Err(Error::not_implemented("Column matchers in INSERT").at(expr.position));
        };
        let written = parts.iter().map(ast::Ident::as_str).collect::<Vec<_>>().join(".");
        let name = column_name(schema, table, &written);
        let found = schema.position(name).map(|p| (p, schema.columns[p].default_kind()));
        let position = match found {
            Some((_, Some(DefaultKind::Materialized))) if !materialized => {
                let message = format!(
                    "Cannot insert column {name}, because it is MATERIALIZED column: leave it out, \
                     or set insert_allow_materialized_columns = 1"
                );
                return Err(Error::new(codes::ILLEGAL_COLUMN, message).at(expr.position));
            }
            None | Some((_, Some(DefaultKind::Alias | DefaultKind::Virtual))) => {
                return Err(no_such_column(name).at(expr.position));
            }
            Some((position, _)) => position,
        };
        if positions.contains(&position) {
            let message = format!("Column {name} is given twice");
            return Err(Error::new(codes::DUPLICATE_COLUMN, message).at(expr.position));
        }
        positions.push(position);
    }
    Ok(positions)
}

#[cold]
fn no_such_column(name: &str) -> Error {
    Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, format!("No such column {name} in the table"))
}

/// The name of a column without its table's.
fn column_name<'a>(schema: &Schema, table: &str, written: &'a str) -> &'a str {
    if schema.position(written).is_some() {
        return written;
    }
    let short = table.split_once('.').map_or(table, |(_, name)| name);
    let tables = [table, short].into_iter().filter(|name| !name.is_empty());
    let mut names = tables.filter_map(|name| written.strip_prefix(name)?.strip_prefix('.'));
    names.next().unwrap_or(written)
}

fn is_star(written: &[ast::Expr]) -> bool {
    let star = |e: &ast::Expr| matches!(&e.kind, ast::ExprKind::Asterisk(t) if t.is_empty());
    written.len() == 1 && star(&written[0])
}

/// The defaults of the columns that the data have, for fields that a row leaves out: each as the
/// column's place among them, with an expression over such places. They are ordered so that none
/// reads a column whose default comes later.
fn omitted_defaults(
    schema: &Schema,
    positions: &[usize],
    function_context: &dyn FunctionContext,
) -> Result<Vec<(usize, Expr)>> {
    let mut given: Vec<Option<Given>> = schema.columns.iter().map(|_| None).collect();
    for (place, &position) in positions.iter().enumerate() {
        let expr = Expr::column(ColumnId(place as u32), schema.columns[position].ty.clone());
        given[position] = Some(Given { expr, null_as_default: false });
    }
    let defaults = Defaults::new(schema, given, function_context);
    let mut left = Vec::new();
    for (place, &position) in positions.iter().enumerate() {
        if schema.columns[position].default.is_some() {
            left.push((place, defaults.default(position)?));
        }
    }
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let places: Vec<usize> = left.iter().map(|(place, _)| *place).collect();
        let is_ready = |(_, expr): &(usize, Expr)| {
            let mut ids: Vec<ColumnId> = Vec::new();
            expr.columns(&mut ids);
            !ids.iter().any(|id| places.contains(&(id.0 as usize)))
        };
        let (ready, waiting): (Vec<_>, Vec<_>) = left.into_iter().partition(is_ready);
        if ready.is_empty() {
            let message = "Defaults of columns depend on each other in a circle";
            return Err(Error::new(codes::CYCLIC_ALIASES, message));
        }
        ordered.extend(ready);
        left = waiting;
    }
    Ok(ordered)
}
