//! Conversions to types of the dialect that Entasis does not have. Their names are known, so that
//! the error is NOT_IMPLEMENTED and not UNKNOWN_FUNCTION.

use entasis_base::Error;

use entasis_function::FunctionDef;

const MISSING: FunctionDef = FunctionDef {
    description: "Not supported: the function returns a type that Entasis does not have yet.",
    ..FunctionDef::DEFAULT
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toDecimal256",
        aliases: &["toDecimal256OrNull", "toDecimal256OrZero", "toDecimal256OrDefault"],
        bind: |_, _| Err(Error::not_implemented("Decimal of more than 38 digits")),
        ..MISSING
    },
    FunctionDef {
        name: "generateUUIDv7",
        bind: |_, _| Err(Error::not_implemented("Function generateUUIDv7")),
        ..MISSING
    },
];
