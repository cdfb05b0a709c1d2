//! EXPLAIN ANALYZE runs a statement, drops its result, and shows what every step of its pipelines
//! did: as a tree of lines, as a graph (Mermaid or Graphviz), or as JSON.
//!
//! A pipeline is shown from its sink down to its source, and below it the pipelines that it waited
//! for. Times are sums over all threads, so that the times of all steps add up.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::memory::readable;
use entasis_base::{Error, Result, codes};
use entasis_exec::Runtime;
use entasis_pipeline::profile::{GraphProfile, StepTotals, Steps};
use entasis_pipeline::{Discard, Profile, QueryContext};
use entasis_plan::QueryPlan;
use entasis_sql::ast;
use serde_json::{Value, json};

use crate::settings::value::literal_value;
use crate::statement::query::{lines, settings_of};
use crate::{QueryOptions, QueryResult, Session};

/// The form of the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Graphviz,
    Mermaid,
}

/// The measurements of a statement that was run.
struct Analyzed {
    graphs: Vec<Arc<GraphProfile>>,
    elapsed: Duration,
    threads: usize,
    peak: u64,
    read_rows: u64,
    read_bytes: u64,
}

impl Session {
    pub(crate) fn explain_analyze(
        &self,
        query: &ast::Query,
        options: &[ast::SettingChange],
        of: &QueryOptions,
    ) -> Result<QueryResult> {
        let form = form_of(options)?;
        let settings = self.settings_with(settings_of(query))?;
        self.limit(&settings, of)?;
        let began = Instant::now();
        let plan = self.plan(query, &settings)?;
        let context = QueryContext {
            profile: Some(Arc::new(Profile::default())),
            ..self.context(&settings, of)
        };
        let runtime = self.runtime(&settings, &context)?;
        let analyzed = run_analyzed(&plan, &context, &runtime, began)?;
        let text = match form {
            Form::Text => analyzed.text(),
            Form::Json => analyzed.json(),
            Form::Graphviz => analyzed.graphviz(),
            Form::Mermaid => analyzed.mermaid(),
        };
        Ok(lines("explain", text.lines()))
    }
}

fn run_analyzed(
    plan: &QueryPlan,
    context: &QueryContext,
    runtime: &Runtime,
    began: Instant,
) -> Result<Analyzed> {
    entasis_exec::execute(plan, context, runtime, Arc::new(Discard("Result")))?;
    let (read_rows, read_bytes, _) = context.progress.get();
    Ok(Analyzed {
        graphs: context.profile.as_ref().map_or_else(Vec::new, |p| p.graphs()),
        elapsed: began.elapsed(),
        threads: context.max_threads,
        peak: context.memory.peak(),
        read_rows,
        read_bytes,
    })
}

