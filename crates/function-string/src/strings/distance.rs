//! Distances of two strings: edit distances, Jaro's similarities, Hamming's distance.

use entasis_base::scope::Ticker;
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::Text;

/// Longest strings compared, as in the reference: the time grows with the product of the lengths.
const LONGEST: usize = 1 << 16;

/// `f` of every pair of strings; `scratch` is kept between rows.
fn pairs<T: Native>(
    name: &'static str,
    args: &[Column],
    rows: usize,
    mut f: impl FnMut(&[u8], &[u8]) -> T,
) -> Result<Column> {
    let (a, b) = (Text::of(&args[0])?, Text::of(&args[1])?);
    let mut out = Vec::with_capacity(rows);
    for i in 0..rows {
        let (a, b) = (a.get(i), b.get(i));
        if a.len().max(b.len()) > LONGEST {
            let message = format!(
                "The string size is too big for function {name}, should be at most {LONGEST}"
            );
            return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
        }
        out.push(f(a, b));
    }
    Ok(T::column(out.into()))
}

/// Levenshtein's distance. Up to 64 bytes against any number by the bit-vector method of Myers
/// (1999) as Hyyrö (2003) gives it; else row by row.
fn levenshtein(a: &[u8], b: &[u8], row: &mut Vec<u64>) -> u64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return long.len() as u64;
    }
    if short.len() > 64 {
        return levenshtein_rows(short, long, row);
    }
    let mut places = [0u64; 256];
    short.iter().enumerate().for_each(|(i, &c)| places[usize::from(c)] |= 1 << i);
    let last = 1u64 << (short.len() - 1);
    let (mut plus, mut minus, mut distance) = (u64::MAX, 0u64, short.len() as u64);
    for &c in long {
        let equal = places[usize::from(c)];
        let vertical = equal | minus;
        let horizontal = ((equal & plus).wrapping_add(plus) ^ plus) | equal;
        let (up, down) = (minus | !(horizontal | plus), plus & horizontal);
        distance += u64::from(up & last != 0);
        distance -= u64::from(down & last != 0);
        let up = up << 1 | 1;
        plus = down << 1 | !(vertical | up);
        minus = up & vertical;
    }
    distance
}

fn levenshtein_rows<T: PartialEq>(a: &[T], b: &[T], row: &mut Vec<u64>) -> u64 {
    row.clear();
    row.extend(0..=a.len() as u64);
    let mut ticker = Ticker::default();
    for (j, y) in b.iter().enumerate() {
        ticker.check_or_unwind(a.len());
        let mut diagonal = row[0];
        row[0] = j as u64 + 1;
        for (i, x) in a.iter().enumerate() {
            let replaced = diagonal + u64::from(x != y);
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(diagonal + 1).min(row[i] + 1);
        }
    }
    row[a.len()]
}

/// With exchanges of neighbours, of which none is edited again.
fn damerau(a: &[u8], b: &[u8], rows: &mut [Vec<u64>; 3]) -> u64 {
    for row in rows.iter_mut() {
        row.clear();
        row.extend(0..=b.len() as u64);
    }
    let mut ticker = Ticker::default();
    for i in 1..=a.len() {
        ticker.check_or_unwind(b.len());
        rows.rotate_right(1);
        let [row, above, two_above] = rows;
        row[0] = i as u64;
        for j in 1..=b.len() {
            let replaced = above[j - 1] + u64::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_above[j - 2] + 1);
            }
        }
    }
    rows[0][b.len()]
}

/// Which bytes of the two strings Jaro's similarity has matched.
#[derive(Default)]
struct Matched(Vec<bool>, Vec<bool>);

fn jaro(a: &[u8], b: &[u8], matched: &mut Matched) -> f64 {
    if a.is_empty() || b.is_empty() {
        // The reference answers the other's length.
        return a.len().max(b.len()) as f64;
    }
    let Matched(in_a, in_b) = matched;
    for (flags, len) in [(&mut *in_a, a.len()), (&mut *in_b, b.len())] {
        flags.clear();
        flags.resize(len, false);
    }
    let window = (a.len().max(b.len()) / 2).saturating_sub(1);
    let mut count = 0usize;
    let mut ticker = Ticker::default();
    for (i, x) in a.iter().enumerate() {
        ticker.check_or_unwind(window);
        let range = i.saturating_sub(window)..(i + window + 1).min(b.len());
        if let Some(j) = range.into_iter().find(|&j| !in_b[j] && b[j] == *x) {
            (in_a[i], in_b[j]) = (true, true);
            count += 1;
        }
    }
    if count == 0 {
        return 0.0;
    }
    let left = a.iter().zip(in_a.iter()).filter(|p| *p.1);
    let right = b.iter().zip(in_b.iter()).filter(|p| *p.1);
    let moved = left.zip(right).filter(|((x, _), (y, _))| x != y).count() as f64 / 2.0;
    let of = |n: f64, all: usize| n / all as f64;
    let matches = count as f64;
    let sum = of(matches, a.len()) + of(matches, b.len()) + of(matches - moved, count);
    // Not a division by three: the last digit would differ from the reference's.
    sum * (1.0 / 3.0)
}

fn jaro_winkler(a: &[u8], b: &[u8], matched: &mut Matched) -> f64 {
    let similarity = jaro(a, b, matched);
    let prefix = a.iter().zip(b).take(4).take_while(|(x, y)| x == y).count();
    if similarity > 0.7 && !a.is_empty() && !b.is_empty() {
        return similarity + prefix as f64 * 0.1 * (1.0 - similarity);
    }
    similarity
}

