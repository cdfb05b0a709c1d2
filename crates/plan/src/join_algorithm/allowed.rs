//! The setting `join_algorithm`: which algorithms a query allows, and which joins they can compute.
//!
//! A join that none of the allowed algorithms can compute is refused, with the reference's errors,
//! also where Entasis could compute it: the setting says what the user wants to happen.

use entasis_analyze::query::{Join, JoinKind, Strictness};
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};

use super::{direct, reads_only};
use crate::Plan;

/// The algorithms that joins may use, the first one first.
#[derive(Clone, Debug)]
pub struct JoinAlgorithms(Vec<Named>);

/// A name in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// `default` and `hash`: computes every join.
    Hash(&'static str),
    /// Computes every join whose condition consists of equalities.
    Auto,
    ParallelHash,
    GraceHash,
    /// `full_sorting_merge`, and the same in parallel.
    FullSortingMerge(&'static str),
    PartialMerge,
    PreferPartialMerge,
    /// Looks keys up in the right side's table.
    Direct,
    /// `ie_join`: two inequalities.
    Inequalities,
}

impl Default for JoinAlgorithms {
    fn default() -> Self {
        Self(vec![Named::Direct, Named::ParallelHash, Named::Hash("hash"), Named::Inequalities])
    }
}

impl Named {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "default" => Self::Hash("default"),
            "auto" => Self::Auto,
            "hash" => Self::Hash("hash"),
            "parallel_hash" => Self::ParallelHash,
            "grace_hash" => Self::GraceHash,
            "full_sorting_merge" => Self::FullSortingMerge("full_sorting_merge"),
            "parallel_full_sorting_merge" => Self::FullSortingMerge("parallel_full_sorting_merge"),
            "partial_merge" => Self::PartialMerge,
            "prefer_partial_merge" => Self::PreferPartialMerge,
            "direct" => Self::Direct,
            "ie_join" => Self::Inequalities,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Hash(name) | Self::FullSortingMerge(name) => name,
            Self::Auto => "auto",
            Self::ParallelHash => "parallel_hash",
            Self::GraceHash => "grace_hash",
            Self::PartialMerge => "partial_merge",
            Self::PreferPartialMerge => "prefer_partial_merge",
            Self::Direct => "direct",
            Self::Inequalities => "ie_join",
        }
    }

    /// Whether the algorithm computes a join with equalities. `tests_rows`: a condition decides
    /// which rows of one side have a match at all.
    fn computes(self, kind: JoinKind, strictness: Strictness, tests_rows: bool) -> bool {
        match self {
            Self::Hash(_) | Self::Auto | Self::ParallelHash | Self::PreferPartialMerge => true,
            Self::GraceHash => strictness != Strictness::Asof,
            Self::FullSortingMerge(_) => {
                !matches!(strictness, Strictness::Semi | Strictness::Anti) && !tests_rows
            }
            Self::PartialMerge => match strictness {
                Strictness::All => true,
                Strictness::Any => matches!(kind, JoinKind::Inner | JoinKind::Left),
                Strictness::Semi => kind == JoinKind::Left,
                Strictness::Anti | Strictness::Asof => false,
            },
            Self::Direct | Self::Inequalities => false,
        }
    }
}

impl JoinAlgorithms {
    /// The list that a setting holds. Its names were checked when it was set.
    pub fn of(setting: &str) -> Self {
        Self(setting.split(',').filter_map(|name| Named::of(name.trim())).collect())
    }

    /// Whether joins write to disk what they may not hold in memory, instead of failing.
    pub fn prefers_grace_hash(&self) -> bool {
        self.0.first() == Some(&Named::GraceHash)
    }

    /// Whether a direct join is wanted before all others.
    pub(super) fn prefers_direct(&self) -> bool {
        let is_other = |name: &&Named| **name == Named::Inequalities;
        self.0.iter().find(|name| !is_other(name)) == Some(&Named::Direct)
    }

    /// Whether a merge join is wanted before a hash join.
    pub(super) fn prefers_merge(&self) -> bool {
        let is_other = |name: &&Named| matches!(name, Named::Direct | Named::Inequalities);
        let first = self.0.iter().find(|name| !is_other(name));
        matches!(
            first,
            Some(Named::FullSortingMerge(_) | Named::PartialMerge | Named::PreferPartialMerge)
        )
    }

    /// Whether the planner may take a merge join because it is cheaper: the list says `default` or
    /// `auto`, or nobody has set it.
    pub(super) fn leaves_choice(&self) -> bool {
        let is_open = |name: &Named| matches!(name, Named::Hash("default") | Named::Auto);
        self.0.iter().any(is_open) || self.0 == Self::default().0
    }

