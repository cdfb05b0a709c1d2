//! `toInt128`, `toUInt128`, `toInt256` and `toUInt256`, with `-OrNull`, `-OrZero` and `-OrDefault`.

use entasis_types::DataType;

use super::by_name::{default, null, or_default, or_null, or_zero, plain, to, zero};
use entasis_function::FunctionDef;

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    to(
        "toInt128",
        &[(
            "toInt128('-170141183460469231731687303715884105728') + 1",
            "-170141183460469231731687303715884105727",
        )],
        |a, f| plain(&DataType::Int128, a, f),
    ),
    to("toUInt128", &[], |a, f| plain(&DataType::UInt128, a, f)),
    to("toInt256", &[], |a, f| plain(&DataType::Int256, a, f)),
    to("toUInt256", &[("toUInt256(-1) % 1000", "935")], |a, f| plain(&DataType::UInt256, a, f)),
    null("toInt128OrNull", &[], |a, f| or_null(&DataType::Int128, a, f)),
    null("toUInt128OrNull", &[], |a, f| or_null(&DataType::UInt128, a, f)),
    null("toInt256OrNull", &[("toInt256OrNull('x')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Int256, a, f)
    }),
    null("toUInt256OrNull", &[], |a, f| or_null(&DataType::UInt256, a, f)),
    zero("toInt128OrZero", &[], |a, f| or_zero(&DataType::Int128, a, f)),
    zero("toUInt128OrZero", &[], |a, f| or_zero(&DataType::UInt128, a, f)),
    zero("toInt256OrZero", &[], |a, f| or_zero(&DataType::Int256, a, f)),
    zero("toUInt256OrZero", &[], |a, f| or_zero(&DataType::UInt256, a, f)),
    default("toInt128OrDefault", &[], |a, f| or_default(&DataType::Int128, a, 1, f)),
    default("toUInt128OrDefault", &[], |a, f| or_default(&DataType::UInt128, a, 1, f)),
    default("toInt256OrDefault", &[], |a, f| or_default(&DataType::Int256, a, 1, f)),
    default("toUInt256OrDefault", &[], |a, f| or_default(&DataType::UInt256, a, 1, f)),
];
