//! Keys of ORDER BY.

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast;
use entasis_types::{DataType, Value};

use crate::matcher::is_list;
use crate::{Analyzer, bind};

impl<'a> Analyzer<'a> {
    /// The expression of a key. An asterisk may stand for one column.
    pub(crate) fn order_key(&mut self, key: &'a ast::Expr) -> Result<Expr> {
        if !is_list(key) {
            return self.aliased(key);
        }
        let mut list = self.exprs(std::slice::from_ref(key))?;
        match (list.pop(), list.is_empty()) {
            (Some(one), true) => Ok(one),
            _ => {
                let what = "An asterisk in ORDER BY that does not stand for exactly one column";
                Err(Error::not_implemented(what).append(": write ORDER BY ALL").at(key.position))
            }
        }
    }

    /// The key with the order that its COLLATE asks for: bytes that sort as the language does.
    pub(crate) fn collated(&self, key: Expr, item: &ast::OrderByItem) -> Result<Expr> {
        let Some(name) = &item.collate else { return Ok(key) };
        let name = Expr::literal(Value::from(name.as_str()), DataType::String);
        bind::call("collationKey", vec![key, name], self.context)
            .map_err(|e| e.at(item.expr.position))
    }
}

/// Fails for ORDER BY ALL if a result column is called `all`.
pub(crate) fn check_order_by_all(projection: &[ast::Expr]) -> Result<()> {
    let is_all = |item: &&ast::Expr| {
        let name = match (&item.alias, item.as_identifier()) {
            (Some(alias), _) => Some(alias),
            (None, Some(parts)) => parts.last(),
            (None, None) => None,
        };
        name.is_some_and(|name| name.name.eq_ignore_ascii_case("all"))
    };
    match projection.iter().find(is_all) {
        None => Ok(()),
        Some(item) => Err(Error::new(
            codes::UNEXPECTED_EXPRESSION,
            "Cannot use ORDER BY ALL to sort a column with name 'all', please disable setting \
             `enable_order_by_all` and try again",
        )
        .at(item.position)),
    }
}
