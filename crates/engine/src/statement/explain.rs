//! EXPLAIN of all kinds but ANALYZE, and their options.

use entasis_plan::physical;
use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Field, Header, Strings};
use entasis_pipeline::{Progress, QueryContext};
use entasis_plan::{ExplainOptions, Plan, PlanNode, QueryPlan, explain_lines, explain_tree};
use entasis_sql::ast::{self, ExplainKind, StatementKind};
use entasis_table_api::{IndexStep, ScanSpec, Snapshot, Table};
use entasis_tables::memory::Fixed;
use entasis_types::{DataType, Value};
use serde_json::json;

use super::query_tree;
use crate::statement::query::{lines, planned, settings_of};
use crate::{QueryOptions, QueryResult, Session, Settings};

impl Session {
    pub(crate) fn explain(
        &self,
        explain: &ast::Explain,
        options: &QueryOptions,
    ) -> Result<QueryResult> {
        let given = Options::of(explain)?;
        let query = || match &explain.statement.kind {
            StatementKind::Query(query) => Ok(&**query),
            _ => {
                let message = "Only SELECT is supported for EXPLAIN query";
                Err(Error::new(codes::INCORRECT_QUERY, message))
            }
        };
        let text = match explain.kind {
            ExplainKind::Ast if given.is("graph") => {
                entasis_sql::dump_ast_graph(&explain.statement)
            }
            ExplainKind::Ast => entasis_sql::dump_ast(&explain.statement),
            ExplainKind::Syntax => {
                let explicit = matches!(explain.statement.kind, StatementKind::Query(_));
                let one_line = given.is("oneline");
                let options = entasis_sql::FormatOptions { one_line, explicit };
                let text = entasis_sql::format_statement(&explain.statement, options);
                if given.number("single_record") != Some(0) {
                    return Ok(lines("explain", std::iter::once(text.as_str())));
                }
                text
            }
            ExplainKind::Plan => {
                let settings = self.explain_settings(query()?, &given)?;
                self.plan_text(query()?, &settings, &given)?
            }
            ExplainKind::QueryTree => {
                let settings = self.explain_settings(query()?, &given)?;
                query_tree::lines(&self.analyze(
                    query()?,
                    &settings,
                    &self.function_context(&settings),
                )?)
            }
            ExplainKind::Pipeline => {
                let settings = self.explain_settings(query()?, &given)?;
                self.pipeline_text(query()?, &settings, &given)?
            }
            ExplainKind::Estimate => {
                let settings = self.explain_settings(query()?, &given)?;
                return self.estimated(&self.plan(query()?, &settings)?, &settings);
            }
            ExplainKind::Analyze => {
                return self.explain_analyze(query()?, &explain.settings, options);
            }
            ExplainKind::CurrentTransaction => "<no current transaction>".to_string(),
            ExplainKind::TableOverride => {
                return Err(Error::not_implemented("EXPLAIN TABLE OVERRIDE"));
            }
        };
        Ok(lines("explain", text.lines()))
    }

    /// Runs an EXPLAIN that is given as text, and answers its lines as a table of one column.
    pub(crate) fn explain_table(&self, text: &str) -> Result<Arc<dyn Table>> {
        let statement = entasis_sql::parse_statement(text)?;
        let StatementKind::Explain(explain) = &statement.kind else {
            let message = format!("Expected EXPLAIN instead of `{text}`");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        };
        let result = self.explain(explain, &QueryOptions::default())?;
        let schema = entasis_table_api::Schema::of_fields(&result.header);
        Ok(Fixed::table("Explain", schema, result.ready_chunks()))
    }

    fn explain_settings(&self, query: &ast::Query, given: &Options) -> Result<Settings> {
        let mut settings = self.settings_with(settings_of(query))?;
        if given.number("optimize") == Some(0) {
            settings.change("query_plan_enable_optimizations", Some(&Value::UInt(0)))?;
        }
        Ok(settings)
    }

    fn plan_text(
        &self,
        query: &ast::Query,
        settings: &Settings,
        given: &Options,
    ) -> Result<String> {
        let options = ExplainOptions {
            description: given.number("description") != Some(0),
            header: given.is("header"),
            input_headers: given.is("input_headers"),
            actions: given.is("actions"),
            sorting: given.is("sorting"),
            estimates: given.is("estimates"),
            indexes: given.is("indexes") || given.is("indices"),
            compact: given.is("compact"),
        };
        let function_context = self.function_context(settings);
        let query = self.analyze(query, settings, &function_context)?;
        let plan = planned(&query, settings, &function_context)?;
        let ask = |table: &dyn Snapshot, spec: &ScanSpec| table.index_report(spec);
        let trees = explain_tree(&plan, &query, options, &ask)?;
        if given.is("json") {
            let plans: Vec<_> =
                trees.iter().map(|tree| json!({ "Plan": node_json(tree) })).collect();
            return serde_json::to_string_pretty(&plans)
                .map_err(|e| Error::logical(format!("a plan that is no JSON: {e}")));
        }
        Ok(explain_lines(&trees))
    }

