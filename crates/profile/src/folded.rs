//! Stacks with weights, folded: equal stacks are one line, `root;...;leaf weight`.
//!
//! The form that flame graph tools exchange, and that a query over `system.trace_log` gives. Names
//! are text; addresses become names in [`Folder`].

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

/// Stacks by name, root first. Sorted, so equal profiles are equal texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    stacks: BTreeMap<String, i64>,
}

impl Folded {
    /// No stacks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds to the weight of a stack, given root first. A `;` in a name becomes `,`, a line feed a
    /// space; a stack without frames is not added.
    pub fn add<S: AsRef<str>>(&mut self, root_first: impl IntoIterator<Item = S>, weight: i64) {
        let mut stack = String::new();
        for name in root_first {
            if !stack.is_empty() {
                stack.push(';');
            }
            stack.extend(name.as_ref().chars().map(|c| match c {
                ';' => ',',
                '\n' | '\r' => ' ',
                c => c,
            }));
        }
        self.add_line(stack, weight);
    }

    fn add_line(&mut self, stack: String, weight: i64) {
        if !stack.is_empty() {
            let sum = self.stacks.entry(stack).or_default();
            *sum = sum.saturating_add(weight);
        }
    }

    /// Reads the printed form: `root;...;leaf weight` per line, the last space or tab parting the
    /// two. Other lines are left out and counted.
    pub fn parse(text: &str) -> (Self, usize) {
        let (mut folded, mut left_out) = (Self::new(), 0);
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            let parts = line.rsplit_once([' ', '\t']);
            match parts.and_then(|(stack, weight)| Some((stack, weight.parse().ok()?))) {
                Some((stack, weight)) => folded.add_line(stack.trim_end().to_owned(), weight),
                None => left_out += 1,
            }
        }
        (folded, left_out)
    }

    /// Each stack, its names joined by `;`, and its weight.
    pub fn stacks(&self) -> impl Iterator<Item = (&str, i64)> {
        self.stacks.iter().map(|(stack, &weight)| (stack.as_str(), weight))
    }

    /// The sum of all weights above zero: what a picture shows.
    pub fn total(&self) -> i64 {
        self.stacks.values().filter(|&&weight| weight > 0).sum()
    }
}

/// One line per stack.
impl fmt::Display for Folded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stacks.iter().try_for_each(|(stack, weight)| writeln!(f, "{stack} {weight}"))
    }
}

/// Folds stacks of addresses. Each address is looked up once; functions that were inlined are
/// frames of their own.
#[derive(Debug, Default)]
pub struct Folder {
    folded: Folded,
    /// Names of an address, outermost first.
    names: HashMap<u64, Arc<[String]>>,
}

impl Folder {
    /// No stacks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a stack as [`crate::Sample`] has it: innermost first.
    pub fn add(&mut self, frames: &[u64], weight: i64) {
        let names: Vec<_> = frames.iter().rev().map(|&frame| self.names(frame)).collect();
        self.folded.add(names.iter().flat_map(|names| names.iter()), weight);
    }

    fn names(&mut self, address: u64) -> Arc<[String]> {
        let look_up = || crate::symbol::names(address).into_iter().rev().collect();
        Arc::clone(self.names.entry(address).or_insert_with(look_up))
    }

    /// The stacks.
    pub fn finish(self) -> Folded {
        self.folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_fold_print_and_parse() {
        let mut folded = Folded::new();
        folded.add(["main", "read <T>"], 2);
        folded.add(["main", "read <T>"], 3);
        folded.add(["main", "[u8; 4]\nx"], 1);
        folded.add(["main"], -7);
        folded.add([""; 0], 100);
        let text = folded.to_string();
        assert_eq!(text, "main -7\nmain;[u8, 4] x 1\nmain;read <T> 5\n");
        assert_eq!(folded.total(), 6);
        assert_eq!(Folded::parse(&text), (folded, 0));
    }

    #[test]
    fn lines_that_are_no_stacks_are_counted() {
        let (folded, left_out) = Folded::parse("a;b\t4\n\nnothing\n 5\na;b x\na;b 1\r\n");
        assert_eq!(folded.stacks().collect::<Vec<_>>(), [("a;b", 5)]);
        assert_eq!(left_out, 2);
    }

    #[test]
    fn addresses_without_a_name_are_numbers() {
        let mut folder = Folder::new();
        folder.add(&[2, 1], 3);
        assert_eq!(folder.finish().to_string(), "0x1;0x2 3\n");
    }
}
