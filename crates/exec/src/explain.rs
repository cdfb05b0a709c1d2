//! EXPLAIN PIPELINE: what a plan becomes, without running it.

use std::fmt::Write;
use std::sync::Arc;

use entasis_base::Result;
use entasis_pipeline::{Graph, QueryContext, Sink};
use entasis_plan::{QueryPlan, Subquery};

use crate::result::CollectSink;
use crate::{Runtime, build};

/// One paragraph per pipeline, in the order in which they may start: source, operators, sink.
pub fn explain_pipeline(
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
) -> Result<String> {
    let mut out = String::new();
    for (i, subquery) in plan.subqueries.iter().enumerate() {
        let (kind, inner) = match subquery {
            Subquery::Set(_, inner) => ("Set", inner),
            Subquery::Scalar(_, inner) => ("Scalar", inner),
        };
        let _ = writeln!(out, "{kind} {}", i + 1);
        pipelines(&graph(inner, context, runtime)?, context, "  ", &mut out);
    }
    pipelines(&graph(plan, context, runtime)?, context, "", &mut out);
    Ok(out)
}

fn graph(plan: &QueryPlan, context: &QueryContext, runtime: &Runtime) -> Result<Graph> {
    build(plan, context, runtime, CollectSink::create(context) as Arc<dyn Sink>)
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
