//! Direct joins that ask the right side's table for the keys of each chunk of the left side.
//! Nothing is built or kept, so this is the way for few left rows, and for tables that ask their
//! source.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Operator, OperatorState, Output};
use entasis_plan::{Join, Plan, physical};
use entasis_table_api::Snapshot;

use super::build::split_keys;
use super::pairs::as_output;
use super::{JoinStrictness, Spec};

struct Lookup {
    spec: Arc<Spec>,
    table: Arc<dyn Snapshot>,
    /// For each column of the table's key, its place among the keys of the join.
    keys: Vec<usize>,
    /// The table's columns that the join outputs.
    columns: Vec<usize>,
}

/// The operator on the left side; `None` if the right side is no table that can be asked.
pub fn operator(join: &Join, spec: &Arc<Spec>) -> Option<Arc<dyn Operator>> {
    let Plan::Scan(physical::Scan { table, spec: scan, .. }) = &join.right else { return None };
    let is_whole = scan.filter.is_empty() && scan.limit.is_none() && !spec.keep_right;
    if !is_whole || spec.residual.is_some() || !table.looks_up() {
        return None;
    }
    let of_keys: Vec<Option<usize>> =
        join.keys.iter().map(|(_, right)| scan.whole_position(*right)).collect();
    let place = |at: &usize| of_keys.iter().position(|of| *of == Some(*at));
    let keys = table.lookup_key().iter().map(place).collect::<Option<Vec<usize>>>()?;
    if keys.len() != of_keys.len() {
        return None;
    }
    let columns = join.right_outputs.iter().map(|id| scan.whole_position(*id));
    let columns = columns.collect::<Option<Vec<usize>>>()?;
    Some(Arc::new(Lookup { spec: Arc::clone(spec), table: Arc::clone(table), keys, columns }))
}

impl Operator for Lookup {
    fn name(&self) -> String {
        "JoinLookup".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        let (spec, table) = (Arc::clone(&self.spec), Arc::clone(&self.table));
        let (keys, columns) = (self.keys.clone(), self.columns.clone());
        Ok(Box::new(Self { spec, table, keys, columns }))
    }
}

impl OperatorState for Lookup {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let joined = self.joined(&chunk)?;
        events::add(Event::JoinProbeTableRowCount, chunk.rows as u64);
        events::add(Event::JoinResultRowCount, joined.rows as u64);
        if joined.rows == 0 { Ok(Flow::More) } else { out.push(joined) }
    }
}

impl Lookup {
    fn joined(&self, chunk: &Chunk) -> Result<Chunk> {
        let given: Vec<Column> = self.spec.left_columns(chunk).iter().map(Column::full).collect();
        let (plain, valid) = split_keys(&given, None);
        let asked: Vec<Column> = self.keys.iter().map(|at| plain[*at].clone()).collect();
        let looked = self.table.lookup(&self.columns, &asked, chunk.rows)?;
        let found = match valid {
            Some(valid) => looked.found.and(&valid),
            None => looked.found,
        };
        let kept = match (self.spec.strictness, self.spec.keep_left) {
            (JoinStrictness::None, _) => Some(found.not()),
            (_, false) => Some(found.clone()),
            (_, true) => None,
        };
        let of_left = self.spec.left_outputs.iter();
        let mut columns: Vec<Column> =
            of_left.map(|(at, ty)| as_output(chunk.columns[*at].clone(), ty)).collect();
        for ((_, ty), values) in self.spec.right_outputs.iter().zip(looked.columns) {
            columns.push(or_default(as_output(values, ty), &found, &Column::default_of(ty, 1)));
        }
        let chunk = Chunk::new(columns, chunk.rows);
        Ok(match kept {
            Some(kept) if kept.all() => chunk,
            Some(kept) => chunk.take(&kept.indices()),
            None => chunk,
        })
    }
}

/// The values of the rows that were found, and the default for the others.
fn or_default(values: Column, found: &Bitmap, default: &Column) -> Column {
    if found.all() {
        return values;
    }
    let values = values.full();
    let missing = values.len() as u32;
    let pick = |row: usize| if found.get(row) { row as u32 } else { missing };
    let picks: Vec<u32> = (0..values.len()).map(pick).collect();
    Column::concat(&[&values, default]).take(&picks)
}