    fn pipeline_text(
        &self,
        query: &ast::Query,
        settings: &Settings,
        given: &Options,
    ) -> Result<String> {
        let context = self.context(settings, &QueryOptions::default());
        let runtime = self.runtime(settings, &context)?;
        let plan = self.plan(query, settings)?;
        if given.is("graph") {
            return entasis_exec::explain_pipeline_graph(&plan, &context, &runtime);
        }
        let mut text = entasis_exec::explain_pipeline(&plan, &context, &runtime)?;
        if given.is("header") {
            let field = |f: &Field| format!("{} {}", f.name, f.ty);
            let fields: Vec<String> = plan.header.iter().map(field).collect();
            text += &format!("Header: {}\n", fields.join(", "));
        }
        Ok(text)
    }

    /// Parts, rows and marks that would be read, for each table.
    fn estimated(&self, plan: &QueryPlan, settings: &Settings) -> Result<QueryResult> {
        let mut scans = Vec::new();
        let inner = plan.subqueries.iter().map(|subquery| &subquery.plan().root);
        inner.chain([&plan.root]).for_each(|root| entasis_plan::scans(root, &mut scans));
        let mut tables: BTreeMap<String, [u64; 3]> = BTreeMap::new();
        for scan in scans {
            let Plan::Scan(physical::Scan { table, name, spec, .. }) = scan else { continue };
            let progress = Arc::new(Progress::default());
            let context = QueryContext {
                progress: Arc::clone(&progress),
                ..self.context(settings, &QueryOptions::default())
            };
            let report = table.scan(spec, &context)?.report();
            let of = |name: &str| report.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
            let (Some(parts), Some(marks)) = (of("parts"), of("granules")) else { continue };
            if of("parts_total").is_some_and(|all| all > 0) {
                let sums = tables.entry(name.to_string()).or_default();
                let more = [parts, progress.get().2, marks];
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
            }
        }
        Ok(estimates(&tables))
    }
}

fn estimates(tables: &BTreeMap<String, [u64; 3]>) -> QueryResult {
    let split = |name: &String| {
        let (database, table) = name.split_once('.').unwrap_or(("", name));
        (database.to_string(), table.to_string())
    };
    let names: Vec<(String, String)> = tables.keys().map(split).collect();
    let text = |strings: Strings| Column::String(strings);
    let numbers = |i: usize| tables.values().map(|sums| sums[i]).collect::<Vec<u64>>().into();
    let columns = vec![
        text(names.iter().map(|(database, _)| database).collect()),
        text(names.iter().map(|(_, table)| table).collect()),
        numbers(0),
        numbers(1),
        numbers(2),
    ];
    let field = |(name, ty): (&str, DataType)| Field::new(name, ty);
    let fields = [
        ("database", DataType::String),
        ("table", DataType::String),
        ("parts", DataType::UInt64),
        ("rows", DataType::UInt64),
        ("marks", DataType::UInt64),
    ];
    let header = Header::new(fields.map(field).to_vec());
    QueryResult::ready(header, vec![Chunk::new(columns, tables.len())])
}

/// What an index does as JSON, with the keys of the reference.
fn index_json(step: &IndexStep) -> serde_json::Value {
    let mut out = serde_json::Map::new();
    out.insert("Type".into(), json!(step.kind));
    let texts = [("Name", &step.name), ("Description", &step.description)];
    for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?))) {
        out.insert(key.into(), json!(text));
    }
    if !step.keys.is_empty() {
        out.insert("Keys".into(), json!(step.keys));
    }
    if let Some(condition) = &step.condition {
        out.insert("Condition".into(), json!(condition));
    }
    if let Some(search) = step.search {
        out.insert("Search Algorithm".into(), json!(search));
    }
    out.insert("Initial Parts".into(), json!(step.parts.0));
    out.insert("Selected Parts".into(), json!(step.parts.1));
    out.insert("Initial Granules".into(), json!(step.granules.0));
    out.insert("Selected Granules".into(), json!(step.granules.1));
    serde_json::Value::Object(out)
}

/// A node as JSON, with the keys of the reference.
fn node_json(node: &PlanNode) -> serde_json::Value {
    let mut out = serde_json::Map::new();
    out.insert("Node Type".into(), json!(node.kind));
    if !node.description.is_empty() {
        out.insert("Description".into(), json!(node.description));
    }
    if let Some(header) = &node.header {
        out.insert("Header".into(), json!(header));
    }
    if let Some(headers) = &node.input_headers {
        out.insert("Input Headers".into(), json!(headers));
    }
    if let Some(sorting) = &node.sorting {
        out.insert("Sorting".into(), json!(sorting));
    }
    if let Some(rows) = node.estimate {
        out.insert("Estimated Rows".into(), json!(rows));
    }
    if !node.actions.is_empty() {
        out.insert("Actions".into(), json!(node.actions));
    }
    if let Some(report) = node.indexes.as_ref().filter(|report| !report.steps.is_empty()) {
        let indexes: Vec<_> = report.steps.iter().map(index_json).collect();
        out.insert("Indexes".into(), json!(indexes));
    }
    if !node.children.is_empty() {
        let plans: Vec<_> = node.children.iter().map(node_json).collect();
        out.insert("Plans".into(), json!(plans));
    }
    serde_json::Value::Object(out)
}

