//! Conversions to types of the dialect that Entasis does not have yet: known by name, so that the
//! answer is NOT_IMPLEMENTED and not "no such function".

use entasis_base::Error;

use crate::FunctionDef;

const MISSING: FunctionDef = FunctionDef {
    description: "Converts to a type that is not implemented in Entasis yet.",
    ..FunctionDef::DEFAULT
};

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toDate32",
        aliases: &["toDate32OrNull", "toDate32OrZero", "toDate32OrDefault"],
        bind: |_, _| Err(Error::not_implemented("Data type Date32")),
        ..MISSING
    },
    FunctionDef {
        name: "toDateTime64",
        aliases: &[
            "toDateTime64OrNull",
            "toDateTime64OrZero",
            "toDateTime64OrDefault",
            "parseDateTime64BestEffort",
            "parseDateTime64BestEffortOrNull",
            "parseDateTime64BestEffortOrZero",
            "now64",
            "fromUnixTimestamp64Milli",
            "toUnixTimestamp64Milli",
        ],
        bind: |_, _| Err(Error::not_implemented("Data type DateTime64")),
        ..MISSING
    },
    FunctionDef {
        name: "toDecimal64",
        aliases: &[
            "toDecimal32",
            "toDecimal128",
            "toDecimal256",
            "toDecimal32OrNull",
            "toDecimal64OrNull",
            "toDecimal128OrNull",
            "toDecimal32OrZero",
            "toDecimal64OrZero",
            "toDecimal128OrZero",
        ],
        bind: |_, _| Err(Error::not_implemented("Data type Decimal")),
        ..MISSING
    },
    FunctionDef {
        name: "toInt128",
        aliases: &["toInt256", "toUInt128", "toUInt256"],
        bind: |_, _| Err(Error::not_implemented("Integers of 128 and 256 bits")),
        ..MISSING
    },
    FunctionDef {
        name: "toUUID",
        aliases: &["toUUIDOrNull", "toUUIDOrZero", "generateUUIDv4", "generateUUIDv7"],
        bind: |_, _| Err(Error::not_implemented("Data type UUID")),
        ..MISSING
    },
    FunctionDef {
        name: "toIPv4",
        aliases: &["toIPv6", "toIPv4OrNull", "toIPv6OrNull", "toIPv4OrDefault", "toIPv6OrDefault"],
        bind: |_, _| Err(Error::not_implemented("Data types IPv4 and IPv6")),
        ..MISSING
    },
    FunctionDef {
        name: "toLowCardinality",
        bind: |_, _| Err(Error::not_implemented("Data type LowCardinality")),
        ..MISSING
    },
];
