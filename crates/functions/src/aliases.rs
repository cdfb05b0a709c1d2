//! Aliases of aggregates that match in upper and lower case although the function itself does not,
//! or the other way round.

/// (alias, function): the alias matches without regard to case, the function only as spelled.
pub const ANY_CASE: &[(&str, &str)] = &[
    ("max_by", "argMax"),
    ("min_by", "argMin"),
    ("any_value", "any"),
    ("first_value", "any"),
    ("last_value", "anyLast"),
    ("any_value_respect_nulls", "any_respect_nulls"),
    ("first_value_respect_nulls", "any_respect_nulls"),
    ("last_value_respect_nulls", "anyLast_respect_nulls"),
    ("array_agg", "groupArray"),
    ("bit_and", "groupBitAnd"),
    ("bit_or", "groupBitOr"),
    ("bit_xor", "groupBitXor"),
    ("covar_pop", "covarPop"),
    ("covar_samp", "covarSamp"),
    ("std", "stddevPop"),
    ("stddev", "stddevSamp"),
    ("stddev_pop", "stddevPop"),
    ("stddev_samp", "stddevSamp"),
    ("var_pop", "varPop"),
    ("var_samp", "varSamp"),
];
