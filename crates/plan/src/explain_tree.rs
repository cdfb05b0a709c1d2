//! EXPLAIN with options: the plan as a tree of node descriptions, printed as lines or JSON.

use entasis_analyze::Query;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, Snapshot};

use crate::explain::Printer;
use crate::{Plan, QueryPlan, Subquery, estimate};

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

/// The effect of one index on a scan.
#[derive(Clone, Debug)]
pub struct IndexUse {
    /// The kind of index: bounds of parts, the primary key, or bounds of granules.
    pub kind: &'static str,
    /// The columns of the index, if they are few.
    pub keys: Vec<String>,
    /// Number of granules before this index is used.
    pub granules_before: u64,
    /// Number of granules that remain after it.
    pub granules_after: u64,
}

/// What a scan reads of a table: numbers by name. Empty for tables without parts.
pub type ScanReport = Vec<(&'static str, u64)>;

/// A function that asks a table what a scan would read.
pub type AskScan<'a> = dyn Fn(&dyn Snapshot, &ScanSpec) -> Result<ScanReport> + 'a;

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
    /// The number of parts that are read, and of all parts.
    pub parts: Option<(u64, u64)>,
    /// The indexes of a scan, in the order in which they are used.
    pub indexes: Vec<IndexUse>,
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
        let (kind, inner) = match subquery {
            Subquery::Set(_, inner) => ("Set", inner),
            Subquery::Scalar(_, inner) => ("Scalar", inner),
        };
        let kind = format!("{kind} {}", i + 1);
        trees.push(PlanNode { kind, children: tree.nodes(&inner.root)?, ..PlanNode::default() });
    }
    trees.extend(tree.nodes(&plan.root)?);
    Ok(trees)
}

/// Describes the plan in lines, one per node.
pub fn explain(plan: &QueryPlan, query: &Query) -> Result<String> {
    let trees = explain_tree(plan, query, ExplainOptions::default(), &|_, _| Ok(Vec::new()))?;
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
        if self.options.compact && matches!(plan, Plan::Project { .. }) && !children.is_empty() {
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
        if let Plan::Scan { table, spec, .. } = plan
            && self.options.indexes
        {
            self.indexes(&**table, spec, &mut node)?;
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
            Plan::Project { exprs, .. } => {
                exprs.iter().map(|(id, e)| self.printer.definition(*id, e)).collect()
            }
            Plan::Filter { predicates, .. } => exprs(predicates),
            Plan::Scan { spec, .. } => exprs(&spec.filter),
            Plan::Join(join) => join.residual.iter().map(|e| self.printer.expr(e)).collect(),
            _ => Vec::new(),
        }
    }

    /// The order of a node's rows: its own, or that of its input if the node keeps it.
    fn sorting(&self, plan: &Plan) -> Option<String> {
        match plan {
            Plan::Sort { keys, .. } => {
                Some(keys.iter().map(|k| self.printer.key(k)).collect::<Vec<_>>().join(", "))
            }
            Plan::Limit { input, .. }
            | Plan::LimitTies { input, .. }
            | Plan::Bound { input, .. }
            | Plan::Filter { input, .. }
            | Plan::Project { input, .. } => self.sorting(input),
            _ => None,
        }
    }

    fn indexes(&self, table: &dyn Snapshot, spec: &ScanSpec, node: &mut PlanNode) -> Result<()> {
        let report = (self.ask)(table, spec)?;
        let of = |name: &str| report.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
        let (Some(parts), Some(all_parts)) = (of("parts"), of("parts_total")) else {
            return Ok(());
        };
        node.parts = Some((parts, all_parts));
        let sorted = table.sorted_by();
        let keys = sorted.iter().filter_map(|position| {
            let column = spec.columns.iter().find(|c| c.whole_position() == Some(*position))?;
            Some(self.printer.name(column.id))
        });
        let mut left = of("granules_total").unwrap_or_default();
        for (kind, skipped, keys) in [
            ("PartBounds", "skipped_by_part_bounds", Vec::new()),
            ("PrimaryKey", "skipped_by_primary_key", keys.collect()),
            ("GranuleBounds", "skipped_by_granule_bounds", Vec::new()),
        ] {
            let after = left.saturating_sub(of(skipped).unwrap_or_default());
            let (granules_before, granules_after) = (left, after);
            node.indexes.push(IndexUse { kind, keys, granules_before, granules_after });
            left = after;
        }
        Ok(())
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
        if let Some((read, all)) = self.parts {
            line(indent, &format!("Parts: {read}/{all}"));
            line(indent, "Indexes:");
            for index in &self.indexes {
                line(indent + 2, index.kind);
                if !index.keys.is_empty() {
                    line(indent + 4, &format!("Keys: {}", index.keys.join(", ")));
                }
                let (after, before) = (index.granules_after, index.granules_before);
                line(indent + 4, &format!("Granules: {after}/{before}"));
            }
        }
        self.children.iter().for_each(|child| child.lines(depth + 1, out));
    }
}

/// Collects the scans of a plan, from left to right.
pub fn scans<'a>(plan: &'a Plan, out: &mut Vec<&'a Plan>) {
    if matches!(plan, Plan::Scan { .. }) {
        out.push(plan);
    }
    inputs(plan).into_iter().for_each(|input| scans(input, out));
}

/// The inputs of a node, from left to right.
pub(crate) fn inputs(plan: &Plan) -> Vec<&Plan> {
    match plan {
        Plan::Values { .. } | Plan::Rows { .. } | Plan::Scan { .. } => Vec::new(),
        Plan::Filter { input, .. }
        | Plan::Project { input, .. }
        | Plan::Aggregate { input, .. }
        | Plan::Distinct { input, .. }
        | Plan::Sort { input, .. }
        | Plan::Limit { input, .. }
        | Plan::LimitTies { input, .. }
        | Plan::Bound { input, .. }
        | Plan::Totals { input, .. }
        | Plan::LimitBy { input, .. }
        | Plan::ArrayJoin { input, .. } => vec![input],
        Plan::Union { inputs, .. } => inputs.iter().collect(),
        Plan::OrElse { input, otherwise } => vec![input, otherwise],
        Plan::Window(window) => vec![&window.input],
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
