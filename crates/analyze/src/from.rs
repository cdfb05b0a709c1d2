//! FROM: tables, table functions, subqueries and ARRAY JOIN. Joins are in `join`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast::{self, FromStep, TableExprKind};
use entasis_table_api::role::Unreadable;
use entasis_table_api::{Role, ScanColumn, Snapshot, Table};
use entasis_types::DataType;

use crate::query::{From, Output, Query, TableScan};
use crate::scope::{Kinds, Source, SourceColumns};
use crate::view::Relation;
use crate::{Analyzer, parameters};

impl<'a> Analyzer<'a> {
    /// Builds the tree of a FROM clause and adds its sources to the scope.
    #[allow(clippy::wrong_self_convention)] // FROM is a clause here
    pub(crate) fn from_tree(&mut self, clause: &'a ast::FromClause) -> Result<From> {
        let first = self.scope().sources.len();
        let is_join = |step: &FromStep| matches!(step, FromStep::Join(_));
        self.scope_mut().joins |= clause.steps.iter().any(is_join);
        self.check_aliases(clause)?;
        let mut from = self.table_expr(&clause.table)?;
        for step in &clause.steps {
            from = match step {
                FromStep::Join(join) => self.join(from, join, first)?,
                FromStep::ArrayJoin { left, exprs } => self.array_join(from, exprs, *left)?,
            };
        }
        Ok(from)
    }

    /// Fails for a subquery or a table function without an alias among joined tables, if there must
    /// be one.
    fn check_aliases(&self, clause: &ast::FromClause) -> Result<()> {
        let joined = clause.steps.iter().filter_map(|step| match step {
            FromStep::Join(join) if join.kind != ast::JoinKind::Paste => Some(&join.table),
            FromStep::Join(_) | FromStep::ArrayJoin { .. } => None,
        });
        let nameless = |table: &&ast::TableExpr| {
            let kind = &table.kind;
            table.alias.is_none()
                && matches!(
                    kind,
                    TableExprKind::Subquery(_)
                        | TableExprKind::Lateral(_)
                        | TableExprKind::Function(_)
                )
        };
        let mut joined = joined.peekable();
        if joined.peek().is_none() || !self.has_flag("joined_subquery_requires_alias") {
            return Ok(());
        }
        // Behind ARRAY JOIN the first table is no side of a JOIN.
        let is_side = !matches!(clause.steps.first(), Some(FromStep::ArrayJoin { .. }));
        let first = is_side.then_some(&clause.table).into_iter();
        let Some(table) = first.chain(joined).find(nameless) else {
            return Ok(());
        };
        let message = "A subquery or table function in a JOIN has no alias: give it one, or set \
                       joined_subquery_requires_alias = 0";
        Err(Error::new(codes::ALIAS_REQUIRED, message).at(table.position))
    }

    /// The source for a query without FROM. The reference reads `system.one` then.
    pub(crate) fn no_from(&mut self) -> From {
        let id = self.new_id();
        let columns = vec![Output { id, name: "dummy".into(), ty: DataType::UInt8 }];
        self.scope_mut().sources.push(Source {
            alias: None,
            table: None,
            columns: SourceColumns::Derived(columns),
            renamed: &[],
            merged: Vec::new(),
            nullable: false,
            hidden: false,
        });
        From::One(id)
    }

    /// Resolves one table expression of FROM.
    pub(crate) fn table_expr(&mut self, table: &'a ast::TableExpr) -> Result<From> {
        let alias = table.alias.as_ref().map(ast::Ident::as_str);
        let renamed = &table.column_aliases[..];
        if table.is_final
            && let TableExprKind::Table(name) = &table.kind
        {
            self.check_final_view(name).map_err(|e| e.at(table.position))?;
        }
        let result = match &table.kind {
            TableExprKind::Table(name) => self.named_table(name, alias, renamed),
            TableExprKind::Function(function) => self.table_function(function, alias, renamed),
            TableExprKind::Subquery(query) => self.derived(query, alias, renamed),
            TableExprKind::Lateral(query) => self.lateral(query, alias, renamed),
            TableExprKind::Nested(clause) => self.from_tree(clause),
        };
        let result = match result {
            Ok(from) if table.is_final => self.final_of(from),
            other => other,
        };
        let result = match (result, &table.sample) {
            (Ok(from), Some(sample)) => self.sampled(from, sample),
            (other, _) => other,
        };
        result.map_err(|e| e.at(table.position))
    }

