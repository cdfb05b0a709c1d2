//! Assembles rows of several columns, run by run: the inner loop of a merge.

use std::sync::Arc;

use entasis_column::bitmap::BitmapBuilder;
use entasis_column::{
    Buffer, Column, Dictionary, FixedStrings, Native, StringsBuilder, match_native,
};

/// `len` rows of `columns[column]` from `start` on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) column: usize,
    pub(crate) start: usize,
    pub(crate) len: usize,
}

/// The runs of the picked rows, whose places are counted through all `runs`. The places ascend.
pub(crate) fn picked_runs(runs: &[Run], picked: &[u32]) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::with_capacity(picked.len());
    let (mut runs, mut first) = (runs.iter(), 0);
    let Some(mut run) = runs.next() else { return out };
    for &row in picked {
        let row = row as usize;
        while row - first >= run.len {
            first += run.len;
            let Some(next) = runs.next() else { return out };
            run = next;
        }
        let start = run.start + row - first;
        match out.last_mut() {
            Some(last) if last.column == run.column && last.start + last.len == start => {
                last.len += 1;
            }
            _ => out.push(Run { column: run.column, start, len: 1 }),
        }
    }
    out
}

/// The rows of `runs`, in order. The columns have the same type, in any representation.
pub(crate) fn interleave(columns: &[Column], runs: &[Run]) -> Column {
    let rows = runs.iter().map(|r| r.len).sum();
    if let [one] = runs {
        return columns[one.column].slice(one.start, one.len);
    }
    if let Some(dictionary) = common_dictionary(columns) {
        let mut codes = Vec::with_capacity(rows);
        for run in runs {
            if let Column::Dict(d) = &columns[run.column] {
                codes.extend_from_slice(&d.codes[run.start..run.start + run.len]);
            }
        }
        return Column::dict(codes.into(), dictionary);
    }
    if let Some(one) = common_constant(columns) {
        return Column::constant(one, rows);
    }
    if columns.iter().any(|column| matches!(column, Column::Dict(_))) {
        return of_dictionaries(columns, runs, rows);
    }
    let full: Vec<Column> = columns.iter().map(Column::full).collect();
    of_full(&full.iter().collect::<Vec<_>>(), runs, rows)
}

/// The rows of columns of which some have dictionaries. The runs may take few of their rows, so
/// only values of dictionaries and of taken rows are copied.
fn of_dictionaries(columns: &[Column], runs: &[Run], rows: usize) -> Column {
    let values: Vec<Column> = columns
        .iter()
        .map(|column| match column {
            Column::Dict(d) => d.dictionary.values.clone(),
            other => other.full(),
        })
        .collect();
    let codes_of = |column: usize| match &columns[column] {
        Column::Dict(d) => Some(&d.codes),
        _ => None,
    };
    let all_are = columns.iter().all(|column| matches!(column, Column::Dict(_)));
    if all_are && values.iter().map(Column::len).sum::<usize>() <= rows {
        let mut end = 0;
        let start_of = |values: &Column| {
            end += values.len();
            (end - values.len()) as u32
        };
        let starts: Vec<u32> = values.iter().map(start_of).collect();
        let mut codes: Vec<u32> = Vec::with_capacity(rows);
        for run in runs {
            if let Some(of) = codes_of(run.column) {
                let shift = starts[run.column];
                codes.extend(of[run.start..run.start + run.len].iter().map(|code| code + shift));
            }
        }
        let all = Column::concat(&values.iter().collect::<Vec<_>>()).full();
        return Column::dict(codes.into(), Dictionary::new(all));
    }
    let mut taken: Vec<Run> = Vec::with_capacity(rows);
    for run in runs {
        match codes_of(run.column) {
            Some(codes) => {
                taken.extend(codes[run.start..run.start + run.len].iter().map(|&code| Run {
                    column: run.column,
                    start: code as usize,
                    len: 1,
                }))
            }
            None => taken.push(*run),
        }
    }
    of_full(&values.iter().collect::<Vec<_>>(), &taken, rows)
}

fn common_dictionary(columns: &[Column]) -> Option<Arc<Dictionary>> {
    let Column::Dict(first) = columns.first()? else { return None };
    let same = |c: &Column| matches!(c, Column::Dict(d) if d.dictionary.id == first.dictionary.id);
    columns.iter().all(same).then(|| Arc::clone(&first.dictionary))
}

