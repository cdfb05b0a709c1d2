//! The codecs that a CODEC clause can name, and what is known of each.

/// A codec.
#[derive(Clone, Copy, Debug)]
pub struct CodecDef {
    /// Its name.
    pub name: &'static str,
    /// The number of the codec in the reference's files.
    pub method: u8,
    /// What it does to the values of a column.
    pub does: CodecEffect,
    /// Whether a setting must allow it.
    pub is_beta: bool,
    /// One sentence for the manual.
    pub description: &'static str,
}

/// What a codec does to the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodecEffect {
    /// Nothing.
    Nothing,
    /// Changes values of one type so that they compress better.
    Prepare,
    /// Makes values of one type smaller.
    Shrink,
    /// As [`Self::Shrink`], for values that change slowly.
    ShrinkSeries,
    /// Compresses any bytes.
    Compress,
    /// Encrypts any bytes.
    Encrypt,
}

const fn codec(
    name: &'static str,
    method: u8,
    does: CodecEffect,
    description: &'static str,
) -> CodecDef {
    CodecDef { name, method, does, is_beta: false, description }
}

use CodecEffect::{Compress, Encrypt, Nothing, Prepare, Shrink, ShrinkSeries};

/// All codecs, sorted by name.
pub const CODECS: &[CodecDef] = &[
    codec("AES_128_GCM_SIV", 150, Encrypt, "Encrypts blocks with AES-128 in GCM-SIV mode."),
    codec("AES_256_GCM_SIV", 151, Encrypt, "Encrypts blocks with AES-256 in GCM-SIV mode."),
    CodecDef {
        is_beta: true,
        ..codec(
            "ALP",
            156,
            ShrinkSeries,
            "Stores floats like Gorilla, and is allowed by a setting.",
        )
    },
    codec("Delta", 146, Prepare, "Stores the difference to the value before."),
    codec("DoubleDelta", 148, Shrink, "Stores the difference of differences in few bits."),
    codec("FPC", 152, ShrinkSeries, "Predicts floats and stores what differs."),
    codec("GCD", 154, Prepare, "Divides the values by their greatest common divisor."),
    codec("Gorilla", 149, ShrinkSeries, "Stores the bits in which a float changes."),
    codec("LZ4", 130, Compress, "Fast compression."),
    codec("LZ4HC", 130, Compress, "As LZ4, but compresses better and more slowly."),
    codec("NONE", 2, Nothing, "Leaves the values as they are."),
    codec("T64", 147, Shrink, "Leaves out the bits that the values of a block share."),
    codec("ZSTD", 144, Compress, "Strong compression with a level."),
];
