//! Full-text search: conditions on a text that has an index use the tokenizer of the index, and its
//! preprocessor.
//!
//! The reference finds rows by the tokens of the index. Here, the condition itself is rewritten:
//! `hasAllTokens(s, 'A b')` becomes `hasAllTokens(lower(s), 'a b', 'ngrams(3)')`. So it means the
//! same in parts without the index, and the storage answers it from the index where it can.

use crate::physical::{Filter, Scan};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr, same};
use entasis_table_api::{ScanSpec, SearchedText, Snapshot};
use entasis_types::{DataType, Value};

use super::map_inputs;
use crate::{Plan, Planner};

/// Rewrites the conditions on all scans of a plan.
pub(crate) fn attach(planner: &Planner<'_>, plan: Plan) -> Plan {
    match plan {
        Plan::Filter(Filter { input, predicates }) => {
            let rewriter = scan_of(&input)
                .and_then(|(table, spec)| Rewriter::new(planner, table, spec, &predicates));
            let predicates = match &rewriter {
                Some(rewriter) => predicates.iter().map(|expr| rewriter.rewrite(expr)).collect(),
                None => predicates,
            };
            Plan::Filter(Filter { input: Box::new(attach(planner, *input)), predicates })
        }
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            if let Some(rewriter) = Rewriter::new(planner, &*table, &spec, &spec.filter) {
                spec.filter = spec.filter.iter().map(|expr| rewriter.rewrite(expr)).collect();
            }
            Plan::Scan(Scan { table, name, types, spec })
        }
        plan => map_inputs(plan, &mut |input| attach(planner, input)),
    }
}

/// The scan below a chain of filters.
fn scan_of(plan: &Plan) -> Option<(&dyn Snapshot, &ScanSpec)> {
    match plan {
        Plan::Scan(Scan { table, spec, .. }) => Some((&**table, spec)),
        Plan::Filter(Filter { input, .. }) => scan_of(input),
        _ => None,
    }
}

/// The texts of a scan that have an index.
struct Rewriter<'a> {
    planner: &'a Planner<'a>,
    texts: Vec<SearchedText>,
}

impl<'a> Rewriter<'a> {
    /// `None` if the scan has no conditions or no such text.
    fn new(
        planner: &'a Planner<'a>,
        table: &dyn Snapshot,
        spec: &ScanSpec,
        conditions: &[Expr],
    ) -> Option<Self> {
        if conditions.is_empty() {
            return None;
        }
        let of_query = |mut text: SearchedText| {
            text.text = in_query(&text.text, spec)?;
            text.prepared = match text.prepared {
                Some((expr, prepare)) if planner.settings.indices.enabled => {
                    Some((in_query(&expr, spec)?, prepare))
                }
                _ => None,
            };
            Some(text)
        };
        let texts: Vec<_> = table.searched_texts().into_iter().filter_map(of_query).collect();
        (!texts.is_empty()).then_some(Self { planner, texts })
    }

    fn rewrite(&self, expr: &Expr) -> Expr {
        let all = |list: &[Expr]| list.iter().map(|expr| self.rewrite(expr)).collect();
        match expr {
            Expr::And(list, ty) => Expr::And(all(list), ty.clone()),
            Expr::Or(list, ty) => Expr::Or(all(list), ty.clone()),
            Expr::Call { function, args, lambda: None } if function.name == "not" => {
                let args = all(args);
                Expr::Call { function: std::sync::Arc::clone(function), args, lambda: None }
            }
            Expr::Call { function, args, lambda: None } => {
                let rewritten = self.call(function.name, args);
                // What the tokenizer of the index cannot do means what it means without an index.
                rewritten
                    .and_then(Result::ok)
                    .filter(|new| new.ty() == expr.ty())
                    .unwrap_or_else(|| expr.clone())
            }
            other => other.clone(),
        }
    }

    fn call(&self, name: &str, args: &[Expr]) -> Option<Result<Expr>> {
        let ([text, needle], true) = (args, is_search(name)) else { return None };
        let known = self.texts.iter().find(|known| same(&known.text, text))?;
        let (mut text, mut needle) = (text.clone(), needle.clone());
        if let Some((expr, prepare)) = &known.prepared {
            let value = needle.constant()?;
            text = expr.clone();
            if let Some(bytes) = value.as_bytes() {
                let prepared = match prepare(bytes) {
                    Ok(prepared) => prepared,
                    Err(error) => return Some(Err(error)),
                };
                needle = Expr::literal(Value::string(&prepared), DataType::String);
            }
        } else if name == "hasToken" {
            return None;
        }
        let mut args = vec![text, needle];
        if name != "hasToken" {
            let tokenizer = Value::string(known.tokenizer.as_bytes());
            args.push(Expr::literal(tokenizer, DataType::String));
        }
        Some(self.planner.call(name, args))
    }
}

fn is_search(name: &str) -> bool {
    matches!(name, "hasToken" | "hasAnyTokens" | "hasAllTokens" | "hasPhrase")
}

/// An expression over positions in the schema as one over the columns of a scan; `None` if the scan
/// does not read a column of it.
fn in_query(expr: &Expr, spec: &ScanSpec) -> Option<Expr> {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    let id_of = |position: ColumnId| {
        let is_it = |column: &&entasis_table_api::ScanColumn| {
            column.whole_position() == Some(position.0 as usize)
        };
        spec.columns.iter().find(is_it).map(|column| column.id)
    };
    let pairs: Option<Vec<_>> = ids.iter().map(|id| Some((*id, id_of(*id)?))).collect();
    Some(renamed(expr, &pairs?))
}

fn renamed(expr: &Expr, pairs: &[(ColumnId, ColumnId)]) -> Expr {
    let all = |list: &[Expr]| list.iter().map(|expr| renamed(expr, pairs)).collect();
    match expr {
        Expr::Column { id, ty } => {
            let new = pairs.iter().find(|(old, _)| old == id).map_or(*id, |(_, new)| *new);
            Expr::column(new, ty.clone())
        }
        Expr::Call { function, args, lambda } => Expr::Call {
            function: std::sync::Arc::clone(function),
            args: all(args),
            lambda: lambda.as_ref().map(|lambda| {
                let body = renamed(&lambda.body, pairs);
                std::sync::Arc::new(entasis_expr::Lambda { params: lambda.params.clone(), body })
            }),
        },
        Expr::And(list, ty) => Expr::And(all(list), ty.clone()),
        Expr::Or(list, ty) => Expr::Or(all(list), ty.clone()),
        other => other.clone(),
    }
}
