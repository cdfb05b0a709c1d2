//! EXPLAIN with options: the plan as a tree of node descriptions, printed as lines or JSON.

use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies, OrElse, Project,
    Scan, Sort, Totals, Union,
};
use entasis_analyze::Query;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{IndexReport, IndexStep, ScanSpec, Snapshot};

use crate::explain::Printer;
use crate::{Plan, QueryPlan, estimate};

/// What EXPLAIN shows of each node.
#[derive(Clone, Copy, Debug)]
pub struct ExplainOptions {
    /// A description of the node after its name.
    pub description: bool,
    /// The output columns of the node.
    pub header: bool,
    /// The columns of the node's inputs.
    pub input_headers: bool,
    /// Each expression on a line of its own.
    pub actions: bool,
    /// The order of the node's rows.
    pub sorting: bool,
    /// The estimated number of rows.
    pub estimates: bool,
    /// The parts and granules that a scan reads of a table, after each index.
    pub indexes: bool,
    /// Leaves out nodes that only compute expressions.
    pub compact: bool,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        Self {
            description: true,
            header: false,
            input_headers: false,
            actions: false,
            sorting: false,
            estimates: false,
            indexes: false,
            compact: false,
        }
    }
}

/// A function that asks a table what its indexes do for a scan.
pub type AskScan<'a> = dyn Fn(&dyn Snapshot, &ScanSpec) -> Result<Option<IndexReport>> + 'a;

/// A node with its inputs.
#[derive(Clone, Debug, Default)]
pub struct PlanNode {
    /// The name of the node's kind: `Filter`, `ReadFrom`.
    pub kind: String,
    /// The description of the node; empty without [`ExplainOptions::description`].
    pub description: String,
    /// The output columns, each with its type if it is known.
    pub header: Option<Vec<String>>,
    /// The columns of each input.
    pub input_headers: Option<Vec<Vec<String>>>,
    /// The expressions of the node.
    pub actions: Vec<String>,
    /// The keys by which its rows are sorted.
    pub sorting: Option<String>,
    /// The estimated number of rows.
    pub estimate: Option<u64>,
    /// What the indexes of a table do for its scan.
    pub indexes: Option<IndexReport>,
    /// The inputs; in the root, the query's subqueries come before them.
    pub children: Vec<PlanNode>,
}

/// The trees of a query: its subqueries first, then its own.
pub fn explain_tree(
    plan: &QueryPlan,
    query: &Query,
    options: ExplainOptions,
    ask: &AskScan<'_>,
) -> Result<Vec<PlanNode>> {
    let tree = Tree { printer: Printer::of(plan, query), options, ask };
    let mut trees = Vec::with_capacity(plan.subqueries.len() + 1);
    for (i, subquery) in plan.subqueries.iter().enumerate() {
        let (kind, inner) = (subquery.kind(), subquery.plan());
        let kind = format!("{kind} {}", i + 1);
        trees.push(PlanNode { kind, children: tree.nodes(&inner.root)?, ..PlanNode::default() });
    }
    trees.extend(tree.nodes(&plan.root)?);
    Ok(trees)
}

/// Describes the plan in lines, one per node.
pub fn explain(plan: &QueryPlan, query: &Query) -> Result<String> {
    let trees = explain_tree(plan, query, ExplainOptions::default(), &|_, _| Ok(None))?;
    Ok(explain_lines(&trees))
}

/// Formats the trees as indented lines.
pub fn explain_lines(trees: &[PlanNode]) -> String {
    let mut out = String::new();
    trees.iter().for_each(|tree| tree.lines(0, &mut out));
    out
}

struct Tree<'a> {
    printer: Printer,
    options: ExplainOptions,
    ask: &'a AskScan<'a>,
}

impl Tree<'_> {
    /// The node with its inputs; only the inputs if the node itself is left out.
    fn nodes(&self, plan: &Plan) -> Result<Vec<PlanNode>> {
        let mut children = Vec::new();
        for input in inputs(plan) {
            children.extend(self.nodes(input)?);
        }
        if self.options.compact && matches!(plan, Plan::Project(_)) && !children.is_empty() {
            return Ok(children);
        }
        let line = self.printer.line(plan);
        let (kind, description) = line.split_once(' ').unwrap_or((&line, ""));
        let described = self.options.description;
        let mut node = PlanNode {
            kind: kind.to_string(),
            description: if described { description.to_string() } else { String::new() },
            children,
            ..PlanNode::default()
        };
        if self.options.header {
            node.header = Some(self.columns(plan));
        }
        if self.options.input_headers {
            node.input_headers = Some(inputs(plan).into_iter().map(|i| self.columns(i)).collect());
        }
        if self.options.actions {
            node.actions = self.actions(plan);
        }
        if self.options.sorting {
            node.sorting = self.sorting(plan);
        }
        if self.options.estimates {
            node.estimate = Some(estimate(plan) as u64);
        }
        if let Plan::Scan(Scan { table, spec, .. }) = plan
            && self.options.indexes
        {
            node.indexes = (self.ask)(&**table, spec)?;
        }
        Ok(vec![node])
    }

    fn columns(&self, plan: &Plan) -> Vec<String> {
        let types = types(plan);
        let column = |id: &ColumnId| {
            let known = types.iter().find(|(known, _)| known == id).map(|(_, ty)| ty.clone());
            let ty = known.or_else(|| self.printer.type_of(*id));
            let name = self.printer.name(*id);
            ty.map_or(name.clone(), |ty| format!("{name} {ty}"))
        };
        plan.outputs().iter().map(column).collect()
    }

    fn actions(&self, plan: &Plan) -> Vec<String> {
        let exprs = |list: &[Expr]| list.iter().map(|e| self.printer.expr(e)).collect();
        match plan {
            Plan::Project(Project { exprs, .. }) => {
                exprs.iter().map(|(id, e)| self.printer.definition(*id, e)).collect()
            }
            Plan::Filter(Filter { predicates, .. }) => exprs(predicates),
            Plan::Scan(Scan { spec, .. }) => exprs(&spec.filter),
            Plan::Join(join) => join.residual.iter().map(|e| self.printer.expr(e)).collect(),
            _ => Vec::new(),
        }
    }

    /// The order of a node's rows: its own, or that of its input if the node keeps it.
    fn sorting(&self, plan: &Plan) -> Option<String> {
        match plan {
            Plan::Sort(Sort { keys, .. }) => {
                Some(keys.iter().map(|k| self.printer.key(k)).collect::<Vec<_>>().join(", "))
            }
            Plan::Limit(Limit { input, .. })
            | Plan::LimitTies(LimitTies { input, .. })
            | Plan::Bound(Bound { input, .. })
            | Plan::Filter(Filter { input, .. })
            | Plan::Project(Project { input, .. }) => self.sorting(input),
            Plan::Fetch(fetch) => self.sorting(&fetch.input),
            _ => None,
        }
    }
}

