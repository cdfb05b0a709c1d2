//! The rows of a projection, computed from a block of the table's rows.

use entasis_base::Result;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Predicate};
use entasis_table_api::Projected;

use super::Projection;
use crate::schema::evaluate;
use crate::sort;

impl Projection {
    /// The projection's rows for a block, whose chunks hold the table's stored columns at these
    /// positions. Groups come in the order of their keys.
    pub(crate) fn rows(&self, positions: &[usize], chunks: &[Chunk]) -> Result<Chunk> {
        let query = &self.config.query;
        let mut values: Vec<Expr> = Vec::new();
        let mut args: Vec<Expr> = Vec::new();
        for column in &query.columns {
            match column {
                Projected::Value(expr) => values.push(expr.clone()),
                Projected::State(state) => args.extend(state.args.iter().cloned()),
            }
        }
        let ids: Vec<ColumnId> = positions.iter().map(|at| ColumnId(*at as u32)).collect();
        let mut predicate = Predicate::new(&query.filter, &ids)?;
        let exprs: Vec<Expr> = values.iter().chain(&args).cloned().collect();
        let (mut rows, mut computed) = (0, Vec::with_capacity(chunks.len()));
        for chunk in chunks {
            let passing = match query.filter.is_empty() {
                true => chunk.clone(),
                false => chunk.filter(&predicate.mask(chunk)?),
            };
            if passing.is_empty() {
                continue;
            }
            rows += passing.rows;
            computed.push(match exprs.is_empty() {
                true => Vec::new(),
                false => evaluate(&exprs, positions, &passing)?,
            });
        }
        if rows == 0 {
            let types = self.schema.stored.iter().map(|column| &column.ty);
            return Ok(Chunk::new(types.map(|ty| Column::default_of(ty, 0)).collect(), 0));
        }
        let whole = |at: usize| {
            let parts: Vec<&Column> = computed.iter().map(|columns| &columns[at]).collect();
            Column::concat(&parts).full()
        };
        let all: Vec<Column> = (0..exprs.len()).map(whole).collect();
        drop(computed);
        if !query.groups {
            return Ok(Chunk::new(all, rows));
        }
        let (keys, args) = all.split_at(values.len());
        self.grouped(keys, args, rows)
    }

    fn grouped(&self, keys: &[Column], mut args: &[Column], rows: usize) -> Result<Chunk> {
        let order = if keys.is_empty() { None } else { sort::permutation(keys, &[]) };
        let starts = sort::group_starts(keys, order.as_deref(), rows);
        let (count, mut group) = (starts.len(), 0);
        let mut groups = vec![0u32; rows];
        for at in 0..rows {
            if group + 1 < count && starts[group + 1] as usize == at {
                group += 1;
            }
            groups[order.as_ref().map_or(at, |order| order[at] as usize)] = group as u32;
        }
        let row = |start: &u32| order.as_ref().map_or(*start, |order| order[*start as usize]);
        let first: Vec<u32> = starts.iter().map(row).collect();
        let mut keys = keys.iter();
        let mut columns = Vec::with_capacity(self.config.query.columns.len());
        for (column, function) in self.config.query.columns.iter().zip(&self.config.functions) {
            match (column, function) {
                (Projected::State(state), Some(function)) => {
                    let (own, others) = args.split_at(state.args.len());
                    args = others;
                    let mut states = function.states();
                    states.resize(count);
                    states.update(own, &groups)?;
                    columns.push(states.finish(0..count)?);
                }
                _ => columns.extend(keys.next().map(|key| key.take(&first))),
            }
        }
        Ok(Chunk::new(columns, count))
    }
}
