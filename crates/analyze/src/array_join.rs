//! ARRAY JOIN: rows are repeated for the elements of arrays.

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast;
use entasis_types::DataType;

use crate::query::{ArrayJoinStep, From, Output};
use crate::scope::{Source, SourceColumns};
use crate::{Analyzer, bind};

impl<'a> Analyzer<'a> {
    /// `[LEFT] ARRAY JOIN exprs`.
    pub(crate) fn array_join(
        &mut self,
        input: From,
        exprs: &'a [ast::Expr],
        left: bool,
    ) -> Result<From> {
        let mut arrays = Vec::with_capacity(exprs.len());
        let mut named = Vec::new();
        let mut shadowed = Vec::new();
        for expr in exprs {
            // `ARRAY JOIN n` unfolds `n.a`, `n.b` and so on in step.
            let mut list = self.nested_arrays(expr)?;
            if list.is_empty() {
                list.push(self.expr(expr)?);
            }
            for mut array in list {
                let column = match &array {
                    Expr::Column { id, .. } => Some(*id),
                    _ => None,
                };
                // A map is stored as an array of pairs with names, and is unfolded as such.
                if let DataType::Map(stored) = array.ty() {
                    let stored = stored.as_ref().clone();
                    array = bind::cast(array, &stored, self.context)?;
                }
                let Some(element) = array.ty().as_array() else {
                    let message = format!("ARRAY JOIN requires array argument, not {}", array.ty());
                    return Err(Error::new(codes::TYPE_MISMATCH, message).at(expr.position));
                };
                let element = element.clone();
                let id = self.new_id();
                match (&expr.alias, column) {
                    (None, Some(from)) => shadowed.push((from, id, element)),
                    (alias, _) => {
                        let name = match alias {
                            Some(alias) => alias.name.clone(),
                            None => self.title(expr)?,
                        };
                        named.push(Output { id, name: name.into(), ty: element });
                    }
                }
                arrays.push(ArrayJoinStep { array, id });
            }
        }
        let scope = self.scope_mut();
        scope.shadowed.extend(shadowed);
        if !named.is_empty() {
            scope.sources.push(Source {
                alias: None,
                table: None,
                columns: SourceColumns::Derived(named),
                renamed: &[],
                merged: Vec::new(),
                nullable: false,
                hidden: true,
            });
        }
        let unaligned = self.settings.unaligned_array_join;
        Ok(From::ArrayJoin { input: Box::new(input), arrays, left, unaligned })
    }
}
