//! Compiles simple patterns to programs of the machine in this crate.
//!
//! Simple patterns consist of literals, classes that contain all or none of the characters outside
//! ASCII, repetitions of one class or byte, options of anything, groups, alternatives, and anchors
//! of the whole text. Groups are not repeated, so the work per start is polynomial, and a budget
//! bounds it in addition.

use entasis_simd::byte_set;
use memchr::memmem::Finder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// A set of bytes; above ASCII all or none, standing for characters then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteSet {
    bits: [u64; 4],
    /// Up to three bytes that are not in the set, if there are no more.
    pub stops: Option<Vec<u8>>,
    /// The set and its complement, to search for their bytes.
    pub members: byte_set::ByteSet,
    pub others: byte_set::ByteSet,
}

impl ByteSet {
    fn new(bits: [u64; 4]) -> Self {
        let missing: u32 = bits.iter().map(|w| w.count_zeros()).sum();
        let (members, others) = (byte_set::ByteSet::of(&[]), byte_set::ByteSet::of(&[]));
        let mut set = Self { bits, stops: None, members, others };
        for byte in 0..=255 {
            let of = if set.has(byte) { &mut set.members } else { &mut set.others };
            *of = of.with(byte, byte);
        }
        if missing <= 3 {
            set.stops = Some((0..=255).filter(|&b| !set.has(b)).collect());
        }
        set
    }

    fn of_byte(byte: u8) -> Self {
        let mut bits = [0; 4];
        bits[byte as usize / 64] |= 1 << (byte % 64);
        Self::new(bits)
    }

    fn of_class(class: &Class) -> Option<Self> {
        let mut bits = [0u64; 4];
        match class {
            Class::Unicode(class) => {
                let mut wide = Vec::new();
                for range in class.iter() {
                    let (low, high) = (range.start() as u32, range.end() as u32);
                    (low..=high.min(0x7F)).for_each(|b| bits[b as usize / 64] |= 1 << (b % 64));
                    if high > 0x7F {
                        wide.push((low.max(0x80), high));
                    }
                }
                match wide.as_slice() {
                    [] => {}
                    [(0x80, 0x10_FFFF)] => (bits[2], bits[3]) = (u64::MAX, u64::MAX),
                    _ => return None,
                }
            }
            Class::Bytes(class) => {
                for range in class.iter() {
                    if range.end() > 0x7F {
                        return None;
                    }
                    (range.start()..=range.end())
                        .for_each(|b| bits[b as usize / 64] |= 1 << (b % 64));
                }
            }
        }
        Some(Self::new(bits))
    }

    /// Whether the byte is in the set.
    #[inline(always)]
    pub fn has(&self, byte: u8) -> bool {
        self.bits[usize::from(byte >> 6)] >> (byte & 63) & 1 != 0
    }

    /// Whether characters outside ASCII are in the set.
    pub fn is_wide(&self) -> bool {
        self.bits[2] != 0
    }

    fn disjoint(&self, other: &Self) -> bool {
        self.bits.iter().zip(&other.bits).all(|(a, b)| a & b == 0)
    }

    fn union(&self, other: &Self) -> Self {
        Self::new(std::array::from_fn(|i| self.bits[i] | other.bits[i]))
    }

    fn count(&self) -> u32 {
        self.bits.iter().map(|w| w.count_ones()).sum()
    }
}

/// One step of a program.
#[derive(Clone, Debug)]
pub enum Op {
    /// These bytes.
    Literal(Box<[u8]>),
    /// One character of the set.
    One(ByteSet),
    /// So many characters of the set, as many as possible (or as few).
    Run {
        set: ByteSet,
        min: u32,
        max: u32,
        greedy: bool,
        /// What follows cannot begin inside the run: giving back never helps.
        possessive: bool,
    },
    /// Tries the next step first and the given one after.
    Split(usize),
    /// Tries the given step first and the next one after.
    SplitAway(usize),
    Jump(usize),
    /// Notes the place as the begin or end of a group.
    Save(usize),
    Begin,
    End,
    Match,
}

/// Where matches may begin.
#[derive(Debug)]
pub enum Start {
    /// Only at the beginning of the text.
    Beginning,
    Literal(Finder<'static>),
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Set(ByteSet),
    /// The pattern may match nothing at all.
    Anywhere,
}

/// A compiled simple pattern.
#[derive(Debug)]
pub struct Program {
    /// The steps; the last is `Match`.
    pub ops: Vec<Op>,
    /// For skipping.
    pub start: Start,
    /// Two slots per group, the first two unused.
    pub slots: usize,
    /// Whether some set stands for characters outside ASCII, so that invalid UTF-8 matters.
    pub wide: bool,
}

const MOST_OPS: usize = 200;

impl Program {
    /// The program, if the pattern is simple.
    pub fn compile(hir: &Hir) -> Option<Self> {
        let mut ops = Vec::new();
        emit(hir, &mut ops)?;
        ops.push(Op::Match);
        if ops.len() > MOST_OPS {
            return None;
        }
        mark_possessive(&mut ops);
        let start = start(&ops);
        let slots = 2 * (hir.properties().explicit_captures_len() + 1);
        let wide = ops.iter().any(|op| match op {
            Op::One(set) | Op::Run { set, .. } => set.is_wide(),
            _ => false,
        });
        Some(Self { ops, start, slots, wide })
    }

