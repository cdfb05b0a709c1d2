//! Folded stacks as a tree, from which a flame graph is drawn: of one profile, or of two at once.

use std::collections::{BTreeMap, HashMap};

use crate::folded::Folded;

/// Frames deeper than this are left out: a page can show them, a stack of this program cannot be.
const DEEPEST: usize = 1000;

/// A frame under its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// 0 for the root, which stands for everything.
    pub(crate) depth: usize,
    /// The number of its name.
    pub(crate) name: usize,
    /// Weight of all stacks through it, per profile.
    pub(crate) total: [i64; 2],
}

/// Frames, each before what it calls; siblings by name. Stacks without weight are left out.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) names: Vec<String>,
    pub(crate) nodes: Vec<Node>,
}

#[derive(Default)]
struct Branch<'a> {
    total: [i64; 2],
    children: BTreeMap<&'a str, Branch<'a>>,
}

impl Tree {
    /// The tree of one or two profiles.
    pub(crate) fn new(profiles: &[&Folded]) -> Self {
        let mut root = Branch::default();
        for (side, profile) in profiles.iter().enumerate().take(2) {
            for (stack, weight) in profile.stacks().filter(|&(_, weight)| weight > 0) {
                root.total[side] += weight;
                let mut branch = &mut root;
                for name in stack.split(';').take(DEEPEST) {
                    branch = branch.children.entry(name).or_default();
                    branch.total[side] += weight;
                }
            }
        }
        let mut numbers = HashMap::new();
        let mut nodes = Vec::new();
        push("all", &root, 0, &mut numbers, &mut nodes);
        let mut names = vec![String::new(); numbers.len()];
        for (name, number) in numbers {
            name.clone_into(&mut names[number]);
        }
        Self { names, nodes }
    }
}

fn push<'a>(
    name: &'a str,
    branch: &Branch<'a>,
    depth: usize,
    numbers: &mut HashMap<&'a str, usize>,
    nodes: &mut Vec<Node>,
) {
    let next = numbers.len();
    let name = *numbers.entry(name).or_insert(next);
    nodes.push(Node { depth, name, total: branch.total });
    for (name, child) in &branch.children {
        push(name, child, depth + 1, numbers, nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_profiles_share_one_tree() {
        let before = Folded::parse("a;b 1\na;c 2\na 4\nz -3\n").0;
        let after = Folded::parse("a;c 10\n").0;
        let tree = Tree::new(&[&before, &after]);
        let shown: Vec<_> =
            tree.nodes.iter().map(|n| (n.depth, tree.names[n.name].as_str(), n.total)).collect();
        let expected =
            [(0, "all", [7, 10]), (1, "a", [7, 10]), (2, "b", [1, 0]), (2, "c", [2, 10])];
        assert_eq!(shown, expected);
    }

    #[test]
    fn endless_stacks_are_cut() {
        let deep = Folded::parse(&format!("{} 1\n", "a;".repeat(100_000))).0;
        assert_eq!(Tree::new(&[&deep]).nodes.len(), DEEPEST + 1);
    }
}
