//! Skips the parts of partitions in which no row can pass. All rows of a partition have the same
//! value of the partition key, so a condition that reads nothing but the key has one result for
//! each partition. The values are those of the commit log; no file is opened.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Predicate, is_deterministic, replaced, same};
use entasis_table_api::ScanSpec;
use entasis_types::{DataType, Value};

use crate::config::{TableConfig, plain_column};
use crate::part::Part;
use crate::partition::{key_types, value_of_text};

/// The conjuncts of a scan that read only the partition key.
pub(crate) struct PartitionPruner {
    /// The key's elements are columns with the ids 0, 1 and so on.
    predicate: Predicate,
    types: Vec<DataType>,
    is_tuple: bool,
}

impl PartitionPruner {
    /// `None` if no partition can be skipped.
    pub(crate) fn new(spec: &ScanSpec, config: &TableConfig) -> Option<Self> {
        let key = config.partition_by.as_ref()?;
        let (types, is_tuple) = key_types(key);
        let elements: Vec<&Expr> = match key {
            Expr::Call { args, .. } if is_tuple => args.iter().collect(),
            _ => vec![key],
        };
        if elements.len() != types.len() {
            return None;
        }
        // The same call means something else in another time zone.
        let are_plain = || elements.iter().all(|element| plain_column(element).is_some());
        if spec.indices.zone != Some(config.zone) && !are_plain() {
            return None;
        }
        let on_key = |conjunct: &Expr| conjunct_on_key(conjunct, &elements, spec);
        let conjuncts: Vec<Expr> = spec.filter.iter().filter_map(on_key).collect();
        if conjuncts.is_empty() {
            return None;
        }
        let ids: Vec<ColumnId> = (0..types.len() as u32).map(ColumnId).collect();
        // A condition that cannot be evaluated here fails, if at all, where rows are filtered.
        let predicate = Predicate::new(&conjuncts, &ids).ok()?;
        Some(Self { predicate, types, is_tuple })
    }

    /// For each part, whether rows of its partition can pass.
    pub(crate) fn passing(&mut self, parts: &[Arc<Part>]) -> Vec<bool> {
        self.passing_by_text(parts).unwrap_or_else(|| vec![true; parts.len()])
    }

    fn passing_by_text(&mut self, parts: &[Arc<Part>]) -> Option<Vec<bool>> {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); self.types.len()];
        let mut of_part = Vec::with_capacity(parts.len());
        for part in parts {
            let text = &*part.summary.partition_value;
            let next = numbers.len();
            let number = *numbers.entry(text).or_insert(next);
            if number == next {
                let key = value_of_text(&self.types, self.is_tuple, text)?;
                values.iter_mut().zip(key).for_each(|(all, value)| all.push(value));
            }
            of_part.push(number);
        }
        let rows = numbers.len();
        let column = |(ty, values): (&DataType, &Vec<Value>)| -> Column {
            let parts: Vec<Column> =
                values.iter().map(|value| Column::from_value(ty, value, 1).full()).collect();
            Column::concat(&parts.iter().collect::<Vec<_>>()).full()
        };
        let columns = self.types.iter().zip(&values).map(column).collect();
        let mask = self.predicate.mask(&Chunk::new(columns, rows)).ok()?;
        Some(of_part.into_iter().map(|number| mask.get(number)).collect())
    }
}

/// A conjunct in which the elements of the key are columns; `None` if it reads other columns.
fn conjunct_on_key(conjunct: &Expr, elements: &[&Expr], spec: &ScanSpec) -> Option<Expr> {
    if !is_deterministic(conjunct) {
        return None;
    }
    // The key reads columns of the table by their positions, the conjunct by the query's ids.
    let by_position = |id: ColumnId| {
        let column = spec.columns.iter().find(|column| column.id == id)?;
        column.whole_position().map(|position| ColumnId(position as u32))
    };
    let mut reads_others = false;
    let placed = replaced(conjunct, &mut |expr| {
        let Expr::Column { id, ty } = expr else { return None };
        let found = by_position(*id);
        reads_others |= found.is_none();
        found.map(|id| Expr::column(id, ty.clone()))
    });
    let mut reads_key = false;
    let rewritten = replaced(&placed, &mut |expr| {
        let element = elements.iter().position(|element| same(element, expr));
        reads_key |= element.is_some();
        reads_others |= element.is_none() && matches!(expr, Expr::Column { .. });
        element.map(|at| Expr::column(ColumnId(at as u32), expr.ty().clone()))
    });
    (reads_key && !reads_others).then_some(rewritten)
}