/// Bytes that differ; those that one string has more than the other differ.
fn hamming(a: &[u8], b: &[u8]) -> u64 {
    let common = a.iter().zip(b).filter(|(x, y)| x != y).count();
    (common + a.len().abs_diff(b.len())) as u64
}

/// Code points; a byte that is in none counts as one.
fn code_points(s: &[u8], out: &mut Vec<u32>) {
    out.clear();
    for part in s.utf8_chunks() {
        out.extend(part.valid().chars().map(u32::from));
        out.extend(part.invalid().iter().map(|&b| 0x11_0000 + u32::from(b)));
    }
}

fn bind(
    name: &str,
    ty: DataType,
    args: &[Arg],
    run: fn(&[Column], usize) -> Result<Column>,
) -> Result<BoundKernel> {
    if let Some(arg) = args.iter().find(|a| a.ty != DataType::String) {
        return Err(illegal_type(name, &arg.ty));
    }
    Ok(BoundKernel::new(ty, run))
}

fn edit_utf8(args: &[Column], rows: usize) -> Result<Column> {
    let (mut row, mut x, mut y) = (Vec::new(), Vec::new(), Vec::new());
    pairs("editDistanceUTF8", args, rows, |a, b| {
        // Against nothing the reference counts bytes.
        if (a.is_ascii() && b.is_ascii()) || a.is_empty() || b.is_empty() {
            return levenshtein(a, b, &mut row);
        }
        code_points(a, &mut x);
        code_points(b, &mut y);
        levenshtein_rows(&x, &y, &mut row)
    })
}

const PAIR: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "editDistance",
        aliases: &["levenshteinDistance"],
        description: "The Levenshtein distance of two strings: the least number of bytes to \
                      insert, remove or replace.",
        examples: &[("editDistance('kitten', 'sitting')", "3")],
        bind: |args, _: &dyn FunctionContext| {
            bind("editDistance", DataType::UInt64, args, |args, rows| {
                let mut row = Vec::new();
                pairs("editDistance", args, rows, |a, b| levenshtein(a, b, &mut row))
            })
        },
        ..PAIR
    },
    FunctionDef {
        name: "editDistanceUTF8",
        aliases: &["levenshteinDistanceUTF8"],
        description: "The Levenshtein distance of two UTF-8 strings: the least number of \
                      characters to insert, remove or replace.",
        examples: &[("editDistanceUTF8('жук', 'лук')", "1")],
        bind: |args, _| bind("editDistanceUTF8", DataType::UInt64, args, edit_utf8),
        ..PAIR
    },
    FunctionDef {
        name: "damerauLevenshteinDistance",
        description: "Like `editDistance`, but exchanging two neighbouring bytes is one step.",
        examples: &[("damerauLevenshteinDistance('ab', 'ba')", "1")],
        bind: |args, _| {
            let name = "damerauLevenshteinDistance";
            bind(name, DataType::UInt64, args, |args, rows| {
                let mut scratch = [Vec::new(), Vec::new(), Vec::new()];
                pairs("damerauLevenshteinDistance", args, rows, |a, b| damerau(a, b, &mut scratch))
            })
        },
        ..PAIR
    },
    FunctionDef {
        name: "jaroSimilarity",
        description: "The Jaro similarity of two strings, 0 to 1.",
        examples: &[("round(jaroSimilarity('martha', 'marhta'), 4)", "0.9444")],
        bind: |args, _| {
            bind("jaroSimilarity", DataType::Float64, args, |args, rows| {
                let mut matched = Matched::default();
                pairs("jaroSimilarity", args, rows, |a, b| jaro(a, b, &mut matched))
            })
        },
        ..PAIR
    },
    FunctionDef {
        name: "jaroWinklerSimilarity",
        description: "The Jaro-Winkler similarity of two strings, 0 to 1: Jaro's, increased for a \
                      common beginning.",
        examples: &[("round(jaroWinklerSimilarity('martha', 'marhta'), 4)", "0.9611")],
        bind: |args, _| {
            bind("jaroWinklerSimilarity", DataType::Float64, args, |args, rows| {
                let mut matched = Matched::default();
                pairs("jaroWinklerSimilarity", args, rows, |a, b| jaro_winkler(a, b, &mut matched))
            })
        },
        ..PAIR
    },
    FunctionDef {
        name: "byteHammingDistance",
        aliases: &["mismatches"],
        description: "Number of positions at which the bytes of two strings differ.",
        examples: &[("byteHammingDistance('karolin', 'kathrin')", "3")],
        bind: |args, _| {
            bind("byteHammingDistance", DataType::UInt64, args, |args, rows| {
                pairs("byteHammingDistance", args, rows, hamming)
            })
        },
        ..PAIR
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_vectors_as_rows() {
        let mut row = Vec::new();
        let mut random = 1u64;
        let mut word = |most: u64| {
            let mut next = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                random >> 33
            };
            (0..next() % most).map(|_| b'a' + (next() % 3) as u8).collect::<Vec<u8>>()
        };
        for _ in 0..300 {
            let (a, b) = (word(70), word(90));
            let rows = levenshtein_rows(&a, &b, &mut row);
            assert_eq!(levenshtein(&a, &b, &mut row), rows, "{a:?} {b:?}");
        }
    }
}
