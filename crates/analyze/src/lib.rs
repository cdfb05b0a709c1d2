//! AST + catalog -> Query: names, types, aliases, subqueries.
