//! Runs a simple program on one string: the leftmost match, with a preference for the first
//! alternative, and its groups.

use entasis_column::hash::bytes_equal;

use super::program::{ByteSet, Op, Program, Start};

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Start and end.
    Match(usize, usize),
    /// No match.
    Nothing,
    /// The string is not UTF-8 where that matters, or the work grew too much.
    GaveUp,
}

/// A choice to come back to.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// Step and place.
    Go(usize, usize),
    /// A greedy run before step `op` may give back from `end` down to `least`.
    Shrink { op: usize, least: usize, end: usize },
    /// A lazy run at step `op` stands at `end` and may take `left` more.
    Grow { op: usize, end: usize, left: u32 },
    /// Slot's value before.
    Restore(usize, usize),
}

/// Memory of a search: reused from row to row.
#[derive(Debug, Default)]
pub struct Machine {
    slots: Vec<usize>,
    stack: Vec<Choice>,
    budget: u64,
}

const UNSET: usize = usize::MAX;

/// Place after the character that begins at `at`.
#[inline(always)]
fn next_char(s: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    if s[at] >= 0x80 {
        while end < s.len() && (s[end] as i8) < -0x40 {
            end += 1;
        }
    }
    end
}

/// Whether a character begins at `at`.
#[inline(always)]
fn is_boundary(s: &[u8], at: usize) -> bool {
    at >= s.len() || (s[at] as i8) >= -0x40
}

/// End of the longest run of the set from `at`, no character limit.
#[inline(always)]
fn run_end(s: &[u8], at: usize, set: &ByteSet) -> usize {
    let rest = &s[at..];
    let found = match set.stops.as_deref() {
        Some([]) => None,
        Some(&[a]) => memchr::memchr(a, rest),
        Some(&[a, b]) => memchr::memchr2(a, b, rest),
        Some(&[a, b, c]) => memchr::memchr3(a, b, c, rest),
        _ => return at + set.others.find(rest),
    };
    found.map_or(s.len(), |n| at + n)
}

impl Machine {
    /// Start and end of a group of the last match.
    #[inline]
    pub fn group(&self, i: usize) -> Option<(usize, usize)> {
        let (start, end) = (self.slots[2 * i], self.slots[2 * i + 1]);
        (start != UNSET && end != UNSET).then_some((start, end))
    }

    /// The leftmost match from `from` on.
    pub fn find(&mut self, program: &Program, s: &[u8], from: usize) -> Found {
        if program.wide && !entasis_simd::utf8::is_valid(s) {
            return Found::GaveUp;
        }
        self.begin(s.len());
        if let Start::Beginning = program.start {
            return if from == 0 { self.at(program, s, 0) } else { Found::Nothing };
        }
        let mut at = from;
        loop {
            let Some(skip) = program.start.next(&s[at..]) else { return Found::Nothing };
            at += skip;
            if is_boundary(s, at) || !program.wide {
                match self.at(program, s, at) {
                    Found::Nothing => {}
                    found => return found,
                }
            }
            at += 1;
            if at > s.len() {
                return Found::Nothing;
            }
        }
    }

    /// Sets the work that one string may cost.
    #[inline]
    pub fn begin(&mut self, len: usize) {
        self.budget = 1000 + 64 * len as u64;
    }

    /// A match that begins at `at`, after [`Self::begin`]; the string is UTF-8 if the program is
    /// wide.
    pub fn at(&mut self, program: &Program, s: &[u8], at: usize) -> Found {
        self.slots.clear();
        self.slots.resize(program.slots, UNSET);
        self.stack.clear();
        let (mut op, mut place) = (0, at);
        loop {
            match self.run(&program.ops, s, op, place) {
                Some(end) => return Found::Match(at, end),
                None if self.budget == 0 => return Found::GaveUp,
                None => match self.next_choice(&program.ops, s) {
                    Some(next) => (op, place) = next,
                    None => return Found::Nothing,
                },
            }
        }
    }

