//! Steps that run on some rows only: chains of AND and OR over masks, `IN`, and branches.

use entasis_base::{Error, Result};
use entasis_column::{Column, Mask};
use entasis_function::BoundFunction;
use entasis_types::Physical;

use super::{Arm, Choice, Cost, Program, gather};
use crate::SetSlot;

/// Columns are compacted to the selected rows if less than one in this many rows is selected.
pub(crate) const SPARSE: usize = 4;

/// The rows for which an AND or OR is true, and those for which it is NULL, in three-valued logic.
/// Without `nulls` only the true rows are exact, which is enough for a predicate.
pub(super) fn run(
    is_and: bool,
    nulls: bool,
    arms: &[Arm],
    slots: &[Option<Column>],
    rows: usize,
) -> Result<(Mask, Mask)> {
    // AND continues with the rows that are not yet false; they are true or NULL so far. OR
    // continues with those that are not yet true.
    let mut yes = Mask::constant(is_and, rows);
    let mut null = Mask::constant(false, rows);
    let mut alive = Mask::constant(true, rows);
    for arm in arms {
        let (t, n) = run_arm(arm, slots, &alive, rows, nulls)?;
        if is_and {
            let all = yes.and(&t);
            if nulls {
                null = alive.and(&t.or(&n)).and_not(&all);
                alive = all.or(&null);
            } else {
                alive = all.clone();
            }
            yes = all;
        } else {
            yes = yes.or(&t.and(&alive));
            if nulls {
                null = null.or(&n).and_not(&yes);
            }
            alive = yes.not();
        }
        if alive.none() {
            break;
        }
    }
    Ok((yes, null))
}

/// The rows for which an arm is true, and those for which it is NULL. Rows outside `alive` may have
/// any value.
fn run_arm(
    arm: &Arm,
    slots: &[Option<Column>],
    alive: &Mask,
    rows: usize,
    nulls: bool,
) -> Result<(Mask, Mask)> {
    let inputs = gather(slots, &arm.inputs);
    let count = alive.count_ones();
    let evaluate = |program: &Program, inputs: &[Column], rows: usize| {
        if nulls {
            return program.truth(inputs, rows);
        }
        Ok((program.mask(inputs, rows)?, Mask::constant(false, rows)))
    };
    let few = match arm.cost {
        Cost::Nothing => false,
        Cost::Little => count * SPARSE < rows,
        Cost::Much => count * 8 < rows * 7,
    };
    if count == rows || (!arm.can_fail && !few) {
        return evaluate(&arm.program, &inputs, rows);
    }
    let some: Vec<Column> = inputs.iter().map(|c| c.filter(alive)).collect();
    let (t, n) = evaluate(&arm.program, &some, count)?;
    Ok((t.spread(alive), if nulls { n.spread(alive) } else { Mask::constant(false, rows) }))
}

/// The rows that are in the set (or are not), and those with a NULL argument if the result is
/// `nullable`. A tuple that contains NULL just differs from every member.
pub(super) fn in_set(
    args: &[Column],
    slot: &SetSlot,
    (negated, nullable): (bool, bool),
    rows: usize,
) -> Result<(Mask, Option<Mask>)> {
    let set = slot.set.get().ok_or_else(|| Error::logical("the set is not filled yet"))?;
    let inside = match args {
        [Column::Dict(dict)] if dict.dictionary.values.len() <= rows => {
            let values = dict.dictionary.values.clone();
            let count = values.len();
            let of_value = set.contains(&[values], count)?;
            of_value.take(&dict.codes)
        }
        args => set.contains(args, rows)?,
    };
    let nulls = args.iter().filter(|_| nullable).filter_map(nulls_of).reduce(|a, b| a.or(&b));
    let yes = if negated { inside.not() } else { inside };
    Ok(match nulls {
        Some(nulls) => (yes.and_not(&nulls), Some(nulls)),
        None => (yes, None),
    })
}

/// The rows that are NULL, if the column can contain NULL.
fn nulls_of(column: &Column) -> Option<Mask> {
    if !matches!(column.physical(), Physical::Nullable | Physical::Variant) {
        return None;
    }
    Some(match column {
        Column::Nullable(n) => n.validity.not(),
        Column::Variant(v) => v.validity().not(),
        other => Mask::from_fn(other.len(), |i| other.is_null(i)),
    })
}

/// Runs `if` or `multiIf`: each arm over the rows for which it is chosen.
pub(super) fn branch(
    function: &BoundFunction,
    args: &[Choice],
    slots: &[Option<Column>],
    rows: usize,
) -> Result<Column> {
    let mut left = Mask::constant(true, rows);
    let mut chosen = left.clone();
    let mut columns = Vec::with_capacity(args.len());
    for (i, choice) in args.iter().enumerate() {
        let is_condition = i % 2 == 0 && i + 1 < args.len();
        let wanted = if is_condition || i + 1 == args.len() { &left } else { &chosen };
        let column = match choice {
            Choice::Node(node) => gather(slots, &[*node]).swap_remove(0),
            Choice::Arm(arm, ty) => {
                let inputs = gather(slots, &arm.inputs);
                let count = wanted.count_ones();
                if count == rows {
                    arm.program.run_columns(&inputs, rows)?.swap_remove(0)
                } else if count == 0 {
                    Column::constant(Column::default_of(ty, 1), rows)
                } else {
                    let some: Vec<Column> = inputs.iter().map(|c| c.filter(wanted)).collect();
                    let values = arm.program.run_columns(&some, count)?.swap_remove(0);
                    scatter(&values, wanted)
                }
            }
        };
        if is_condition {
            chosen = column.to_mask().and(&left);
            left = left.and_not(&chosen);
        }
        columns.push(column);
    }
    function.call(&columns, rows)
}

/// Writes the rows of `some` (at least one) to the positions of the ones of `selection`, and any
/// value elsewhere.
fn scatter(some: &Column, selection: &Mask) -> Column {
    if let Some(value) = some.as_const() {
        return Column::constant(value.clone(), selection.len());
    }
    let mut indices = vec![0u32; selection.len()];
    selection.ones().enumerate().for_each(|(k, row)| indices[row] = k as u32);
    some.take(&indices)
}
