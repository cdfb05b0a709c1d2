//! Statements that are certainly short, such as `SELECT 1` or `SELECT count() FROM t`. A server may
//! answer them on the thread that received them, which saves passing them to another thread.
//!
//! A statement is short under two conditions: its text has nothing that may take long to plan
//! (subqueries, table functions, views, calls that are folded), and the rows of its plan are known
//! before it runs.

use entasis_base::Result;
use entasis_sql::ast::{
    Expr, ExprKind, FromClause, Function, NullTreatment, Query, Select, Statement, StatementKind,
    TableExprKind, TableName,
};

use crate::engines::called::CalledTable;
use crate::{Parsed, QueryOptions, QueryResult, Session, settings};

/// Aggregates whose values may come from a table's metadata.
const FROM_METADATA: [&str; 3] = ["count", "min", "max"];

impl Session {
    /// [`Session::run`] for a statement that is certainly short; it takes microseconds. For any
    /// other statement, also one that would fail, this answers `None` and has no effect.
    pub fn run_if_short(
        &mut self,
        script: &str,
        parsed: &Parsed,
        options: impl FnOnce() -> QueryOptions,
    ) -> Result<Option<QueryResult>> {
        let Some(query) = plain_query(&parsed.statement) else { return Ok(None) };
        if self.settings().flag(settings::REPLACE_RUNNING) {
            return Ok(None); // It may wait.
        }
        let is_view = |name: &TableName| {
            let (database, table) = self.full_name(name);
            self.engine
                .catalog
                .entry(&database, &table)
                .is_ok_and(|entry| entry.view.is_some() || CalledTable::of(&*entry.table).is_some())
        };
        if first_table(query).is_some_and(is_view) {
            return Ok(None);
        }
        let settings = self.settings().clone();
        let mut short = false;
        let done = self.tracked(script, parsed, options(), |session, options| {
            session.limit(&settings, &options)?;
            match session.plan(query, &settings) {
                Ok(plan) if plan.is_known() => {
                    short = true;
                    if let Some(process) = &options.process {
                        process.begin();
                    }
                    session.start(&plan, settings, options)
                }
                _ => Ok(QueryResult::nothing()),
            }
        });
        // [`Session::run`] reports errors and panics when the caller runs the statement with it.
        if short { done.map(Some) } else { Ok(None) }
    }
}

/// The table that a query reads first; `None` if it is not a named table.
fn first_table(query: &Query) -> Option<&TableName> {
    let Query::Select(select) = query else { return None };
    match &select.from.as_ref()?.table.kind {
        TableExprKind::Table(name) => Some(name),
        _ => None,
    }
}

/// The query of a SELECT that has only literals and counts, and reads at most one table.
fn plain_query(statement: &Statement) -> Option<&Query> {
    let StatementKind::Query(query) = &statement.kind else { return None };
    let Query::Select(select) = &**query else { return None };
    let output = &statement.output;
    let plain = is_bare(select)
        && select.projection.len() <= 16
        && select.projection.iter().all(is_plain)
        && select.from.as_ref().is_none_or(is_table)
        && output.settings.is_empty()
        && output.outfile.is_none();
    plain.then_some(query)
}

/// Whether a SELECT has no clauses but `SELECT ... FROM ...`.
fn is_bare(select: &Select) -> bool {
    let Select {
        with: None,
        distinct: None,
        projection: _,
        from: _,
        prewhere: None,
        where_clause: None,
        group_by: None,
        with_totals: false,
        having: None,
        windows,
        qualify: None,
        order_by,
        interpolate: None,
        limit_by: None,
        limit: None,
        offset: None,
        limit_with_ties: false,
        settings,
        position: _,
    } = select
    else {
        return false;
    };
    windows.is_empty() && order_by.items.is_empty() && !order_by.all && settings.is_empty()
}

fn is_table(from: &FromClause) -> bool {
    let table = &from.table;
    from.steps.is_empty()
        && matches!(table.kind, TableExprKind::Table(_))
        && table.column_aliases.is_empty()
        && !table.is_final
        && table.sample.is_none()
}

fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => true,
        ExprKind::Function(call) => {
            let Function { name, parameters, args, nulls, over, settings, .. } = &**call;
            FROM_METADATA.iter().any(|known| known.eq_ignore_ascii_case(name))
                && parameters.is_none()
                && *nulls == NullTreatment::Default
                && over.is_none()
                && settings.is_empty()
                && args
                    .iter()
                    .all(|arg| matches!(arg.kind, ExprKind::Asterisk(_) | ExprKind::Identifier(_)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, EngineConfig};

    /// The first value that a short statement answers; `None` if it is not short.
    fn short(session: &mut Session, text: &str) -> Option<u64> {
        let parsed = session.parse(text, 0).unwrap().unwrap();
        let result = session.run_if_short(text, &parsed, QueryOptions::default).unwrap();
        result.map(|r| r.first_number().unwrap().unwrap())
    }

    #[test]
    fn short_statements_are_answered_others_left_alone() {
        entasis_functions::register();
        let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
        let mut session = engine.session();
        session.execute("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a").unwrap();
        session.execute("INSERT INTO t VALUES (3), (5)").unwrap();
        session.execute("CREATE VIEW v AS SELECT a FROM t").unwrap();
        assert_eq!(short(&mut session, "SELECT 1"), Some(1));
        assert_eq!(short(&mut session, "SELECT count() AS c7 FROM t FORMAT JSON"), Some(2));
        assert_eq!(short(&mut session, "select Max(a), count(*) from default.t"), Some(5));
        for other in [
            "SELECT sum(a) FROM t",
            "SELECT a FROM t",
            "SELECT count() FROM t WHERE a > 3",
            "SELECT count() FROM numbers(10)",
            "SELECT (SELECT 1)",
            "SELECT sleep(1)",
            "SELECT 1 UNION ALL SELECT 2",
            "SELECT count() FROM t LIMIT 0",
            "SELECT count() FROM t SETTINGS max_threads = 1",
            "SELECT count() FROM nowhere",
            "SELECT count() FROM v",
            "INSERT INTO t VALUES (1)",
        ] {
            assert_eq!(short(&mut session, other), None, "{other}");
        }
        assert_eq!(short(&mut session, "SELECT count() FROM t"), Some(2));
    }
}