    /// Goes on from a step until it fails or matches.
    #[inline]
    fn run(&mut self, ops: &[Op], s: &[u8], mut op: usize, mut at: usize) -> Option<usize> {
        loop {
            self.budget = self.budget.saturating_sub(1);
            if self.budget == 0 {
                return None;
            }
            match &ops[op] {
                Op::Literal(bytes) => {
                    let there = s.get(at..at + bytes.len());
                    if !there.is_some_and(|there| bytes_equal(there, bytes)) {
                        return None;
                    }
                    at += bytes.len();
                }
                Op::One(set) => {
                    if at >= s.len() || !set.has(s[at]) {
                        return None;
                    }
                    at = next_char(s, at);
                }
                Op::Run { set, min, max, greedy, possessive } => {
                    let (min, max) = (*min, *max);
                    at = if *greedy && max == u32::MAX && (min <= 1 || !set.is_wide()) {
                        let end = run_end(s, at, set);
                        // With `min` above 1 the set is of ASCII only.
                        let least = match min {
                            1 if at < s.len() => next_char(s, at),
                            _ => at + min as usize,
                        };
                        if end < least {
                            return None;
                        }
                        if !possessive && end > least {
                            self.stack.push(Choice::Shrink { op: op + 1, least, end });
                        }
                        end
                    } else {
                        self.counted(s, at, op, (set, min, max, *greedy))?
                    };
                }
                Op::Split(to) => self.stack.push(Choice::Go(*to, at)),
                Op::SplitAway(to) => {
                    self.stack.push(Choice::Go(op + 1, at));
                    op = *to;
                    continue;
                }
                Op::Jump(to) => {
                    op = *to;
                    continue;
                }
                Op::Save(slot) => {
                    if !self.stack.is_empty() {
                        self.stack.push(Choice::Restore(*slot, self.slots[*slot]));
                    }
                    self.slots[*slot] = at;
                }
                Op::Begin if at != 0 => return None,
                Op::End if at != s.len() => return None,
                Op::Begin | Op::End => {}
                Op::Match => return Some(at),
            }
            op += 1;
        }
    }

    /// A run with bounds, or a lazy one, character by character.
    fn counted(
        &mut self,
        s: &[u8],
        mut at: usize,
        op: usize,
        (set, min, max, greedy): (&ByteSet, u32, u32, bool),
    ) -> Option<usize> {
        let mut taken = 0;
        while taken < min {
            if at >= s.len() || !set.has(s[at]) {
                return None;
            }
            at = next_char(s, at);
            taken += 1;
        }
        if !greedy {
            if max > taken {
                self.stack.push(Choice::Grow { op, end: at, left: max - taken });
            }
            return Some(at);
        }
        let least = at;
        while taken < max && at < s.len() && set.has(s[at]) {
            at = next_char(s, at);
            taken += 1;
        }
        self.budget = self.budget.saturating_sub(u64::from(taken) / 16);
        if at > least {
            self.stack.push(Choice::Shrink { op: op + 1, least, end: at });
        }
        Some(at)
    }

    /// The next step and place to try.
    fn next_choice(&mut self, ops: &[Op], s: &[u8]) -> Option<(usize, usize)> {
        loop {
            match self.stack.pop()? {
                Choice::Restore(slot, value) => self.slots[slot] = value,
                Choice::Go(op, at) => return Some((op, at)),
                Choice::Shrink { op, least, end } => {
                    let mut end = end - 1;
                    while end > least && !is_boundary(s, end) {
                        end -= 1;
                    }
                    // Only places where a literal that follows begins are worth a try.
                    if let Op::Literal(bytes) = &ops[op] {
                        match memchr::memrchr(bytes[0], &s[least..=end]) {
                            Some(found) => end = least + found,
                            None => continue,
                        }
                    }
                    if end > least {
                        self.stack.push(Choice::Shrink { op, least, end });
                    }
                    return Some((op, end));
                }
                Choice::Grow { op, end, left } => {
                    let Op::Run { set, .. } = &ops[op] else { continue };
                    if end >= s.len() || !set.has(s[end]) {
                        continue;
                    }
                    let end = next_char(s, end);
                    if left > 1 {
                        let left = if left == u32::MAX { left } else { left - 1 };
                        self.stack.push(Choice::Grow { op, end, left });
                    }
                    return Some((op + 1, end));
                }
            }
        }
    }
}
