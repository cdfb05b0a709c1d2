//! Statements that are certainly short, such as `SELECT 1`, `SELECT count() FROM t`, or a read by
//! primary key. A server may answer them on the thread that received them, which saves passing them
//! to another thread.
//!
//! A statement is short under two conditions: its text has nothing that may take long to plan
//! (subqueries, joins, table functions, views, costly calls), and either the rows of its plan are
//! known before it runs, or it reads a few granules of a table.

use entasis_base::Result;
use entasis_sql::ast::{
    Expr, ExprKind, FromClause, Function, NullTreatment, Query, Select, Statement, StatementKind,
    TableExprKind, TableName,
};

use entasis_table_api::{ColumnDef, DefaultKind};

use crate::engines::called::CalledTable;
use crate::{Parsed, QueryOptions, QueryResult, Session, settings};

/// Calls that cost a short statement nothing, in lower case: aggregates, some of which a table's
/// metadata answers, comparisons and logic.
const CHEAP: [&str; 21] = [
    "count",
    "min",
    "max",
    "sum",
    "avg",
    "any",
    "equals",
    "notequals",
    "less",
    "greater",
    "lessorequals",
    "greaterorequals",
    "and",
    "or",
    "not",
    "in",
    "notin",
    "todate",
    "todatetime",
    "plus",
    "minus",
];

/// A statement that [`Session::begin`] has started.
pub enum Begun {
    /// All its rows are computed within microseconds.
    Short(QueryResult),
    /// It may take any time.
    Long(QueryResult),
}

impl Session {
    /// [`Session::run`] for a statement that takes microseconds to plan, on a thread that must not
    /// do more than that. For any other statement, also one that would fail, this answers `None`
    /// and has no effect.
    pub fn begin(
        &mut self,
        script: &str,
        parsed: &Parsed,
        options: impl FnOnce() -> QueryOptions,
    ) -> Result<Option<Begun>> {
        let Some(query) = plain_query(&parsed.statement) else { return Ok(None) };
        if parsed.unset.is_some() || self.settings().flag(settings::REPLACE_RUNNING) {
            return Ok(None); // It fails, or it may wait.
        }
        let opens = match first_table(query).map(|name| self.opens(name)) {
            Some(None) => return Ok(None),
            Some(Some(opens)) => opens,
            None => false,
        };
        if !opens && !reads_metadata(query) {
            return Ok(None);
        }
        let settings = self.settings().clone();
        let (mut begun, mut known) = (false, false);
        let done = self.tracked(script, parsed, options(), |session, options| {
            session.limit(&settings, &options)?;
            match session.plan(query, &settings) {
                Ok(plan) if plan.is_known() || (opens && plan.subqueries.is_empty()) => {
                    (begun, known) = (true, plan.is_known());
                    if let Some(process) = &options.process {
                        process.begin();
                    }
                    session.start(&plan, settings, options)
                }
                _ => Ok(QueryResult::nothing()),
            }
        });
        // [`Session::run`] reports errors and panics when the caller runs the statement with it.
        if !begun {
            return Ok(None);
        }
        let mut result = done?;
        Ok(Some(if known || result.is_short() {
            Begun::Short(result)
        } else {
            Begun::Long(result)
        }))
    }

