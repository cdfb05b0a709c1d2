//! `toIPv4` and `toIPv6`, with `-OrNull`, `-OrZero` and `-OrDefault`.

use entasis_base::Result;
use entasis_types::DataType;

use super::by_name::{bound, default, null, or_default, or_null, or_zero, plain, to, zero};
use crate::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};

/// Text that is no address is an error, but NULL where the text may be NULL.
fn address(ty: &DataType, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let from = &args[0].ty;
    if from.is_null_literal() {
        return Ok(BoundKernel::new(from.clone(), |args, _| Ok(args[0].clone())));
    }
    if !from.is_nullable() {
        return plain(ty, args, context);
    }
    let to = DataType::nullable(ty.clone());
    let cast = cast::bind(from, &to, Session::of(context))?;
    Ok(bound(to, cast))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        nulls: Nulls::Custom,
        ..to("toIPv4", &[("toIPv4('1.2.3.4')", "1.2.3.4"), ("toIPv4(256)", "0.0.1.0")], |a, f| {
            address(&DataType::Ipv4, a, f)
        })
    },
    FunctionDef {
        nulls: Nulls::Custom,
        ..to("toIPv6", &[("toIPv6('2001:DB8::0:1')", "2001:db8::1")], |a, f| {
            address(&DataType::Ipv6, a, f)
        })
    },
    null("toIPv4OrNull", &[("toIPv4OrNull('1.2.3')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Ipv4, a, f)
    }),
    null("toIPv6OrNull", &[("toIPv6OrNull(':')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Ipv6, a, f)
    }),
    zero("toIPv4OrZero", &[], |a, f| or_zero(&DataType::Ipv4, a, f)),
    zero("toIPv6OrZero", &[], |a, f| or_zero(&DataType::Ipv6, a, f)),
    default("toIPv4OrDefault", &[("toIPv4OrDefault('x')", "0.0.0.0")], |a, f| {
        or_default(&DataType::Ipv4, a, 1, f)
    }),
    default("toIPv6OrDefault", &[("toIPv6OrDefault('x')", "::")], |a, f| {
        or_default(&DataType::Ipv6, a, 1, f)
    }),
];
