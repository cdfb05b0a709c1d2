//! `sparseGrams` and its kin: the sparse grams of strings, or the CRC-32C of each.

use entasis_base::{Result, codes};
use entasis_column::{Column, Native};
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::Text;
use entasis_types::DataType;

use super::sparse::{Hull, SparseGrams, hash};
use super::tokenizer::bad;
use super::tokens::{constant, wrong_argument};
use crate::strings::split::Pieces;

fn read(name: &'static str, utf8: bool, args: &[Arg]) -> Result<SparseGrams> {
    if !args[0].ty.is_string() {
        let function = format!("'s' to function '{name}'");
        let code = codes::ILLEGAL_TYPE_OF_ARGUMENT;
        return Err(wrong_argument(&function, "1st", "String", &args[0], code));
    }
    let places = ["2nd 'min_ngram_length'", "3rd 'max_ngram_length'", "4th 'min_cutoff_length'"];
    let mut numbers = [3, 100, 0];
    for ((number, arg), place) in numbers.iter_mut().zip(&args[1..]).zip(places) {
        let value = constant(name, place, "const Number", arg, arg.ty.is_native_integer())?;
        *number = value.as_u64().map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
    }
    let [min, max, cutoff] = numbers;
    let cutoff = if args.len() > 3 { cutoff } else { min };
    if min < 3 {
        return Err(bad("Argument 'min_ngram_length' must be greater or equal to 3".into()));
    }
    let wrong = |a: &str, what: &str, b: &str| {
        bad(format!("Argument '{a}_length' must be {what} or equal to '{b}_length'"))
    };
    if max < min {
        return Err(wrong("max_ngram", "greater", "min_ngram"));
    }
    if cutoff < min {
        return Err(wrong("min_cutoff", "greater", "min_ngram"));
    }
    if cutoff > max {
        return Err(wrong("min_cutoff", "less", "max_ngram"));
    }
    Ok(SparseGrams { min, max, cutoff, utf8 })
}

fn bind_grams(name: &'static str, utf8: bool, args: &[Arg]) -> Result<BoundKernel> {
    let grams = read(name, utf8, args)?;
    Ok(BoundKernel::new(DataType::array(DataType::String), move |args, rows| {
        let text = Text::of(&args[0])?;
        let mut out = Pieces::new(rows, text.bytes(rows));
        let mut hull = Hull::default();
        for i in 0..rows {
            grams.each(text.get(i), &mut hull, |gram| {
                out.push(gram);
                true
            });
            out.close();
        }
        out.finish()
    }))
}

fn bind_hashes(name: &'static str, utf8: bool, args: &[Arg]) -> Result<BoundKernel> {
    let grams = read(name, utf8, args)?;
    Ok(BoundKernel::new(DataType::array(DataType::UInt32), move |args, rows| {
        let text = Text::of(&args[0])?;
        let (mut hashes, mut ends, mut hull) = (Vec::new(), vec![0], Hull::default());
        for i in 0..rows {
            grams.each(text.get(i), &mut hull, |gram| {
                hashes.push(hash(gram));
                true
            });
            ends.push(hashes.len() as u32);
        }
        Ok(Column::array(ends.into(), u32::column(hashes.into())))
    }))
}

const GRAMS: FunctionDef = FunctionDef { arity: (1, 4), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "sparseGrams",
        description: "The substrings whose borders have greater hashes than their insides; the \
                      others are the least and the greatest length, and the length from which on \
                      they are in the result.",
        examples: &[("sparseGrams('alice', 3)", "['ali','lic','ice','lice']")],
        bind: |args, _| bind_grams("sparseGrams", false, args),
        ..GRAMS
    },
    FunctionDef {
        name: "sparseGramsUTF8",
        description: "Like `sparseGrams`, over UTF-8 characters.",
        examples: &[("sparseGramsUTF8('жуки', 3)", "['жук','уки']")],
        bind: |args, _| bind_grams("sparseGramsUTF8", true, args),
        ..GRAMS
    },
    FunctionDef {
        name: "sparseGramsHashes",
        description: "The hashes of what `sparseGrams` finds.",
        examples: &[("sparseGramsHashes('alice')", "[3851133533,3120039944,646693941,2577359366]")],
        bind: |args, _| bind_hashes("sparseGramsHashes", false, args),
        ..GRAMS
    },
    FunctionDef {
        name: "sparseGramsHashesUTF8",
        description: "The hashes of what `sparseGramsUTF8` finds.",
        bind: |args, _| bind_hashes("sparseGramsHashesUTF8", true, args),
        ..GRAMS
    },
];
