//! Why a query became faster or slower: what two sides of a comparison differ in, and what that
//! says of the cause.
//!
//! Rooms: [`symbol`] gives functions names that two builds share; [`stacks`] compares profiles
//! function by function; [`counters`] compares every metric; [`memory`] picks out those of memory;
//! [`plan`] compares EXPLAIN texts; [`class`] names the cause; [`asm`] shows a hot loop of both
//! builds with a model of its speed.
//!
//! Everything but [`asm`], which runs the machine's disassembler, is a pure function of plain data,
//! so a published cause can be computed again from stored rows. Absent on purpose: taking profiles,
//! running queries, tables.

pub mod asm;
pub mod class;
pub mod counters;
mod effect;
pub mod memory;
mod noise;
pub mod plan;
mod rename;
mod shift;
pub mod stacks;
pub mod symbol;
mod tally;

pub use effect::Effect;

/// A hash that is the same in every build and on every machine (FNV-1a, 64 bits). Not against
/// anyone who wants two texts to meet.
fn hash<'a>(lines: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut state = 0xcbf2_9ce4_8422_2325_u64;
    for line in lines {
        for &byte in line.as_bytes().iter().chain(b"\n") {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_published_vector_of_the_hash() {
        // FNV-1a of "a\n", computed by hand: ((basis ^ 'a') * p ^ '\n') * p.
        let p = 0x0100_0000_01b3_u64;
        let a = (0xcbf2_9ce4_8422_2325_u64 ^ 0x61).wrapping_mul(p);
        assert_eq!(a, 0xaf63_dc4c_8601_ec8c, "the published value for \"a\"");
        assert_eq!(super::hash(["a"]), (a ^ 0x0a).wrapping_mul(p));
        assert_ne!(super::hash(["ab"]), super::hash(["a", "b"]));
    }
}
