//! Settings that change what a query means, as the analyser takes them.

use entasis_analyze::AnalyzeSettings;
use entasis_analyze::limits::{Limits, Most, Overflow};
use entasis_base::Result;
use entasis_sql::ast::{self, SetQuantifier};

use super::kind::map_entries;
use super::{Setting, Settings};

/// The analyser's settings, and the values of `{name:Type}`.
pub(crate) fn analyze_settings(
    settings: &Settings,
    parameters: &[(String, String)],
) -> Result<AnalyzeSettings> {
    Ok(AnalyzeSettings {
        enable_positional_arguments: settings.flag(super::ENABLE_POSITIONAL_ARGUMENTS),
        count_distinct_implementation: settings
            .text(super::COUNT_DISTINCT_IMPLEMENTATION)
            .into_owned(),
        join_use_nulls: settings.flag(super::JOIN_USE_NULLS),
        union_default_mode: quantifier(&settings.text(super::UNION_DEFAULT_MODE)),
        intersect_default_mode: quantifier(&settings.text(super::INTERSECT_DEFAULT_MODE)),
        except_default_mode: quantifier(&settings.text(super::EXCEPT_DEFAULT_MODE)),
        fill_by_prefix: settings.flag(super::FILL_BY_PREFIX),
        max_recursive_depth: settings.u64(super::MAX_RECURSIVE_DEPTH),
        aggregates_null_for_empty: settings.flag(super::AGGREGATES_NULL_FOR_EMPTY),
        unaligned_array_join: settings.flag(super::UNALIGNED_ARRAY_JOIN),
        group_by_use_nulls: settings.flag(super::GROUP_BY_USE_NULLS),
        totals_before_having: settings.text(super::TOTALS_MODE) == "before_having",
        max_depth: settings.u64(super::MAX_AST_DEPTH) as usize,
        max_elements: settings.u64(super::MAX_AST_ELEMENTS),
        max_expanded_elements: settings.u64(super::MAX_EXPANDED_AST_ELEMENTS),
        max_subquery_depth: match settings.u64(super::MAX_SUBQUERY_DEPTH) {
            0 => usize::MAX,
            depth => depth as usize,
        },
        max_rows_in_set: match &*settings.text(super::SET_OVERFLOW_MODE) {
            "throw" => settings.u64(super::MAX_ROWS_IN_SET),
            _ => 0,
        },
        limits: limits(settings),
        table_filters: map_entries(&settings.text(super::TABLE_FILTERS))?
            .into_iter()
            .map(|(table, text)| Ok((table, additional_filter(&text)?)))
            .collect::<Result<_>>()?,
        result_filter: match settings.text(super::RESULT_FILTER) {
            text if text.is_empty() => None,
            text => Some(additional_filter(&text)?),
        },
        parameters: parameters.to_vec(),
        ..AnalyzeSettings::default()
    })
}

/// Whether joins write to disk what they may not hold in memory, instead of failing.
pub(crate) fn is_grace_hash(settings: &Settings) -> bool {
    entasis_plan::JoinAlgorithms::of(&settings.text(super::JOIN_ALGORITHM)).prefers_grace_hash()
}

/// What the steps of a SELECT may hold.
pub(crate) fn limits(settings: &Settings) -> Limits {
    let most = |rows, bytes, mode| most(settings, [rows, bytes], mode);
    let (rows, bytes) = (super::MAX_DISTINCT, super::MAX_BYTES_IN_DISTINCT);
    let distinct = most(rows, bytes, super::DISTINCT_OVERFLOW_MODE);
    let (rows, bytes) = (super::MAX_ROWS_TO_SORT, super::MAX_BYTES_TO_SORT);
    let sort = most(rows, bytes, super::SORT_OVERFLOW_MODE);
    let (rows, bytes) = (super::MAX_ROWS_IN_JOIN, super::MAX_BYTES_IN_JOIN);
    let join = match is_grace_hash(settings) {
        true => Most::default(),
        false => most(rows, bytes, super::JOIN_OVERFLOW_MODE),
    };
    let overflow = overflow(settings, super::GROUP_BY_OVERFLOW_MODE);
    Limits {
        groups: Most { rows: settings.u64(super::MAX_GROUPS), bytes: 0, overflow },
        totals_exclude_overflow: settings.text(super::TOTALS_MODE) == "after_having_exclusive",
        distinct,
        sort,
        join,
    }
}

/// The bound that settings state for rows and bytes.
pub(crate) fn most(settings: &Settings, [rows, bytes]: [Setting; 2], mode: Setting) -> Most {
    let overflow = overflow(settings, mode);
    Most { rows: settings.u64(rows), bytes: settings.u64(bytes), overflow }
}

fn overflow(settings: &Settings, mode: Setting) -> Overflow {
    match &*settings.text(mode) {
        "break" => Overflow::Break,
        "any" => Overflow::Any,
        _ => Overflow::Throw,
    }
}

fn additional_filter(text: &str) -> Result<ast::Expr> {
    entasis_sql::parse_expression(text)
        .map_err(|e| e.without_position().context("additional filter".to_string()))
}

/// What a set operation without ALL and DISTINCT means.
fn quantifier(mode: &str) -> SetQuantifier {
    match mode {
        "ALL" => SetQuantifier::All,
        "DISTINCT" => SetQuantifier::Distinct,
        _ => SetQuantifier::Default,
    }
}
