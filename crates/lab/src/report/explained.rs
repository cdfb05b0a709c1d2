//! The functions that explain a difference of time or memory, with their seconds or bytes.

use crate::measure::Stacks;
use crate::why::stacks::{Basis, of_sides};

/// What the profiles of both sides say of a query's time, or of its peak of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// How much of the difference the functions make up together: 1 is all of it.
    pub share: f64,
    /// What their z rest on.
    pub basis: Basis,
    /// The functions, the largest change first.
    pub functions: Vec<Function>,
}

/// A function that takes other time, or memory, on one side than on the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name; of a renamed one the new one.
    pub name: String,
    /// The processor's seconds of a run in the function itself, or bytes of the peak that it took,
    /// old and new.
    pub amounts: [f64; 2],
    /// Its part of the query's difference; below 0 if it changed the other way.
    pub share: f64,
    /// The difference in standard deviations.
    pub z: f64,
}

impl Explained {
    /// From the profiles of both sides' processes, and the processor's seconds or the bytes of the
    /// query. None where a
    /// side has no samples, or these changed by less than 1 %.
    pub fn of(profiles: &[Vec<Stacks>; 2], amounts: [f64; 2]) -> Option<Self> {
        let report = of_sides(profiles, amounts).ok().flatten()?;
        let whole = report.time.delta();
        let functions = report.explained.iter().map(|at| {
            let frame = &report.frames[*at];
            let own = &frame.own;
            Function {
                name: frame.name.clone(),
                amounts: [own.old, own.new],
                share: own.delta() / whole,
                z: own.z,
            }
        });
        let functions: Vec<Function> = functions.collect();
        let (share, basis) = (report.explained_share, report.basis);
        (!functions.is_empty()).then_some(Self { share, basis, functions })
    }
}
