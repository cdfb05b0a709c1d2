//! Mutations: ALTER TABLE ... UPDATE, DELETE, MATERIALIZE and CLEAR of columns, TTL, indices and
//! projections, and APPLY DELETED MASK; the statements DELETE FROM and UPDATE.
//!
//! Every command becomes a query over the rows that the table's mutation offers. It answers the
//! addresses of the rows for which the condition holds, and their new values. All commands of a
//! statement are one mutation, and each finds what the commands before it have left.

mod checks;
#[cfg(test)]
mod tests;

use entasis_plan::physical;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Chunk;
use entasis_exec::CollectSink;
use entasis_expr::{ColumnId, Expr};
use entasis_plan::{Plan, QueryPlan};
use entasis_sql::ast::{self, AlterCommand, RewrittenParts};
use entasis_sql::{FormatOptions, format_ident, format_statement};
use entasis_table_api::{ADDRESS, DefaultKind, Mutation, MutationSpec, Rewrite, Schema, Table};

use self::checks::{
    check_engine, check_projections, check_ttl, key_positions, of_condition, partition_clause,
    positions_of, stored,
};
use crate::catalog::Entry;
use crate::definition::defaults::{Defaults, Given};
use crate::definition::dependents::{Dependents, dependents};
use crate::statement::partition::partition_of;
use crate::{QueryOptions, Session, Settings, settings};

/// The name under which the queries of a mutation find the table's rows.
const ROWS: &str = "\u{1}rows";

/// Whether a command of ALTER TABLE changes rows and not the definition.
pub(crate) fn is_mutation(command: &AlterCommand) -> bool {
    matches!(
        command,
        AlterCommand::Delete { .. }
            | AlterCommand::Update { .. }
            | AlterCommand::MaterializeColumn { .. }
            | AlterCommand::ClearColumn { partition: Some(_), .. }
            | AlterCommand::Rewrite { .. }
            | AlterCommand::MaterializeIndex { .. }
            | AlterCommand::ClearIndex { .. }
            | AlterCommand::MaterializeProjection { .. }
            | AlterCommand::ClearProjection { .. }
            | AlterCommand::MaterializeTtl { .. }
    )
}

fn rewrite_of(which: RewrittenParts) -> Rewrite {
    match which {
        RewrittenParts::Deleted => Rewrite::Deleted,
        RewrittenParts::Patched => Rewrite::Patched,
        RewrittenParts::All => Rewrite::All,
    }
}

/// How the rows of a statement are changed.
struct Target<'a> {
    entry: Arc<Entry>,
    /// The table's name, by which conditions may name its columns.
    name: &'a ast::TableName,
    settings: Settings,
    light: bool,
}

impl Session {
    /// DELETE FROM.
    pub(crate) fn delete(&mut self, delete: &ast::Delete, options: &QueryOptions) -> Result<()> {
        if !self.settings.flag(settings::LIGHTWEIGHT_DELETE) {
            let message = "Lightweight delete mutate is disabled. Set `enable_lightweight_delete` \
                           setting to enable it";
            return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
        }
        let command = AlterCommand::Delete {
            partition: delete.partition.clone(),
            where_clause: delete.where_clause.clone(),
        };
        let table = self.changed_table(&delete.table, &[]);
        self.mutate(&table, &[command], true, options)
    }

    /// UPDATE ... SET.
    pub(crate) fn update(&mut self, update: &ast::Update, options: &QueryOptions) -> Result<()> {
        if !self.settings.flag(settings::LIGHTWEIGHT_UPDATE) {
            let message = "Lightweight updates are not allowed. Set 'enable_lightweight_update = 1' \
                           to allow them";
            return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
        }
        let command = AlterCommand::Update {
            set: update.set.clone(),
            partition: update.partition.clone(),
            where_clause: update.where_clause.clone(),
        };
        let table = self.changed_table(&update.table, &[]);
        self.mutate(&table, &[command], true, options)
    }