    /// Fails for FINAL behind a materialised view that is read by a query.
    fn check_final_view(&self, name: &ast::TableName) -> Result<()> {
        let database = name.database.as_ref().map(ast::Ident::as_str);
        match self.catalog.relation(database, name.table.as_str()) {
            Ok(Relation::View(view)) if view.supports_final == Some(true) => {
                let what = "FINAL of a view that converts the columns of its target (read the \
                            target itself)";
                Err(Error::not_implemented(what))
            }
            Ok(Relation::View(view)) if view.supports_final == Some(false) => {
                let message = "The storage of this table doesn't support FINAL";
                Err(Error::new(codes::ILLEGAL_FINAL, message))
            }
            _ => Ok(()),
        }
    }

    /// Applies FINAL to a table.
    fn final_of(&self, from: From) -> Result<From> {
        if self.scope().sources.last().is_some_and(Source::is_view) {
            // As in the reference, FINAL behind a view does not change how the tables of the view
            // are read.
            return Ok(from);
        }
        let From::Table(mut scan) = from else {
            let message = "FINAL is only allowed after a table, not after a subquery";
            return Err(Error::new(codes::UNSUPPORTED_METHOD, message));
        };
        let pinned = self.pinned.values().find(|(_, s)| Arc::ptr_eq(s, &scan.snapshot));
        let Some((table, _)) = pinned.filter(|(table, _)| !table.supports_final()) else {
            scan.final_ = true;
            return Ok(From::Table(scan));
        };
        let message = format!("Storage {} doesn't support FINAL", table.engine());
        Err(Error::new(codes::ILLEGAL_FINAL, message))
    }

    fn named_table(
        &mut self,
        name: &'a ast::TableName,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let table = name.table.as_str();
        if name.database.is_none()
            && let Some((outputs, rows)) = self.working_rows(table)?
        {
            let columns = outputs.iter().map(|o| (o.id, o.ty.clone())).collect();
            check_renamed(renamed, outputs.len())?;
            self.add_source(outputs, alias.or(Some(table)), renamed);
            return Ok(From::Rows { columns, rows });
        }
        if name.database.is_none()
            && let Some((scope, cte)) = self.find_cte(table)
        {
            let query = self.cte_query(scope, cte)?;
            let renamed = if renamed.is_empty() { cte.columns } else { renamed };
            return self.add_derived(query, alias.or(Some(cte.name)), renamed);
        }
        let database = name.database.as_ref().map(ast::Ident::as_str);
        let found = self.catalog.relation(database, table)?;
        let database = database.unwrap_or(self.context.database());
        let full = (Arc::from(database), Arc::from(table));
        match found {
            Relation::Table(found) => match found.role() {
                Role::Set => {
                    let mut from = self.add_table(&found, Some(full), alias, renamed)?;
                    if let From::Table(scan) = &mut from {
                        scan.snapshot = Unreadable::wrap(&scan.snapshot, found.engine());
                    }
                    Ok(from)
                }
                Role::Over(over) => self.over(&found, over, full, alias, renamed),
                Role::Rows | Role::Join(_) => self.add_table(&found, Some(full), alias, renamed),
            },
            Relation::View(view) if !view.parameters.is_empty() => {
                Err(parameters::not_given(&view, table))
            }
            Relation::View(view) => self.view(&view, full, alias, renamed),
        }
    }

    pub(crate) fn add_table(
        &mut self,
        table: &Arc<dyn Table>,
        name: Option<(Arc<str>, Arc<str>)>,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let snapshot = self.pin(table)?;
        let schema = table.schema();
        check_renamed(renamed, schema.stored().len())?;
        let shown: Arc<str> = match &name {
            Some((database, table)) => format!("{database}.{table}").into(),
            None => table.engine().into(),
        };
        let source = self.scope().sources.len();
        self.scope_mut().sources.push(Source {
            alias,
            table: name.clone(),
            columns: SourceColumns::Table {
                schema: Arc::clone(&schema),
                ids: Vec::new(),
                used: Vec::new(),
                computed: Vec::new(),
                sample: 1.0,
            },
            renamed,
            merged: Vec::new(),
            nullable: false,
            hidden: false,
        });
        let added = name.as_ref().and_then(|name| self.table_filter(name, alias));
        let final_ = table.supports_final()
            && self.context.setting("final").is_some_and(|v| v.as_u64() == Some(1));
        let filter = match added {
            Some(added) => self.filter_of_last(added)?,
            None => Vec::new(),
        };
        Ok(From::Table(TableScan {
            snapshot,
            schema,
            name: shown,
            columns: Vec::new(),
            computed: Vec::new(),
            final_,
            prewhere: Vec::new(),
            filter,
            source,
        }))
    }

