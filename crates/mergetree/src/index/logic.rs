//! Conditions as AND and OR over leaves that an index type understands.
//!
//! NOT is moved down to the leaves, which is right for NULL too: `NOT (a AND b)` is true where
//! `NOT a` or `NOT b` is.

use entasis_base::Result;
use entasis_column::Bitmap;
use entasis_expr::Expr;
use entasis_function::Operation;

/// A condition over leaves of an index type.
#[derive(Debug)]
pub(super) enum Logic<L> {
    /// It may be true.
    Unknown,
    And(Vec<Logic<L>>),
    Or(Vec<Logic<L>>),
    Leaf(L),
}

impl<L> Logic<L> {
    /// The conjunction of all conjuncts. `leaf` makes a leaf of an expression that must be true, or
    /// false if the second argument says so; `None` if the index type does not understand it.
    pub(super) fn all(conjuncts: &[Expr], leaf: &mut dyn FnMut(&Expr, bool) -> Option<L>) -> Self {
        Self::list(conjuncts, false, true, leaf)
    }

    fn list(
        exprs: &[Expr],
        negated: bool,
        is_and: bool,
        leaf: &mut dyn FnMut(&Expr, bool) -> Option<L>,
    ) -> Self {
        let parts: Vec<Self> = exprs.iter().map(|expr| Self::of(expr, negated, leaf)).collect();
        if is_and { Self::And(parts) } else { Self::Or(parts) }
    }

    fn of(expr: &Expr, negated: bool, leaf: &mut dyn FnMut(&Expr, bool) -> Option<L>) -> Self {
        if let Some(leaf) = leaf(expr, negated) {
            return Self::Leaf(leaf);
        }
        match expr {
            Expr::And(args, _) => Self::list(args, negated, !negated, leaf),
            Expr::Or(args, _) => Self::list(args, negated, negated, leaf),
            Expr::Call { function, args, lambda: None } => {
                match (function.operation(), &args[..]) {
                    (Operation::Not, [arg]) => Self::of(arg, !negated, leaf),
                    (Operation::And, args) => Self::list(args, negated, !negated, leaf),
                    (Operation::Or, args) => Self::list(args, negated, negated, leaf),
                    _ => Self::Unknown,
                }
            }
            _ => Self::Unknown,
        }
    }

    /// Whether it may be true whatever the leaves say.
    pub(super) fn is_useless(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::And(parts) => parts.iter().all(Self::is_useless),
            Self::Or(parts) => parts.iter().any(Self::is_useless),
            Self::Leaf(_) => false,
        }
    }

    /// Whether it may be true, by what the leaves may be.
    pub(super) fn may_be_true(&self, leaf: &dyn Fn(&L) -> bool) -> bool {
        match self {
            Self::Unknown => true,
            Self::And(parts) => parts.iter().all(|part| part.may_be_true(leaf)),
            Self::Or(parts) => parts.iter().any(|part| part.may_be_true(leaf)),
            Self::Leaf(of) => leaf(of),
        }
    }

    /// The rows for which it may be true.
    pub(super) fn rows(&self, rows: usize, leaf: &dyn Fn(&L) -> Result<Bitmap>) -> Result<Bitmap> {
        match self {
            Self::Unknown => Ok(Bitmap::constant(true, rows)),
            Self::And(parts) => {
                parts.iter().try_fold(Bitmap::constant(true, rows), |so_far, part| {
                    Ok(so_far.and(&part.rows(rows, leaf)?))
                })
            }
            Self::Or(parts) => {
                parts.iter().try_fold(Bitmap::constant(false, rows), |so_far, part| {
                    Ok(so_far.or(&part.rows(rows, leaf)?))
                })
            }
            Self::Leaf(of) => leaf(of),
        }
    }
}