    /// Runs commands that change rows, all or none.
    pub(crate) fn mutate(
        &mut self,
        name: &ast::TableName,
        commands: &[AlterCommand],
        light: bool,
        options: &QueryOptions,
    ) -> Result<()> {
        let (database, table) = self.full_name(name);
        let entry = match self.temporary_table(name) {
            Some(entry) => Arc::clone(entry),
            None => {
                let entry = self.engine.catalog.entry(&database, &table)?;
                self.engine.catalog.check_usable(&entry)?;
                entry
            }
        };
        check_engine(&entry, (&database, &table), commands, light)?;
        if light {
            check_projections(&entry, (&database, &table), &commands[0])?;
        }
        let target = Target { entry, name, settings: query_settings(&self.settings)?, light };
        let partitions = commands.iter().map(|command| self.partition(&target, command));
        let partitions: Vec<Option<String>> = partitions.collect::<Result<_>>()?;
        for command in commands {
            self.check_command(&target, command)?;
        }
        let context = self.context(&target.settings, options);
        let spec = MutationSpec {
            light,
            partitions: partitions.iter().cloned().collect(),
            commands: commands.iter().map(|command| shown(command, light)).collect(),
        };
        let mut mutation = target.entry.table.mutate(spec, &context)?;
        for (command, partition) in commands.iter().zip(&partitions) {
            let of = partition.as_deref();
            self.change(&target, command, of, &mut *mutation, options)?;
        }
        context.cancel.check()?;
        mutation.commit()
    }

    /// The id of the partition that a command is restricted to.
    fn partition(&self, target: &Target, command: &AlterCommand) -> Result<Option<String>> {
        let Some(partition) = partition_clause(command) else { return Ok(None) };
        let context = self.function_context(&target.settings);
        partition_of(&*target.entry.table, partition, &context).map(Some)
    }