/// The options of an EXPLAIN, which are numbers, by name.
struct Options(Vec<(String, i64)>);

impl Options {
    /// Fails for an option that this kind of EXPLAIN does not have, and for a value that it cannot
    /// have.
    fn of(explain: &ast::Explain) -> Result<Self> {
        let mut given = Vec::new();
        // EXPLAIN ANALYZE reads its options itself.
        if explain.kind == ExplainKind::Analyze {
            return Ok(Self(given));
        }
        let (kind, known) = known_options(explain.kind);
        for change in &explain.settings {
            let name = change.name.as_str();
            if !known.contains(&name) {
                let message = format!(
                    "Unknown setting \"{name}\" for {kind} query. Supported settings: {}",
                    known.join(", ")
                );
                return Err(Error::new(codes::UNKNOWN_SETTING, message));
            }
            let value = change.value.as_ref().and_then(|value| value.as_literal());
            let number = match value {
                Some(ast::Literal::UInt(value)) => i64::try_from(*value).ok(),
                Some(ast::Literal::Int(value)) => Some(*value),
                Some(ast::Literal::Bool(value)) => Some(i64::from(*value)),
                _ => None,
            };
            let invalid = |what: &str| {
                let message = format!("Invalid value for setting \"{name}\": {what}");
                Error::new(codes::INVALID_SETTING_VALUE, message)
            };
            let number = number.ok_or_else(|| invalid("only whole numbers are supported"))?;
            if !name.ends_with("passes") && !matches!(number, 0 | 1) {
                return Err(invalid(&format!("expected 0 or 1, not {number}")));
            }
            given.push((name.to_string(), number));
        }
        let given = Self(given);
        given.check_passes(explain.kind)?;
        Ok(given)
    }

    /// Refuses options about passes over the tree of a query. There are none: the analyser resolves
    /// a query at once.
    fn check_passes(&self, kind: ExplainKind) -> Result<()> {
        let refused = |message: &str| Err(Error::not_implemented(message));
        if kind == ExplainKind::Syntax
            && self.is("run_query_tree_passes")
            && self.number("query_tree_passes") != Some(0)
        {
            return refused(
                "EXPLAIN SYNTAX run_query_tree_passes = 1 (EXPLAIN QUERY TREE shows the resolved \
                 query)",
            );
        }
        if kind != ExplainKind::QueryTree {
            return Ok(());
        }
        if self.number("dump_tree") == Some(0) && !self.is("dump_ast") {
            let message =
                "Either 'dump_tree' or 'dump_ast' must be set for EXPLAIN QUERY TREE query";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let has_passes = self.number("run_passes") != Some(0);
        if !has_passes || self.number("passes").is_some_and(|passes| passes != -1) {
            return refused(
                "EXPLAIN QUERY TREE with run_passes = 0 or passes (EXPLAIN AST shows the query as \
                 it is parsed)",
            );
        }
        if self.is("dump_passes") {
            return refused(
                "EXPLAIN QUERY TREE dump_passes = 1 (leave it out: the analyser resolves a query \
                 in one go)",
            );
        }
        match self.is("dump_ast") {
            true => refused("EXPLAIN QUERY TREE dump_ast = 1 (EXPLAIN SYNTAX shows the query)"),
            false => Ok(()),
        }
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, value)| *value)
    }

    fn is(&self, name: &str) -> bool {
        self.number(name) == Some(1)
    }
}

/// Name of a kind of EXPLAIN in messages, and its options.
fn known_options(kind: ExplainKind) -> (&'static str, &'static [&'static str]) {
    match kind {
        ExplainKind::Ast => ("EXPLAIN AST", &["optimize", "graph"]),
        ExplainKind::Syntax => {
            let known = &["single_record", "run_query_tree_passes", "oneline", "query_tree_passes"];
            ("EXPLAIN SYNTAX", known)
        }
        ExplainKind::QueryTree => {
            let known = &["dump_ast", "dump_passes", "dump_tree", "run_passes", "passes"];
            ("EXPLAIN QUERY TREE", known)
        }
        ExplainKind::Pipeline => {
            let known =
                &["compact_repeated_processor_chains", "compact", "distributed", "graph", "header"];
            ("EXPLAIN PIPELINE", known)
        }
        _ => {
            let known = &[
                "compact",
                "column_structure",
                "distributed",
                "description",
                "json",
                "sorting",
                "input_headers",
                "projections",
                "keep_logical_steps",
                "indexes",
                "actions",
                "pretty",
                "indices",
                "estimates",
                "optimize",
                "header",
            ];
            ("EXPLAIN PLAN", known)
        }
    }
}
