//! What a caller may ask of the encoder; the CODEC list of the DDL is mapped to this elsewhere.

use crate::encryption::Ciphers;

/// The general-purpose compression over the light encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compression {
    /// LZ4 where it saves at least a tenth, else nothing.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// LZ4, unless the result would be larger.
    Lz4,
    /// ZSTD with this level, unless the result would be larger.
    Zstd(i32),
}

/// The light encoding of numbers. Those that do not apply to a kind of column are ignored there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Light {
    /// Chosen by looking at the values.
    #[default]
    Auto,
    /// None: the plain little-endian values.
    None,
    /// Differences, bit-packed (CODEC Delta).
    Delta,
    /// Differences of differences, bit-packed (CODEC DoubleDelta).
    DoubleDelta,
    /// Bit-packing above the minimum (CODEC T64).
    BitPacked,
    /// Bits that change from value to value (CODEC Gorilla).
    Xor,
}

/// How a block is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct EncodeOptions {
    /// The outer compression.
    pub compression: Compression,
    /// The light encoding.
    pub light: Light,
    /// The encryption of what the others give.
    pub ciphers: Ciphers,
}

impl EncodeOptions {
    /// Neither light encoding nor compression.
    pub const PLAIN: Self =
        Self { compression: Compression::None, light: Light::None, ciphers: Ciphers::NONE };
}