    /// Fails if no allowed algorithm computes a join of these sides.
    pub(crate) fn check(&self, join: &Join, left: &Plan, right: &Plan) -> Result<()> {
        if self.0.contains(&Named::Direct) && is_direct(join, right) {
            return Ok(());
        }
        if self.0.iter().any(|name| matches!(name, Named::Hash(_))) {
            return Ok(());
        }
        let is_plain = matches!(join.kind, JoinKind::Cross | JoinKind::Paste);
        if is_plain && join.residual.is_empty() {
            return Ok(());
        }
        let is_literal = |expr: &Expr| matches!(expr, Expr::Literal { .. });
        if join.keys.iter().all(|(l, r)| is_literal(l) && is_literal(r)) {
            let is_or = join.residual.iter().any(|expr| matches!(expr, Expr::Or(..)));
            return match is_or && self.0.contains(&Named::Auto) {
                true => Ok(()),
                false => Err(without_keys(is_or)),
            };
        }
        let [left, right] = [left, right].map(|p| p.outputs().into_iter().collect());
        let own = |expr: &&Expr| reads_only(expr, &left) || reads_only(expr, &right);
        let mixed = join.residual.iter().any(|expr| !own(&expr) && reads_columns(expr));
        let is_inner = (join.kind, join.strictness) == (JoinKind::Inner, Strictness::All);
        if mixed && !is_inner {
            let computes = |n: &Named| matches!(n, Named::ParallelHash | Named::GraceHash);
            if !self.0.iter().any(computes) {
                return Err(Error::new(
                    codes::NOT_IMPLEMENTED,
                    "JOIN with mixed conditions supports only hash join or grace hash join: add \
                     hash to the setting join_algorithm",
                ));
            }
        }
        // Conditions on a side whose rows are not kept are tested before the join.
        let is_tested_before = |expr: &Expr| {
            join.strictness == Strictness::All
                && match join.kind {
                    JoinKind::Left => reads_only(expr, &right),
                    JoinKind::Right => reads_only(expr, &left),
                    kind => kind == JoinKind::Inner,
                }
        };
        let tests_rows = join.residual.iter().any(|expr| own(&expr) && !is_tested_before(expr));
        let computes = |name: &Named| name.computes(join.kind, join.strictness, tests_rows);
        if self.0.iter().any(computes) { Ok(()) } else { Err(self.none(join)) }
    }

    #[cold]
    fn none(&self, join: &Join) -> Error {
        let names: Vec<&str> = self.0.iter().map(|name| name.name()).collect();
        let strictness = format!("{:?}", join.strictness).to_uppercase();
        let kind = format!("{:?}", join.kind).to_uppercase();
        let message = format!(
            "None of the algorithms enabled by the 'join_algorithm' setting [{}] can execute this \
             {strictness} {kind} JOIN with the given right table storage type: add hash to the list",
            names.join(", ")
        );
        Error::new(codes::NOT_IMPLEMENTED, message)
    }
}

/// Whether the right side is a table that is looked up by the key. The reference refuses several
/// keys, which Entasis computes if the list has another algorithm.
fn is_direct(join: &Join, right: &Plan) -> bool {
    let column = |(_, right): &(Expr, Expr)| match right {
        Expr::Column { id, .. } => Some(*id),
        _ => None,
    };
    let keys: Option<Vec<ColumnId>> = join.keys.iter().map(column).collect();
    let is_one = |keys: &Vec<ColumnId>| keys.len() == 1 && join.residual.is_empty();
    let Some(keys) = keys.filter(is_one) else { return false };
    let has_key = direct::computes(join.kind, join.strictness) && direct::has_key(right, &keys);
    has_key || direct::is_by_any_column((join.kind, join.strictness), right, &keys)
}

fn reads_columns(expr: &Expr) -> bool {
    let mut ids: Vec<ColumnId> = Vec::new();
    expr.columns(&mut ids);
    !ids.is_empty()
}

#[cold]
fn without_keys(is_or: bool) -> Error {
    if is_or {
        let message = "Only `hash` join supports multiple ORs for keys in JOIN ON section: add \
                       hash to the setting join_algorithm";
        return Error::new(codes::NOT_IMPLEMENTED, message);
    }
    let message = "Cannot determine join keys in JOIN ON expression: add hash to the setting \
                   join_algorithm, or an equality of columns of both tables to the condition";
    Error::new(codes::INVALID_JOIN_ON_EXPRESSION, message)
}
