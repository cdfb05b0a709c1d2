//! Subcolumns: parts of columns and values that are named behind a dot, such as `arr.size0`,
//! `n.null`, `t.a.b` or `m.keys`.
//!
//! A subcolumn of a table's column is a column of the scan and has its own id. Therefore grouping
//! by the whole column does not allow reading its subcolumn, and a row that is missing after an
//! outer join has the default of the subcolumn's type. A subcolumn of any other value is a function
//! call.

use std::borrow::Cow;
use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_sql::ast::Ident;
use entasis_table_api::{ColumnDef, DefaultKind, ScanColumn};
use entasis_types::subcolumn::subcolumn;
use entasis_types::{DataType, Value};

use crate::identifier::{Found, dotted};
use crate::scope::SourceColumns;
use crate::{Analyzer, bind};

impl Analyzer<'_> {
    /// The column of FROM that a name means. The name of the subcolumn may be within the same
    /// quotes: `` `arr.size0` ``. Also returns the name with the words of the subcolumn as separate
    /// parts.
    pub(crate) fn find_part<'p>(
        &self,
        parts: &'p [Ident],
    ) -> Result<Option<(Found, Cow<'p, [Ident]>)>> {
        if let Some(found) = self.find_column(parts)? {
            return Ok(Some((found, Cow::Borrowed(parts))));
        }
        let Some((last, tables)) = parts.split_last().filter(|(last, _)| last.name.contains('.'))
        else {
            return Ok(None);
        };
        let words = last.name.split('.').map(|w| Ident { name: w.to_string(), ..last.clone() });
        let words: Vec<Ident> = tables.iter().cloned().chain(words).collect();
        let Some(found) = self.find_column(&words)? else { return Ok(None) };
        // The quotes contain only the column and its subcolumn.
        let column = words.get(tables.len()..found.parts).map(dotted);
        let name = self.scope().sources[found.source].name_of(found.column);
        Ok((column.as_deref() == Some(&*name)).then_some((found, Cow::Owned(words))))
    }

    /// A subcolumn of a table's column, which is read as a column of its own. `None` if there is no
    /// such subcolumn, or if the name does not mean the column as it is stored.
    pub(crate) fn stored_part(&mut self, found: Found, parts: &[Ident]) -> Result<Option<Expr>> {
        let Found { source, column: position, parts: taken } = found;
        let scope = &self.scopes[self.current];
        let is_merged = |(name, _): &(Arc<str>, Expr)| taken == 1 && **name == *parts[0].as_str();
        let SourceColumns::Table { schema, ids, .. } = &scope.sources[source].columns else {
            return Ok(None);
        };
        let def = &schema.columns[position];
        let of_array_join = |id: &ColumnId| scope.shadowed.iter().any(|(from, _, _)| from == id);
        let is_shadowed = ids.get(position).copied().flatten().is_some_and(|id| of_array_join(&id));
        if let Some((id, ty, rest)) = self.shadowed_part(found, &parts[taken..]) {
            return self.elements(self.seen(source, id, &ty), rest);
        }
        let scope = &self.scopes[self.current];
        if is_shadowed || scope.using.iter().any(is_merged) || !may_be_read(def) {
            return Ok(None);
        }
        let Some(part) = subcolumn(&def.ty, &dotted(&parts[taken..])) else { return Ok(None) };
        let next = ColumnId(self.next_id);
        let SourceColumns::Table { used, .. } = &mut self.scope_mut().sources[source].columns
        else {
            return Ok(None);
        };
        let known = used.iter().find(|(c, _)| c.position == position && c.path == part.path);
        let id = known.map_or(next, |(column, _)| column.id);
        if id == next {
            used.push((ScanColumn { id, position, path: part.path }, part.ty.clone()));
            self.next_id += 1;
        }
        Ok(Some(self.seen(source, id, &part.ty)))
    }

    /// The longest part of a column that ARRAY JOIN unfolds, as id, type and what `names` has
    /// behind it: `n.b` and `c` of `n.b.c`.
    fn shadowed_part<'p>(
        &self,
        found: Found,
        names: &'p [Ident],
    ) -> Option<(ColumnId, DataType, &'p [Ident])> {
        let scope = self.scope();
        let SourceColumns::Table { schema, used, .. } = &scope.sources[found.source].columns else {
            return None;
        };
        let of_array_join = |id: ColumnId| scope.shadowed.iter().any(|(from, _, _)| *from == id);
        (1..names.len()).rev().find_map(|len| {
            let part = subcolumn(&schema.columns[found.column].ty, &dotted(&names[..len]))?;
            let is_it = |c: &ScanColumn| c.position == found.column && c.path == part.path;
            let (column, ty) = used.iter().find(|(c, _)| is_it(c) && of_array_join(c.id))?;
            Some((column.id, ty.clone(), &names[len..]))
        })
    }

    /// A subcolumn of a value: an element of a tuple, `size0`, `null`, `keys` and so on. `None` if
    /// there is no such subcolumn.
    pub(crate) fn elements(&self, mut expr: Expr, mut names: &[Ident]) -> Result<Option<Expr>> {
        while let [name, rest @ ..] = names {
            let types = within_arrays(expr.ty()).as_variant().unwrap_or_default();
            if let Some(ty) = types.iter().find(|ty| ty.to_string() == name.name) {
                let ty = Expr::literal(Value::from(ty.to_string().as_str()), DataType::String);
                expr = bind::call("variantElement", vec![expr, ty], self.context)?;
                names = rest;
                continue;
            }
            let DataType::Tuple(tuple) = expr.ty() else {
                // Only alternatives of a Variant may follow.
                let is_part = |n: &usize| {
                    let part = subcolumn(expr.ty(), &dotted(&names[..*n]));
                    part.is_some_and(|part| {
                        *n == names.len() || within_arrays(&part.ty).as_variant().is_some()
                    })
                };
                let Some(count) = (1..=names.len()).rev().find(is_part) else {
                    return self.map_value(expr, &dotted(names));
                };
                let name = Value::from(dotted(&names[..count]).as_str());
                let name = Expr::literal(name, DataType::String);
                expr = bind::call("getSubcolumn", vec![expr, name], self.context)?;
                names = &names[count..];
                continue;
            };
            let element = match name.name.parse::<u64>() {
                Ok(n) => Expr::literal(Value::UInt(n), crate::literal::unsigned(n)),
                Err(_) if !tuple.names.iter().flatten().any(|n| **n == *name.name) => {
                    return Ok(None);
                }
                Err(_) => Expr::literal(Value::from(name.as_str()), DataType::String),
            };
            expr = bind::call("tupleElement", vec![expr, element], self.context)?;
            names = rest;
        }
        Ok(Some(expr))
    }

    /// `key_a` of a map: the value for the key `a`, or the default value.
    fn map_value(&self, map: Expr, name: &str) -> Result<Option<Expr>> {
        let (Some((ty, _)), Some(text)) = (map.ty().as_map(), name.strip_prefix("key_")) else {
            return Ok(None);
        };
        let text = Expr::literal(Value::from(text), DataType::String);
        // If the text is not a value of the key's type, there is no such subcolumn.
        let Ok(key) = bind::cast(text, ty, self.context) else { return Ok(None) };
        bind::call("arrayElement", vec![map, key], self.context).map(Some)
    }
}

/// The type inside of all arrays around it.
fn within_arrays(ty: &DataType) -> &DataType {
    match ty {
        DataType::Array(inner) => within_arrays(inner),
        ty => ty,
    }
}

/// Whether a scan can read a column or its subcolumn.
fn may_be_read(column: &ColumnDef) -> bool {
    !matches!(column.default_kind(), Some(DefaultKind::Alias | DefaultKind::Ephemeral))
}