    /// Fails if a command names columns that it cannot change.
    fn check_command(&self, target: &Target, command: &AlterCommand) -> Result<()> {
        let schema = target.entry.table.schema();
        match command {
            AlterCommand::Update { set, .. } => {
                let positions = positions_of(set, &schema, &target.entry)?;
                let context = self.function_context(&target.settings);
                let made = dependents(&schema, &positions, &context)?;
                let keys = key_positions(&target.entry);
                if let Some(at) = made.columns.iter().find(|at| keys.contains(at)) {
                    let message = format!(
                        "Updated column affects MATERIALIZED column `{}`, which is a key column. \
                         Cannot UPDATE it.",
                        schema.columns[*at].name
                    );
                    return Err(Error::new(codes::CANNOT_UPDATE_COLUMN, message));
                }
                Ok(())
            }
            AlterCommand::MaterializeColumn { name, .. } => {
                let position = stored(&schema, name)?;
                let column = &schema.columns[position];
                if key_positions(&target.entry).contains(&position) {
                    let message = format!(
                        "Refused to materialize column `{}` because it's in the sort key. Doing so \
                         could break the sort order",
                        column.name
                    );
                    return Err(Error::new(codes::CANNOT_UPDATE_COLUMN, message));
                }
                if column.default.is_none() {
                    let message = format!(
                        "Cannot materialize column `{}` because it doesn't have default expression",
                        column.name
                    );
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
                Ok(())
            }
            AlterCommand::ClearColumn { if_exists, name, .. } => match stored(&schema, name) {
                Ok(position) if key_positions(&target.entry).contains(&position) => {
                    let message = format!(
                        "Trying to ALTER CLEAR key {} column which is a part of key expression",
                        name.as_str()
                    );
                    Err(Error::new(codes::ALTER_OF_COLUMN_IS_FORBIDDEN, message))
                }
                Err(_) if !if_exists => {
                    let name = name.as_str();
                    let message = format!("Wrong column name. Cannot find column `{name}` to drop");
                    Err(Error::new(codes::NOT_FOUND_COLUMN_IN_BLOCK, message))
                }
                _ => Ok(()),
            },
            AlterCommand::MaterializeTtl { .. } => check_ttl(&target.entry),
            _ => Ok(()),
        }
    }

    /// Runs one command.
    fn change(
        &mut self,
        target: &Target,
        command: &AlterCommand,
        partition: Option<&str>,
        mutation: &mut dyn Mutation,
        options: &QueryOptions,
    ) -> Result<()> {
        let schema = target.entry.table.schema();
        let context = self.context(&target.settings, options);
        match command {
            AlterCommand::Delete { where_clause, .. } => {
                let rows = mutation.rows(partition);
                let plan = self.plan_over(target, rows, Vec::new(), Some(where_clause));
                let plan = plan.map_err(|e| of_condition(e, target.light))?;
                let rows = self.run_plan(plan, target, options)?;
                mutation.delete(rows, &context)
            }
            AlterCommand::Update { set, where_clause, .. } => {
                let positions = positions_of(set, &schema, &target.entry)?;
                let values: Vec<ast::Expr> = set.iter().map(|(_, expr)| expr.clone()).collect();
                let made = {
                    let context = self.function_context(&target.settings);
                    dependents(&schema, &positions, &context)?
                };
                let rows = mutation.rows(partition);
                let changed = Values { positions: &positions, exprs: values, made: &made };
                self.update_rows(target, changed, Some(where_clause), (rows, mutation), options)
            }
            AlterCommand::MaterializeColumn { name, .. } => {
                let position = stored(&schema, name)?;
                if schema.columns[position].default_kind() != Some(DefaultKind::Materialized) {
                    return mutation.materialize(position, partition, &context);
                }
                self.reset(target, position, (mutation.rows(partition), mutation), options)
            }
            AlterCommand::ClearColumn { name, .. } => match stored(&schema, name) {
                Ok(position) => {
                    self.reset(target, position, (mutation.rows(partition), mutation), options)
                }
                Err(_) => Ok(()),
            },
            AlterCommand::Rewrite { which, .. } => {
                mutation.rewrite(rewrite_of(*which), partition);
                Ok(())
            }
            AlterCommand::MaterializeIndex { name, .. } => {
                mutation.build_index(name.as_str(), partition, &context)
            }
            AlterCommand::ClearIndex { name, .. } | AlterCommand::DropIndex { name, .. } => {
                mutation.clear_index(name.as_str(), partition)
            }
            AlterCommand::MaterializeProjection { name, .. } => {
                mutation.materialize_projection(name.as_str(), partition)
            }
            AlterCommand::ClearProjection { name, .. }
            | AlterCommand::DropProjection { name, .. } => {
                mutation.clear_projection(name.as_str(), partition)
            }
            AlterCommand::MaterializeTtl { .. } => {
                mutation.materialize_ttl(partition);
                Ok(())
            }
            _ => Err(Error::logical("A command that is no mutation")),
        }
    }

    /// Gives a column its default in all rows.
    fn reset(
        &mut self,
        target: &Target,
        position: usize,
        to: (Arc<dyn Table>, &mut dyn Mutation),
        options: &QueryOptions,
    ) -> Result<()> {
        let schema = target.entry.table.schema();
        let reads = {
            let context = self.function_context(&target.settings);
            let nothing = schema.columns.iter().map(|_| None).collect();
            Defaults::new(&schema, nothing, &context).stored_reads(position)?
        };
        let made = Dependents { columns: vec![position], reads };
        let values = Values { positions: &[], exprs: Vec::new(), made: &made };
        self.update_rows(target, values, None, to, options)
    }

    /// Gives the rows for which a condition holds new values.
    fn update_rows(
        &mut self,
        target: &Target,
        values: Values,
        condition: Option<&ast::Expr>,
        (rows, mutation): (Arc<dyn Table>, &mut dyn Mutation),
        options: &QueryOptions,
    ) -> Result<()> {
        let schema = target.entry.table.schema();
        let Values { positions, exprs, made } = values;
        // Old values of the columns that recomputed columns read.
        let old: Vec<usize> =
            made.reads.iter().copied().filter(|at| !positions.contains(at)).collect();
        let names = old.iter().map(|at| identifier(&schema.columns[*at].name));
        let mut select = exprs;
        select.extend(names.collect::<Result<Vec<_>>>()?);
        let plan = self.plan_over(target, rows, select, condition);
        let plan = plan.map_err(|e| of_condition(e, true))?;
        let answered: Vec<usize> = positions.iter().chain(&old).copied().collect();
        let wanted: Vec<usize> = positions.iter().chain(&made.columns).copied().collect();
        let plan = {
            let context = self.function_context(&target.settings);
            with_values(plan, &schema, &answered, &wanted, &context)?
        };
        let rows = self.run_plan(plan, target, options)?;
        let context = self.context(&target.settings, options);
        mutation.update(&wanted, rows, &context)
    }

    /// Plans a query over the rows of a mutation, which answers their addresses and `exprs`.
    fn plan_over(
        &mut self,
        target: &Target,
        rows: Arc<dyn Table>,
        exprs: Vec<ast::Expr>,
        condition: Option<&ast::Expr>,
    ) -> Result<QueryPlan> {
        let text = format!(
            "SELECT {} FROM {} AS {}",
            format_ident(ADDRESS),
            format_ident(ROWS),
            format_ident(target.name.table.as_str())
        );
        let ast::Query::Select(mut select) = entasis_sql::parse_query(&text)? else {
            return Err(Error::logical("a SELECT that is none"));
        };
        select.projection.extend(exprs);
        select.where_clause = condition.cloned();
        let query = ast::Query::Select(select);
        self.temporary.insert(ROWS.to_owned(), Entry::without_definition(rows));
        let plan = self.plan(&query, &target.settings);
        self.temporary.remove(ROWS);
        plan
    }

    /// Runs a plan to its end and answers its rows.
    fn run_plan(
        &self,
        plan: QueryPlan,
        target: &Target,
        options: &QueryOptions,
    ) -> Result<Vec<Chunk>> {
        let mut context = self.context(&target.settings, options);
        // The rows are gathered anyway; large chunks cost less on the way.
        context.max_block_size =
            target.settings.u64(settings::MAX_BLOCK_SIZE).clamp(1, 65_536) as usize;
        let runtime = self.runtime(&target.settings, &context)?;
        let sink = CollectSink::create(&context);
        entasis_exec::execute(&plan, &context, &runtime, sink.clone())?;
        Ok(sink.take())
    }
}

/// New values: of the columns at `positions`, and of those that are computed from them.
struct Values<'a> {
    positions: &'a [usize],
    exprs: Vec<ast::Expr>,
    made: &'a Dependents,
}

