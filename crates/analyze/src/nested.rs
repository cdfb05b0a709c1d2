//! Columns that belong together: `n.a` and `n.b`, which are arrays, are the elements of the nested
//! structure `n`, an array of tuples.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::Expr;
use entasis_sql::ast::{self, ExprKind, Ident};
use entasis_types::nested::group_of;
use entasis_types::{DataType, TupleType};

use crate::identifier::dotted;
use crate::scope::Kinds;
use crate::{Analyzer, bind};

/// An element of a nested structure: its name within it, and the column.
struct Member {
    name: Arc<str>,
    column: Expr,
}

impl Analyzer<'_> {
    /// For a name that means a nested structure: how many of its leading parts mean the table, and
    /// for each column of the structure its source, its position and the name of the element. Empty
    /// if there is no such structure.
    pub(crate) fn nested_columns(&self, parts: &[Ident]) -> (usize, Vec<(usize, usize, Arc<str>)>) {
        let scope = self.scope();
        let sources = if scope.names_groups { &scope.sources[..] } else { &[] };
        for (i, source) in sources.iter().enumerate() {
            let skip = Some(source.qualifier(parts)).filter(|skip| *skip < parts.len());
            let skip = skip.unwrap_or_default();
            let group = dotted(&parts[skip..]);
            let member = |position: usize| {
                let name = source.name_of(position);
                let is_member = group_of(&name, source.type_of(position)) == Some(&group)
                    && source.in_asterisk(position, Kinds::COMPUTED);
                is_member.then(|| (i, position, Arc::from(&name[group.len() + 1..])))
            };
            let members: Vec<_> = (0..source.len()).filter_map(member).collect();
            if !members.is_empty() {
                return (skip, members);
            }
        }
        (0, Vec::new())
    }

    fn nested_members(&mut self, parts: &[Ident]) -> Result<Vec<Member>> {
        let (_, found) = self.nested_columns(parts);
        let member = |(source, position, name): (usize, usize, Arc<str>)| {
            Ok(Member { name, column: self.column(source, position)? })
        };
        found.into_iter().map(member).collect()
    }

    /// The arrays of the nested structure that an expression of ARRAY JOIN names; empty if it names
    /// none.
    pub(crate) fn nested_arrays(&mut self, expr: &ast::Expr) -> Result<Vec<Expr>> {
        let (ExprKind::Identifier(parts), None) = (&expr.kind, &expr.alias) else {
            return Ok(Vec::new());
        };
        let is_alias = self.scope().aliases.contains_key(parts[0].as_str());
        if is_alias || self.find_part(parts)?.is_some() {
            return Ok(Vec::new());
        }
        Ok(self.nested_members(parts)?.into_iter().map(|member| member.column).collect())
    }

    /// A nested structure as one value: an array of tuples, or a tuple if ARRAY JOIN has unfolded
    /// the arrays.
    pub(crate) fn nested(&mut self, parts: &[Ident]) -> Result<Option<Expr>> {
        let members = self.nested_members(parts)?;
        let element = |member: &Member| member.column.ty().as_array().cloned();
        let names = Some(members.iter().map(|member| Arc::clone(&member.name)).collect());
        let arrays: Option<Vec<DataType>> = members.iter().map(element).collect();
        let (function, types) = match arrays {
            Some(types) if types.is_empty() => return Ok(None),
            Some(types) => ("arrayZip", types),
            None => ("tuple", members.iter().map(|m| m.column.ty().clone()).collect()),
        };
        let tuple = DataType::Tuple(Arc::new(TupleType { types, names }));
        let ty = if function == "tuple" { tuple } else { DataType::array(tuple) };
        let columns = members.into_iter().map(|member| member.column).collect();
        let value = bind::call(function, columns, self.context)?;
        bind::cast(value, &ty, self.context).map(Some)
    }
}
