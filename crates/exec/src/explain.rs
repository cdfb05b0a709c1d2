//! EXPLAIN PIPELINE: the pipelines that a plan becomes, without running them.

use std::fmt::Write;
use std::sync::Arc;

use entasis_base::Result;
use entasis_pipeline::{Graph, QueryContext, Sink};
use entasis_plan::QueryPlan;

use crate::build::Ends;
use crate::result::CollectSink;
use crate::{Runtime, build};

/// One paragraph per pipeline (source, operators, sink), in the order in which they may start.
pub fn explain_pipeline(
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
) -> Result<String> {
    let mut out = String::new();
    for (i, subquery) in plan.subqueries.iter().enumerate() {
        let (kind, inner) = (subquery.kind(), subquery.plan());
        let _ = writeln!(out, "{kind} {}", i + 1);
        pipelines(&graph(inner, context, runtime)?, context, "  ", &mut out);
    }
    pipelines(&graph(plan, context, runtime)?, context, "", &mut out);
    Ok(out)
}

/// The pipelines of a query without its subqueries, as a graph in the DOT language. Rows flow along
/// the solid edges; a dashed edge means that a pipeline waits for another.
pub fn explain_pipeline_graph(
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
) -> Result<String> {
    let graph = graph(plan, context, runtime)?;
    let mut out = String::from("digraph\n{\n  rankdir=\"LR\";\n  node [shape = rect];\n");
    for (i, pipeline) in graph.pipelines.iter().enumerate() {
        let operators = pipeline.operators.iter().map(|operator| operator.name());
        let steps: Vec<String> = std::iter::once(pipeline.source.name())
            .chain(operators)
            .chain(std::iter::once(pipeline.sink.name()))
            .collect();
        let _ = writeln!(out, "  subgraph cluster_{i} {{\n    label=\"Pipeline {}\";", i + 1);
        for (at, step) in steps.iter().enumerate() {
            let step = step.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(out, "    n{i}_{at} [label=\"{step}\"];");
        }
        out.push_str("  }\n");
        for at in 1..steps.len() {
            let _ = writeln!(out, "  n{i}_{} -> n{i}_{at};", at - 1);
        }
        for before in &pipeline.after {
            let last = graph.pipelines.get(*before).map_or(0, |p| p.operators.len() + 1);
            let _ = writeln!(out, "  n{before}_{last} -> n{i}_0 [style=dashed];");
        }
    }
    out.push_str("}\n");
    Ok(out)
}

fn graph(plan: &QueryPlan, context: &QueryContext, runtime: &Runtime) -> Result<Graph> {
    build(plan, context, runtime, CollectSink::create(context) as Arc<dyn Sink>, Ends::Result)
}

fn pipelines(graph: &Graph, context: &QueryContext, indent: &str, out: &mut String) {
    for (i, pipeline) in graph.pipelines.iter().enumerate() {
        let after: Vec<String> = pipeline.after.iter().map(|p| (p + 1).to_string()).collect();
        let after = match after.is_empty() {
            true => String::new(),
            false => format!(", after {}", after.join(", ")),
        };
        let workers = context.max_threads.max(1);
        let _ = writeln!(out, "{indent}Pipeline {} (at most {workers} workers{after})", i + 1);
        let _ = writeln!(out, "{indent}  {}", pipeline.source.name());
        for operator in &pipeline.operators {
            let _ = writeln!(out, "{indent}  {}", operator.name());
        }
        let _ = writeln!(out, "{indent}  {}", pipeline.sink.name());
    }
}