    /// Whether looking for the first byte over a whole buffer pays.
    pub fn can_sweep(&self) -> bool {
        matches!(self.start, Start::Literal(_) | Start::One(_) | Start::Two(..) | Start::Three(..))
    }
}

fn emit(hir: &Hir, ops: &mut Vec<Op>) -> Option<()> {
    if ops.len() > MOST_OPS {
        return None;
    }
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Literal(l) => ops.push(Op::Literal(l.0.clone())),
        HirKind::Class(class) => ops.push(Op::One(ByteSet::of_class(class)?)),
        HirKind::Look(Look::Start) => ops.push(Op::Begin),
        HirKind::Look(Look::End) => ops.push(Op::End),
        HirKind::Look(_) => return None,
        HirKind::Concat(parts) => parts.iter().try_for_each(|p| emit(p, ops))?,
        HirKind::Capture(capture) => {
            let slot = 2 * capture.index as usize;
            ops.push(Op::Save(slot));
            emit(&capture.sub, ops)?;
            ops.push(Op::Save(slot + 1));
        }
        HirKind::Alternation(branches) => {
            let mut jumps = Vec::new();
            for (i, branch) in branches.iter().enumerate() {
                let last = i + 1 == branches.len();
                let split = ops.len();
                if !last {
                    ops.push(Op::Split(0));
                }
                emit(branch, ops)?;
                if !last {
                    jumps.push(ops.len());
                    ops.push(Op::Jump(0));
                    ops[split] = Op::Split(ops.len());
                }
            }
            let end = ops.len();
            jumps.into_iter().for_each(|j| ops[j] = Op::Jump(end));
        }
        HirKind::Repetition(r) => {
            let set = match r.sub.kind() {
                HirKind::Class(class) => ByteSet::of_class(class)?,
                HirKind::Literal(l) if l.0.len() == 1 && l.0[0] < 0x80 => ByteSet::of_byte(l.0[0]),
                _ if r.min == 0 && r.max == Some(1) => {
                    let split = ops.len();
                    ops.push(Op::Split(0));
                    emit(&r.sub, ops)?;
                    let end = ops.len();
                    ops[split] = if r.greedy { Op::Split(end) } else { Op::SplitAway(end) };
                    return Some(());
                }
                _ => return None,
            };
            let max = r.max.unwrap_or(u32::MAX);
            ops.push(Op::Run { set, min: r.min, max, greedy: r.greedy, possessive: false });
        }
    }
    Some(())
}

/// Bytes that what begins at step `at` can begin with; `None` if it can match nothing or anything.
/// Where `end` is allowed, the end of the text counts as a byte that never comes. `steps` bounds
/// the work, since empty alternatives multiply.
fn first(ops: &[Op], at: usize, end: bool, steps: &mut u32) -> Option<ByteSet> {
    *steps = steps.checked_sub(1)?;
    match &ops[at] {
        Op::Literal(bytes) => Some(ByteSet::of_byte(bytes[0])),
        Op::One(set) => Some(set.clone()),
        Op::Run { set, min, .. } if *min > 0 => Some(set.clone()),
        Op::Run { set, .. } => Some(set.union(&first(ops, at + 1, end, steps)?)),
        Op::Split(to) | Op::SplitAway(to) => {
            let next = first(ops, at + 1, end, steps)?;
            Some(next.union(&first(ops, *to, end, steps)?))
        }
        Op::Jump(to) => first(ops, *to, end, steps),
        Op::Save(_) => first(ops, at + 1, end, steps),
        Op::End if end => Some(ByteSet::new([0; 4])),
        Op::End | Op::Begin | Op::Match => None,
    }
}

fn mark_possessive(ops: &mut [Op]) {
    for at in 0..ops.len() {
        let Op::Run { set, greedy: true, .. } = &ops[at] else { continue };
        let follows = match skip_saves(ops, at + 1) {
            Op::Match => true,
            _ => first(ops, at + 1, true, &mut 1000).is_some_and(|next| next.disjoint(set)),
        };
        if let Op::Run { possessive, .. } = &mut ops[at] {
            *possessive = follows;
        }
    }
}

fn skip_saves(ops: &[Op], mut at: usize) -> &Op {
    while let Op::Save(_) = ops[at] {
        at += 1;
    }
    &ops[at]
}

fn start(ops: &[Op]) -> Start {
    match skip_saves(ops, 0) {
        Op::Begin => return Start::Beginning,
        Op::Literal(bytes) if bytes.len() > 1 => {
            return Start::Literal(Finder::new(bytes).into_owned());
        }
        _ => {}
    }
    let Some(set) = first(ops, 0, false, &mut 1000) else { return Start::Anywhere };
    let bytes: Vec<u8> = (0..=255).filter(|&b| set.count() <= 3 && set.has(b)).collect();
    match *bytes.as_slice() {
        [a] => Start::One(a),
        [a, b] => Start::Two(a, b),
        [a, b, c] => Start::Three(a, b, c),
        _ => Start::Set(set),
    }
}