impl PlanNode {
    fn lines(&self, depth: usize, out: &mut String) {
        let mut line = |indent: usize, text: &str| {
            out.push_str(&" ".repeat(indent));
            out.push_str(text);
            out.push('\n');
        };
        let indent = depth * 2;
        let title = format!("{} {}", self.kind, self.description);
        line(indent, title.trim_end());
        if let Some(header) = &self.header {
            line(indent, &format!("Header: {}", header.join(", ")));
        }
        for header in self.input_headers.iter().flatten() {
            line(indent, &format!("Input header: {}", header.join(", ")));
        }
        if let Some(sorting) = &self.sorting {
            line(indent, &format!("Sorting: {sorting}"));
        }
        if let Some(rows) = self.estimate {
            line(indent, &format!("Estimated rows: {rows}"));
        }
        if !self.actions.is_empty() {
            line(indent, "Actions:");
            self.actions.iter().for_each(|action| line(indent + 2, action));
        }
        if let Some(report) = &self.indexes {
            line(indent, &format!("Parts: {} | Granules: {}", report.parts, report.granules));
            if !report.steps.is_empty() {
                line(indent, "Indexes:");
                report.steps.iter().for_each(|step| index_lines(step, indent, &mut line));
                line(indent + 2, &format!("Ranges: {}", report.ranges));
            }
        }
        self.children.iter().for_each(|child| child.lines(depth + 1, out));
    }
}

/// The lines about an index, as the reference has them.
fn index_lines(step: &IndexStep, indent: usize, line: &mut impl FnMut(usize, &str)) {
    line(indent + 2, step.kind);
    let mut of = |name: &str, text: &str| line(indent + 4, &format!("{name}: {text}"));
    if let Some(name) = &step.name {
        of("Name", name);
    }
    if let Some(description) = &step.description {
        of("Description", description);
    }
    if !step.keys.is_empty() {
        line(indent + 4, "Keys:");
        step.keys.iter().for_each(|key| line(indent + 6, key));
    }
    let mut of = |name: &str, text: &str| line(indent + 4, &format!("{name}: {text}"));
    if let Some(condition) = &step.condition {
        of("Condition", condition);
    }
    of("Parts", &format!("{}/{}", step.parts.1, step.parts.0));
    of("Granules", &format!("{}/{}", step.granules.1, step.granules.0));
    if let Some(search) = step.search {
        of("Search Algorithm", search);
    }
}

/// Collects the scans of a plan, from left to right.
pub fn scans<'a>(plan: &'a Plan, out: &mut Vec<&'a Plan>) {
    if matches!(plan, Plan::Scan(_)) {
        out.push(plan);
    }
    inputs(plan).into_iter().for_each(|input| scans(input, out));
}

/// The inputs of a node, from left to right.
pub(crate) fn inputs(plan: &Plan) -> Vec<&Plan> {
    match plan {
        Plan::Values(_) | Plan::Rows(_) | Plan::Scan(_) => Vec::new(),
        Plan::Filter(Filter { input, .. })
        | Plan::Project(Project { input, .. })
        | Plan::Aggregate(Aggregate { input, .. })
        | Plan::Distinct(Distinct { input, .. })
        | Plan::Sort(Sort { input, .. })
        | Plan::Limit(Limit { input, .. })
        | Plan::LimitTies(LimitTies { input, .. })
        | Plan::Bound(Bound { input, .. })
        | Plan::Totals(Totals { input, .. })
        | Plan::LimitBy(LimitBy { input, .. })
        | Plan::ArrayJoin(ArrayJoin { input, .. }) => vec![input],
        Plan::Union(Union { inputs, .. }) => inputs.iter().collect(),
        Plan::OrElse(OrElse { input, otherwise }) => vec![input, otherwise],
        Plan::Window(window) => vec![&window.input],
        Plan::Fetch(fetch) => vec![&fetch.input],
        Plan::Slice(slice) => vec![&slice.input],
        Plan::Fill(fill) => vec![&fill.input],
        Plan::Recursive(recursive) => vec![&recursive.base, &recursive.step],
        Plan::Join(join) => vec![&join.left, &join.right],
    }
}

/// The types of a node's output columns and of the columns that it reads.
fn types(plan: &Plan) -> Vec<(ColumnId, String)> {
    let nodes = std::iter::once(plan).chain(inputs(plan));
    let columns = nodes.filter_map(|node| node.header().ok()).flatten();
    columns.map(|(id, ty)| (id, ty.to_string())).collect()
}