fn form_of(options: &[ast::SettingChange]) -> Result<Form> {
    let mut form = Form::Text;
    for option in options {
        let value = match option.value.as_ref().map(|v| &v.kind) {
            Some(ast::ExprKind::Literal(literal)) => match literal_value(literal) {
                entasis_types::Value::String(bytes) => String::from_utf8_lossy(&bytes).to_string(),
                other => other.as_u64().map_or_else(String::new, |n| n.to_string()),
            },
            Some(ast::ExprKind::Identifier(parts)) if parts.len() == 1 => {
                parts[0].as_str().to_string()
            }
            _ => String::new(),
        };
        form = match (&*option.name.to_ascii_lowercase(), &*value.to_ascii_lowercase()) {
            ("graph" | "json", "0") | ("format", "text") => Form::Text,
            ("json", "1") | ("format", "json") => Form::Json,
            ("graph", "1" | "graphviz" | "dot") | ("format", "graphviz" | "dot") => Form::Graphviz,
            ("graph" | "format", "mermaid") => Form::Mermaid,
            (name, value) => {
                let message = format!(
                    "EXPLAIN ANALYZE does not know {name} = '{value}': write format = 'text', \
                     'json', 'graphviz' or 'mermaid', or graph = 1"
                );
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        };
    }
    Ok(form)
}

/// A duration such as `12.3 ms`.
fn time(duration: Duration) -> String {
    let micros = duration.as_nanos() as f64 / 1e3;
    match micros {
        ..1e3 => format!("{micros:.0} µs"),
        ..1e6 => format!("{:.2} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

/// A number such as `10,000,000`.
fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The facts that a step reports: `parts 2 of 5`, `memory 1.50 MiB`.
fn function_context(step: &StepTotals) -> Vec<String> {
    let total = |name: &str| {
        let wanted = format!("{name}_total");
        step.report.iter().find(|(n, _)| *n == wanted).map(|(_, v)| *v)
    };
    let shown = step.report.iter().filter(|(name, n)| !name.ends_with("_total") && *n > 0);
    shown
        .map(|(name, value)| match (name.strip_suffix("_bytes"), total(name)) {
            (Some(name), _) => format!("{} {}", name.replace('_', " "), readable(*value)),
            (None, Some(all)) => {
                format!("{} {} of {}", name.replace('_', " "), count(*value), count(all))
            }
            (None, None) => format!("{} {}", name.replace('_', " "), count(*value)),
        })
        .collect()
}

/// How many times too high or too low an estimate is. Fewer than one row count as one.
fn error_factor(expected: u64, actual: u64) -> f64 {
    let (a, b) = (expected.max(1) as f64, actual.max(1) as f64);
    (a / b).max(b / a)
}

/// The error of an estimate, for people; nothing if it is within a tenth.
fn off(expected: u64, actual: u64) -> String {
    match error_factor(expected, actual) {
        ..1.1 => String::new(),
        factor @ ..9.95 => format!(", off by {factor:.1}"),
        factor => format!(", off by {}", count(factor.round() as u64)),
    }
}

/// All that is known of a step, the most important first.
fn described(step: &StepTotals, is_source: bool, is_sink: bool) -> String {
    let mut parts = Vec::new();
    if is_sink {
        parts.push(format!("rows in {}", count(step.rows_in)));
    } else {
        let expected = |n| format!(" (expected {}{})", count(n), off(n, step.rows_out));
        let estimate = step.estimate.map_or_else(String::new, expected);
        let rows = match is_source {
            true => count(step.rows_out),
            false => format!("{} of {}", count(step.rows_out), count(step.rows_in)),
        };
        parts.push(format!("rows {rows}{estimate}"));
        parts.push(format!("{} in {} chunks", readable(step.bytes_out), count(step.chunks_out)));
    }
    parts.push(format!("busy {}", time(step.busy)));
    if !step.waiting.is_zero() {
        parts.push(format!("waited for {}", time(step.waiting)));
    }
    parts.extend(function_context(step));
    parts.join(", ")
}

/// Indices of the pipelines that no other pipeline waited for, in order.
fn roots(graph: &GraphProfile) -> Vec<usize> {
    let all = graph.pipelines();
    (0..all.len()).filter(|i| !all.iter().any(|p| p.after().contains(i))).collect()
}

impl Analyzed {
    fn text(&self) -> String {
        let mut out = format!(
            "{} with up to {} threads, memory peak {}, read {} rows, {}\n",
            time(self.elapsed),
            self.threads,
            readable(self.peak),
            count(self.read_rows),
            readable(self.read_bytes),
        );
        for graph in &self.graphs {
            let mut depth = 0;
            if !graph.title().is_empty() {
                let _ = writeln!(out, "{}", graph.title());
                depth = 1;
            }
            let mut shown = vec![false; graph.pipelines().len()];
            for root in roots(graph) {
                pipeline_text(graph, root, depth, &mut shown, &mut out);
            }
        }
        out
    }

    fn json(&self) -> String {
        let pipeline = |pipeline: &Steps| {
            let (first, last) = pipeline.span().unwrap_or_default();
            json!({
                "after": pipeline.after(),
                "threads": pipeline.tasks(),
                "began_ns": first.as_nanos() as u64,
                "ended_ns": last.as_nanos() as u64,
                "steps": pipeline.totals().iter().map(step_json).collect::<Vec<_>>(),
            })
        };
        let graph = |graph: &Arc<GraphProfile>| {
            let pipelines: Vec<Value> = graph.pipelines().iter().map(pipeline).collect();
            json!({"title": graph.title(), "pipelines": pipelines})
        };
        let all = json!({
            "elapsed_ns": self.elapsed.as_nanos() as u64,
            "threads": self.threads,
            "memory_peak_bytes": self.peak,
            "read_rows": self.read_rows,
            "read_bytes": self.read_bytes,
            "graphs": self.graphs.iter().map(graph).collect::<Vec<_>>(),
        });
        format!("{all:#}")
    }

    /// Calls `node` for every step (id, step, text), and `edge` for each pair of steps between
    /// which rows are passed (ids, number of rows).
    fn walk(
        &self,
        node: &mut dyn FnMut(&str, &StepTotals, &str),
        edge: &mut dyn FnMut(&str, &str, u64),
    ) {
        for (g, graph) in self.graphs.iter().enumerate() {
            for (p, pipeline) in graph.pipelines().iter().enumerate() {
                let steps = pipeline.totals();
                let id = |p: usize, s: usize| format!("g{g}p{p}s{s}");
                for (s, step) in steps.iter().enumerate() {
                    let text = described(step, s == 0, s + 1 == steps.len());
                    node(&id(p, s), step, &text);
                    if s > 0 {
                        edge(&id(p, s - 1), &id(p, s), step.rows_in);
                    }
                }
                for &before in pipeline.after() {
                    let sink = graph.pipelines()[before].totals().len() - 1;
                    edge(&id(before, sink), &id(p, 0), steps[0].rows_out);
                }
            }
        }
    }

    fn graphviz(&self) -> String {
        let (mut nodes, mut edges) = (String::new(), String::new());
        self.walk(
            &mut |id, step, text| {
                let label = format!("{}\n{}", step.name, text.replace(", ", "\n"));
                let _ = writeln!(nodes, "  {id} [label={}];", json!(label));
            },
            &mut |from, to, rows| {
                let _ = writeln!(edges, "  {from} -> {to} [label=\"{}\"];", count(rows));
            },
        );
        format!("digraph {{\n  rankdir=\"BT\";\n  node [shape=box];\n{nodes}{edges}}}\n")
    }

    fn mermaid(&self) -> String {
        let (mut nodes, mut edges) = (String::new(), String::new());
        self.walk(
            &mut |id, step, text| {
                let label = format!("<b>{}</b><br/>{}", step.name, text.replace(", ", "<br/>"));
                let _ = writeln!(nodes, "  {id}[\"{}\"]", label.replace('"', "#quot;"));
            },
            &mut |from, to, rows| {
                let _ = writeln!(edges, "  {from} -->|{}| {to}", count(rows));
            },
        );
        format!("flowchart BT\n{nodes}{edges}")
    }
}

fn pipeline_text(
    graph: &GraphProfile,
    at: usize,
    depth: usize,
    shown: &mut [bool],
    out: &mut String,
) {
    if std::mem::replace(&mut shown[at], true) {
        return;
    }
    let pipeline: &Steps = &graph.pipelines()[at];
    let steps = pipeline.totals();
    for (i, step) in steps.iter().enumerate().rev() {
        let (is_source, is_sink) = (i == 0, i + 1 == steps.len());
        let indent = " ".repeat(2 * (depth + steps.len() - 1 - i));
        let _ = write!(out, "{indent}{}: {}", step.name, described(step, is_source, is_sink));
        if let (true, Some((first, last))) = (is_sink, pipeline.span()) {
            let threads = match pipeline.tasks() {
                1 => "1 thread".to_string(),
                n => format!("{n} threads"),
            };
            let _ = write!(out, ", {threads} from {} to {}", time(first), time(last));
        }
        out.push('\n');
    }
    for &before in pipeline.after() {
        pipeline_text(graph, before, depth + steps.len(), shown, out);
    }
}

fn step_json(step: &StepTotals) -> Value {
    let mut out = json!({
        "name": step.name,
        "rows_in": step.rows_in,
        "rows_out": step.rows_out,
        "chunks_out": step.chunks_out,
        "bytes_out": step.bytes_out,
        "busy_ns": step.busy.as_nanos() as u64,
        "waiting_ns": step.waiting.as_nanos() as u64,
        "rows_expected": step.estimate,
        "rows_off_by": step.estimate.map(|expected| error_factor(expected, step.rows_out)),
    });
    for (name, value) in &step.report {
        out[name] = json!(value);
    }
    out
}