    /// `SELECT *` of a table or a view: the right side of `x IN table`.
    pub(crate) fn whole_table(
        &mut self,
        relation: &Relation,
        database: Option<&str>,
        name: &str,
    ) -> Result<Query> {
        let database = database.unwrap_or(self.context.database());
        let table = match relation {
            Relation::Table(table) => table,
            Relation::View(view) => return self.view_query(view, database, name),
        };
        if let Role::Over(over) = table.role() {
            let mut query = self.over_query(table, over, &(database.into(), name.into()))?;
            query.outputs.truncate(table.schema().stored().len());
            return Ok(query);
        }
        self.stored_rows(table, database, name)
    }

    /// The rows that a table itself holds.
    pub(crate) fn stored_rows(
        &mut self,
        table: &Arc<dyn Table>,
        database: &str,
        name: &str,
    ) -> Result<Query> {
        let full = (Arc::from(database), Arc::from(name));
        self.in_scope(None, |a| {
            let mut from = a.add_table(table, Some(full), None, &[])?;
            let mut outputs = Vec::new();
            let mut columns = Vec::new();
            for i in 0..table.schema().columns.len() {
                if !a.scope().sources[0].in_asterisk(i, Kinds::STORED) {
                    continue;
                }
                let expr = a.column(0, i)?;
                if let Expr::Column { id, ty } = &expr {
                    let name = a.scope().sources[0].name_of(i);
                    outputs.push(Output { id: *id, name, ty: ty.clone() });
                    columns.push((*id, expr));
                }
            }
            a.fill_tables(&mut from);
            let mut select = crate::subquery::empty_select(from);
            select.projection = columns;
            Ok(crate::subquery::new_query(crate::query::Body::Select(Box::new(select)), outputs))
        })
    }

    /// Pins the version of a table, so that the query sees one version of each table and one state
    /// of each store.
    fn pin(&mut self, table: &Arc<dyn Table>) -> Result<Arc<dyn Snapshot>> {
        let address = Arc::as_ptr(table).cast::<()>();
        if let Some((_, snapshot)) = self.pinned.get(&address) {
            return Ok(Arc::clone(snapshot));
        }
        let stores = self.catalog.stores().unwrap_or(&self.stores);
        let snapshot = table.snapshot_in(stores)?;
        self.pinned.insert(address, (Arc::clone(table), Arc::clone(&snapshot)));
        Ok(snapshot)
    }

    pub(crate) fn derived(
        &mut self,
        query: &'a ast::Query,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let query = self.query(query, Some(self.current))?;
        self.add_derived(query, alias, renamed)
    }

    /// A subquery that may read columns of the tables before it.
    fn lateral(
        &mut self,
        query: &'a ast::Query,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        let (query, params) = self.with_parameters(query)?;
        let from = self.add_derived(query, alias, renamed)?;
        match from {
            From::Subquery(query) if !params.is_empty() => Ok(From::Lateral { query, params }),
            other => Ok(other),
        }
    }

    pub(crate) fn add_derived(
        &mut self,
        query: Query,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) -> Result<From> {
        check_renamed(renamed, query.outputs.len())?;
        self.add_source(query.outputs.clone(), alias, renamed);
        Ok(From::Subquery(Box::new(query)))
    }

    fn add_source(
        &mut self,
        outputs: Vec<Output>,
        alias: Option<&'a str>,
        renamed: &'a [ast::Ident],
    ) {
        self.scope_mut().sources.push(Source {
            alias,
            table: None,
            columns: SourceColumns::Derived(outputs),
            renamed,
            merged: Vec::new(),
            nullable: false,
            hidden: false,
        });
    }

    /// Writes into the tables of the tree which of their columns are used.
    pub(crate) fn fill_tables(&self, from: &mut From) {
        match from {
            From::Table(scan) => {
                let source = &self.scope().sources[scan.source];
                if let SourceColumns::Table { used, computed, .. } = &source.columns {
                    if source.table.is_some() {
                        let name = |(column, _): &(ScanColumn, _)| {
                            &*scan.schema.columns[column.position].name
                        };
                        self.catalog.reads(&scan.name, &mut used.iter().map(name));
                    }
                    scan.columns.clone_from(used);
                    scan.computed.clone_from(computed);
                }
            }
            From::Join(join) => {
                self.fill_tables(&mut join.left);
                self.fill_tables(&mut join.right);
            }
            From::ArrayJoin { input, .. } => self.fill_tables(input),
            From::One(_) | From::Subquery(_) | From::Lateral { .. } | From::Rows { .. } => {}
        }
    }
}

pub(crate) fn check_renamed(renamed: &[ast::Ident], columns: usize) -> Result<()> {
    if renamed.is_empty() || renamed.len() == columns {
        return Ok(());
    }
    Err(Error::new(
        codes::BAD_ARGUMENTS,
        format!("{} column aliases for {columns} columns", renamed.len()),
    ))
}
