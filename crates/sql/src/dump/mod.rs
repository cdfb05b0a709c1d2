//! EXPLAIN AST: the tree of a statement, printed with the dialect's names of nodes.
//!
//! A printed tree has one line for each node: its name, its alias, and the number of its children,
//! which follow indented by one more blank. The dialect's clients expect a node `ExpressionList` in
//! more places than [`crate::ast`] has lists. Therefore a tree of [`Node`] is made first and
//! printed afterwards.

mod expr;
mod query;
mod statement;

use std::fmt::Write;

use crate::ast::Statement;

/// The tree of a statement as indented lines.
pub fn dump_ast(statement: &Statement) -> String {
    let mut out = String::new();
    statement::of(statement).lines(0, &mut out);
    out
}

/// The tree of a statement as a graph in the DOT language.
pub fn dump_ast_graph(statement: &Statement) -> String {
    let (mut names, mut edges) = (String::new(), String::new());
    statement::of(statement).graph(&mut 0, &mut names, &mut edges);
    format!("digraph {{\n    rankdir=\"UD\";\n{names}{edges}}}\n")
}

/// A node of the printed tree.
struct Node {
    name: String,
    children: Vec<Node>,
}

impl Node {
    fn new(name: impl Into<String>, children: Vec<Node>) -> Self {
        Self { name: name.into(), children }
    }

    fn leaf(name: impl Into<String>) -> Self {
        Self::new(name, Vec::new())
    }

    /// A node `ExpressionList` with these children.
    fn list(children: Vec<Node>) -> Self {
        Self::new("ExpressionList", children)
    }

    /// The node's line without the blanks before it.
    fn label(&self) -> String {
        match self.children.len() {
            0 => self.name.clone(),
            count => format!("{} (children {count})", self.name),
        }
    }

    fn lines(&self, depth: usize, out: &mut String) {
        let _ = writeln!(out, "{:depth$}{}", "", self.label());
        for child in &self.children {
            child.lines(depth + 1, out);
        }
    }

    /// Writes the node and everything below it; returns the number of the node.
    fn graph(&self, next: &mut usize, names: &mut String, edges: &mut String) -> usize {
        let number = *next;
        *next += 1;
        let label = self.label().replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(names, "    n{number}[label=\"{label}\"];");
        for child in &self.children {
            let child = child.graph(next, names, edges);
            let _ = writeln!(edges, "    n{number} -> n{child};");
        }
        number
    }
}