    /// Whether scans of a table begin without waiting for anything. `None` for views and calls,
    /// whose own queries would have to be planned.
    fn opens(&self, name: &TableName) -> Option<bool> {
        let (database, table) = self.full_name(name);
        let Ok(entry) = self.engine.catalog.entry(&database, &table) else { return Some(false) };
        let plain = entry.view.is_none() && CalledTable::of(&*entry.table).is_none();
        // The expression of an ALIAS column may be as costly as any.
        let schema = entry.table.schema();
        let is_alias = |column: &ColumnDef| column.default_kind() == Some(DefaultKind::Alias);
        let computes = schema.columns.iter().any(is_alias);
        plain.then(|| !computes && entry.table.opens_at_once())
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

/// Whether a query reads at most what a table knows without its rows.
fn reads_metadata(query: &Query) -> bool {
    let Query::Select(select) = query else { return false };
    select.where_clause.is_none()
        && select.prewhere.is_none()
        && select.order_by.items.is_empty()
        && select.limit.is_none()
}

/// The query of a SELECT that has only cheap expressions, and reads at most one table.
fn plain_query(statement: &Statement) -> Option<&Query> {
    let StatementKind::Query(query) = &statement.kind else { return None };
    let Query::Select(select) = &**query else { return None };
    let output = &statement.output;
    let plain = is_bare(select)
        && select.projection.len() <= 16
        && select.projection.iter().all(is_plain)
        && [&select.where_clause, &select.prewhere, &select.limit, &select.offset]
            .into_iter()
            .all(|clause| clause.as_ref().is_none_or(is_plain))
        && select.order_by.items.iter().all(|key| key.fill.is_none() && is_plain(&key.expr))
        && select.from.as_ref().is_none_or(is_table)
        && output.settings.is_empty()
        && output.outfile.is_none();
    plain.then_some(query)
}

/// Whether a SELECT has no clauses but SELECT, FROM, PREWHERE, WHERE, ORDER BY and LIMIT.
fn is_bare(select: &Select) -> bool {
    let Select {
        with: None,
        distinct: None,
        projection: _,
        from: _,
        prewhere: _,
        where_clause: _,
        group_by: None,
        with_totals: false,
        having: None,
        windows,
        qualify: None,
        order_by,
        interpolate: None,
        limit_by: None,
        limit: _,
        offset: _,
        limit_with_ties: false,
        settings,
        position: _,
    } = select
    else {
        return false;
    };
    windows.is_empty() && !order_by.all && settings.is_empty()
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
        ExprKind::Literal(_) | ExprKind::Identifier(_) | ExprKind::Parameter(_) => true,
        ExprKind::Asterisk(transformers) => transformers.is_empty(),
        ExprKind::Function(call) => {
            let Function { name, parameters, args, nulls, over, settings, .. } = &**call;
            let is = |known: &&str| known.eq_ignore_ascii_case(name);
            CHEAP.iter().any(is)
                && parameters.is_none()
                && *nulls == NullTreatment::Default
                && over.is_none()
                && settings.is_empty()
                && args.iter().all(is_plain)
                && !(["in", "notin"].iter().any(is) && names_table(args))
        }
        _ => false,
    }
}

/// Whether the right side of IN is the name of a table.
fn names_table(args: &[Expr]) -> bool {
    args.get(1).is_some_and(|set| matches!(set.kind, ExprKind::Identifier(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, EngineConfig};

    /// The first value that a short statement answers; `None` if it is not short.
    fn short(session: &mut Session, text: &str) -> Option<u64> {
        let parsed = session.parse(text, 0).unwrap().unwrap();
        match session.begin(text, &parsed, QueryOptions::default).unwrap() {
            Some(Begun::Short(result)) => Some(result.first_number().unwrap().unwrap()),
            Some(Begun::Long(_)) | None => None,
        }
    }

    /// Whether a statement began, so that its rows can be read.
    fn long(session: &mut Session, text: &str) -> Option<u64> {
        let parsed = session.parse(text, 0).unwrap().unwrap();
        match session.begin(text, &parsed, QueryOptions::default).unwrap() {
            Some(Begun::Long(result)) => Some(result.first_number().unwrap().unwrap()),
            Some(Begun::Short(_)) | None => None,
        }
    }

    #[test]
    fn short_statements_are_answered_others_left_alone() {
        entasis_functions::register();
        let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
        let mut session = engine.session();
        session.execute("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a").unwrap();
        session.execute("INSERT INTO t VALUES (3), (5)").unwrap();
        session.execute("CREATE VIEW v AS SELECT a FROM t").unwrap();
        let costly =
            "CREATE TABLE u (a UInt32, b UInt8 ALIAS sleep(1)) ENGINE = MergeTree ORDER BY a";
        session.execute(costly).unwrap();
        assert_eq!(short(&mut session, "SELECT 1"), Some(1));
        assert_eq!(short(&mut session, "SELECT count() AS c7 FROM t FORMAT JSON"), Some(2));
        assert_eq!(short(&mut session, "select Max(a), count(*) from default.t"), Some(5));
        for other in [
            "SELECT a FROM t WHERE a IN (SELECT 3)",
            "SELECT a FROM t WHERE a IN t",
            "SELECT a FROM t WHERE sleep(1) = 0",
            "SELECT a FROM t WHERE a = 3 SETTINGS max_threads = 1",
            "SELECT a FROM t GROUP BY a",
            "SELECT a FROM u WHERE b = 0",
            "SELECT b FROM u",
            "SELECT x FROM t WHERE a = 3",
            "SELECT count() FROM numbers(10)",
            "SELECT (SELECT 1)",
            "SELECT sleep(1)",
            "SELECT 1 UNION ALL SELECT 2",
            "SELECT count() FROM t SETTINGS max_threads = 1",
            "SELECT count() FROM nowhere",
            "SELECT count() FROM v",
            "INSERT INTO t VALUES (1)",
        ] {
            assert_eq!(short(&mut session, other), None, "{other}");
        }
        assert_eq!(short(&mut session, "SELECT count() FROM t"), Some(2));
    }

    #[test]
    fn reads_of_few_granules_are_short() {
        entasis_functions::register();
        let engine = Engine::open(EngineConfig::local(None).unwrap()).unwrap();
        let mut session = engine.session();
        session.execute("CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a").unwrap();
        session.execute("INSERT INTO t SELECT number FROM numbers(100000)").unwrap();
        for (text, answer) in [
            ("SELECT a FROM t WHERE a = 777", 777),
            ("SELECT * FROM t WHERE a IN (50000, 50001) LIMIT 1", 50000),
            ("SELECT count(), sum(a) FROM t WHERE a BETWEEN 10 AND 19", 10),
        ] {
            assert_eq!(short(&mut session, text), Some(answer), "{text}");
        }
        session.parameters.push(("id".into(), "99".into()));
        assert_eq!(short(&mut session, "SELECT a FROM t WHERE a = {id:UInt32}"), Some(99));
        let all = "SELECT sum(a) FROM t WHERE a != 5";
        assert_eq!(long(&mut session, all), Some(4_999_949_995));
        assert_eq!(long(&mut session, "SELECT a FROM t WHERE a = 777"), None);
    }
}