fn common_constant(columns: &[Column]) -> Option<Column> {
    let first = columns.first()?.as_const()?;
    // Equal floats may have different bits.
    if matches!(first, Column::Float32(_) | Column::Float64(_)) {
        return None;
    }
    let same = |c: &Column| {
        c.as_const()
            .is_some_and(|v| entasis_column::compare::compare_values(v, 0, first, 0).is_eq())
    };
    columns.iter().all(same).then(|| first.clone())
}

fn of_full(columns: &[&Column], runs: &[Run], rows: usize) -> Column {
    match columns[0] {
        Column::Nothing(_) => Column::Nothing(rows),
        Column::String(_) => {
            let mut out = StringsBuilder::with_capacity(rows, 0);
            for run in runs {
                if let Column::String(s) = columns[run.column] {
                    out.extend(&s.slice(run.start, run.len));
                }
            }
            out.finish().into()
        }
        Column::Fixed(first) => {
            let width = first.width;
            let mut data = Vec::with_capacity(rows * width);
            for run in runs {
                if let Column::Fixed(f) = columns[run.column] {
                    data.extend_from_slice(&f.data[run.start * width..][..run.len * width]);
                }
            }
            Column::Fixed(FixedStrings { width, data: data.into() })
        }
        Column::Nullable(_) => {
            let mut validity = BitmapBuilder::default();
            let mut values = Vec::with_capacity(columns.len());
            for column in columns {
                values.push(column.split_nullable().1);
            }
            for run in runs {
                if let (Some(bits), _) = columns[run.column].split_nullable() {
                    (run.start..run.start + run.len).for_each(|i| validity.push(bits.get(i)));
                }
            }
            Column::nullable(of_full(&values, runs, rows), validity.finish())
        }
        Column::Array(_) => arrays(columns, runs, rows),
        Column::Tuple(first) => {
            let element = |i: usize| {
                let of = |c: &&'_ Column| match c {
                    Column::Tuple(t) => t.columns[i].clone(),
                    other => (**other).clone(),
                };
                let parts: Vec<Column> = columns.iter().map(of).collect();
                of_full(&parts.iter().collect::<Vec<_>>(), runs, rows)
            };
            Column::tuple((0..first.columns.len()).map(element).collect(), rows)
        }
        Column::Variant(_) => {
            let starts = columns.iter().scan(0, |end, c| {
                *end += c.len();
                Some(*end - c.len())
            });
            let starts: Vec<usize> = starts.collect();
            let indices = runs.iter().flat_map(|run| {
                let start = starts[run.column] + run.start;
                (start..start + run.len).map(|i| i as u32)
            });
            Column::concat(columns).take(&indices.collect::<Vec<u32>>())
        }
        numbers => match_native!(numbers, v => of_numbers(v, columns, runs, rows),
            _ => Column::Nothing(rows)),
    }
}

fn of_numbers<T: Native>(
    _first: &Buffer<T>,
    columns: &[&Column],
    runs: &[Run],
    rows: usize,
) -> Column {
    let sources: Vec<&[T]> =
        columns.iter().map(|c| T::values(c).map_or(&[][..], |v| &v[..])).collect();
    let mut out = Vec::with_capacity(rows);
    for run in runs {
        let source = sources[run.column];
        if run.len == 1 {
            out.push(source[run.start]);
        } else {
            out.extend_from_slice(&source[run.start..run.start + run.len]);
        }
    }
    T::column(out.into())
}

fn arrays(columns: &[&Column], runs: &[Run], rows: usize) -> Column {
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0u32);
    let mut inner = Vec::with_capacity(runs.len());
    let mut total = 0usize;
    for run in runs {
        if let Column::Array(a) = columns[run.column] {
            let ends = &a.offsets[run.start..=run.start + run.len];
            let (first, last) = (ends[0] as usize, ends[run.len] as usize);
            offsets.extend(ends[1..].iter().map(|&end| (total + end as usize - first) as u32));
            inner.push(Run { column: run.column, start: first, len: last - first });
            total += last - first;
        }
    }
    let values: Vec<&Column> = columns
        .iter()
        .map(|c| match c {
            Column::Array(a) => &a.values,
            other => *other,
        })
        .collect();
    Column::array(offsets.into(), of_full(&values, &inner, total))
}