/// Puts a projection on top of a plan that answers addresses and the values of columns: it answers
/// the addresses, and the wanted columns with their types.
fn with_values(
    plan: QueryPlan,
    schema: &Schema,
    answered: &[usize],
    wanted: &[usize],
    context: &dyn entasis_function::FunctionContext,
) -> Result<QueryPlan> {
    let mut given: Vec<Option<Given>> = schema.columns.iter().map(|_| None).collect();
    let values = plan.outputs.iter().zip(plan.header.iter()).skip(1);
    for (&position, (id, field)) in answered.iter().zip(values) {
        let expr = Expr::column(*id, field.ty.clone());
        given[position] = Some(Given { expr, null_as_default: false });
    }
    let defaults = Defaults::new(schema, given, context);
    let first = plan.outputs.iter().map(|id| id.0).max().unwrap_or(0) + 1_000_000;
    let address = plan.outputs[0];
    let mut outputs = vec![ColumnId(first)];
    let mut exprs = vec![(ColumnId(first), Expr::column(address, plan.header[0].ty.clone()))];
    let mut fields = vec![plan.header[0].clone()];
    for (i, &position) in wanted.iter().enumerate() {
        let id = ColumnId(first + 1 + i as u32);
        exprs.push((id, defaults.value(position)?));
        outputs.push(id);
        let column = &schema.columns[position];
        fields.push(entasis_column::Field::new(column.name.clone(), column.ty.clone()));
    }
    let root = Plan::Project(physical::Project { input: Box::new(plan.root), exprs });
    let header = entasis_column::Header::new(fields);
    Ok(QueryPlan { root, header, outputs, subqueries: plan.subqueries, totals: None })
}

/// The settings of the queries of a mutation: those of results do not apply.
fn query_settings(settings: &Settings) -> Result<Settings> {
    let mut settings = settings.clone();
    for name in ["max_result_rows", "max_result_bytes", "limit", "offset", "final"] {
        settings.reset(name)?;
    }
    Ok(settings)
}

/// How lists of mutations show a command.
fn shown(command: &AlterCommand, light: bool) -> String {
    let command = match command {
        AlterCommand::Delete { partition, where_clause } if light => {
            let zero = entasis_sql::parse_expression("0").ok();
            AlterCommand::Update {
                set: zero.map(|zero| (ast::Ident::new("_row_exists"), zero)).into_iter().collect(),
                partition: partition.clone(),
                where_clause: where_clause.clone(),
            }
        }
        other => other.clone(),
    };
    let alter = ast::AlterTable {
        temporary: false,
        table: ast::TableName { database: None, table: ast::Ident::new("t") },
        cluster: None,
        commands: vec![command],
    };
    let statement = ast::Statement {
        kind: ast::StatementKind::Alter(Box::new(alter)),
        output: ast::Output::default(),
        position: entasis_base::Position::default(),
    };
    let text =
        format_statement(&statement, FormatOptions { one_line: true, ..FormatOptions::default() });
    text.strip_prefix("ALTER TABLE t ").unwrap_or(&text).to_owned()
}

/// An expression that is the name of a column.
fn identifier(name: &str) -> Result<ast::Expr> {
    entasis_sql::parse_expression(&format_ident(name))
}
