//! Aggregates over sliding frames with little work per row, however large the frames are. Functions
//! use it for [`entasis_function::Aggregate::frames`].

use std::collections::VecDeque;

use entasis_base::Result;
use entasis_base::scope::Ticker;
use entasis_column::Column;

use crate::aggregates::sums::{Number, SumOf};
use entasis_function::window::Frames;

/// Sums over frames. Those of integers are differences of running sums, which wrap around as the
/// sums do, so they are exact. Floats are added row by row from each frame's start, as the
/// reference does: a frame with the start of the one before goes on from its sum, any other costs
/// its rows.
pub fn sums<T: Number>(values: &[T], frames: &Frames) -> Result<Vec<T::Sum>> {
    let mut ticker = Ticker::default();
    let mut out = Vec::with_capacity(frames.len());
    if T::EXACT {
        let mut running = Vec::with_capacity(values.len() + 1);
        let mut sum = T::Sum::default();
        running.push(sum);
        for chunk in values.chunks(4096) {
            ticker.tick(chunk.len())?;
            running.extend(chunk.iter().map(|v| {
                sum = T::add(sum, v.widen());
                sum
            }));
        }
        out.extend(frames.iter().map(|(start, end)| running[end].less(running[start])));
        return Ok(out);
    }
    let (mut from, mut to, mut sum) = (0, 0, T::Sum::default());
    for (start, end) in frames.iter() {
        if start != from || end < to {
            (from, to, sum) = (start, start, T::Sum::default());
        }
        ticker.tick(end - to + 1)?;
        sum = values[to..end].iter().fold(sum, |sum, v| T::add(sum, v.widen()));
        to = end;
        out.push(sum);
    }
    Ok(out)
}

/// The best value of each frame, the first of equal ones; the default where a frame is empty.
/// `beats(a, b)`: a is better, and never both ways round. The rows that may still be the best of a
/// frame to come wait in a queue, best first (Lemire 2006, "Streaming maximum-minimum filter").
pub fn best<T: Copy + Default>(
    values: &[T],
    frames: &Frames,
    beats: impl Fn(T, T) -> bool,
) -> Result<Vec<T>> {
    let mut ticker = Ticker::default();
    let mut queue: VecDeque<usize> = VecDeque::new();
    let mut out = Vec::with_capacity(frames.len());
    let mut next = 0;
    for (start, end) in frames.iter() {
        next = next.max(start);
        ticker.tick(end.saturating_sub(next) + 1)?;
        while queue.front().is_some_and(|first| *first < start) {
            queue.pop_front();
        }
        while next < end {
            while queue.back().is_some_and(|last| beats(values[next], values[*last])) {
                queue.pop_back();
            }
            queue.push_back(next);
            next += 1;
        }
        out.push(queue.front().map_or_else(T::default, |first| values[*first]));
    }
    Ok(out)
}

/// The first row of each frame, or the last; the type's default (`none`, of one row) where a frame
/// is empty.
pub fn picked(values: &Column, frames: &Frames, last: bool, none: &Column) -> Column {
    let nothing = values.len() as u32;
    let row = |(start, end): (usize, usize)| match start < end {
        true if last => end as u32 - 1,
        true => start as u32,
        false => nothing,
    };
    let rows: Vec<u32> = frames.iter().map(row).collect();
    Column::concat(&[&values.full(), none]).take(&rows)
}

/// Calls `each` with the values of every frame in order, ascending. There must be no NaN.
///
/// The list stays sorted from frame to frame: a value that leaves makes room for one that comes,
/// so that a step moves only what lies between the two. Frames that share little are sorted anew.
pub fn sorted<T: Copy + PartialOrd>(
    values: &[T],
    frames: &Frames,
    mut each: impl FnMut(&[T]),
) -> Result<()> {
    let mut ticker = Ticker::default();
    let mut list: Vec<T> = Vec::new();
    let (mut from, mut to) = (0, 0);
    for (start, end) in frames.iter() {
        let (gone, come) = (start - from, end - to);
        if start >= to || gone + come > list.len() / 4 + 4 {
            ticker.tick(16 * (end - start) + 1)?;
            list.clear();
            list.extend_from_slice(&values[start..end]);
            list.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        } else {
            ticker.tick((gone + come) * (list.len() / 16 + 4) + 1)?;
            for i in 0..gone.max(come) {
                let old = (i < gone).then(|| values[from + i]);
                let new = (i < come).then(|| values[to + i]);
                exchange(&mut list, old, new);
            }
        }
        (from, to) = (start, end);
        each(&list);
    }
    Ok(())
}

/// Takes one value out of a sorted list and puts another in.
fn exchange<T: Copy + PartialOrd>(list: &mut Vec<T>, old: Option<T>, new: Option<T>) {
    let first = |list: &[T], value: T| list.partition_point(|v| *v < value);
    match (old, new) {
        (Some(old), Some(new)) => {
            let (leaves, enters) = (first(list, old), first(list, new));
            if enters > leaves {
                list.copy_within(leaves + 1..enters, leaves);
                list[enters - 1] = new;
            } else {
                list.copy_within(enters..leaves, enters + 1);
                list[enters] = new;
            }
        }
        (Some(old), None) => {
            list.remove(first(list, old));
        }
        (None, Some(new)) => list.insert(first(list, new), new),
        (None, None) => {}
    }
}
