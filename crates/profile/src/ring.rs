//! A ring of words with one writer and one reader, for the samples of one thread.
//!
//! The writer is the thread, in ordinary code or in its signal handler (`thread` keeps the two
//! apart); the reader drains the ring. Nobody waits: if there is no room for the longest sample,
//! the writer drops it. All words are atomics, so no `unsafe` is needed; relaxed stores cost as
//! much as plain ones.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Words of one ring: some 600 samples of 50 frames, 256 KiB.
const WORDS: usize = 1 << 15;

/// See the module.
#[derive(Debug)]
pub(crate) struct Ring {
    words: Box<[AtomicU64]>,
    /// Words ever written; stored by the writer.
    head: AtomicUsize,
    /// Words ever read; stored by the reader.
    tail: AtomicUsize,
}

impl Ring {
    /// An empty ring.
    pub(crate) fn new() -> Self {
        let words = (0..WORDS).map(|_| AtomicU64::new(0)).collect();
        Self { words, head: AtomicUsize::new(0), tail: AtomicUsize::new(0) }
    }

    /// A place to write up to `most` words, if there is room for them.
    #[inline]
    pub(crate) fn write(&self, most: usize) -> Option<Writer<'_>> {
        let head = self.head.load(Ordering::Relaxed);
        let used = head.wrapping_sub(self.tail.load(Ordering::Acquire));
        (used + most <= WORDS).then_some(Writer { ring: self, head, at: head })
    }

    /// Words that can be read now.
    pub(crate) fn filled(&self) -> usize {
        self.head.load(Ordering::Acquire).wrapping_sub(self.tail.load(Ordering::Relaxed))
    }

    /// The word at `offset` of those that can be read.
    pub(crate) fn word(&self, offset: usize) -> u64 {
        self.at(self.tail.load(Ordering::Relaxed).wrapping_add(offset)).load(Ordering::Relaxed)
    }

    /// Gives the first `words` back to the writer.
    pub(crate) fn consume(&self, words: usize) {
        let tail = self.tail.load(Ordering::Relaxed);
        self.tail.store(tail.wrapping_add(words), Ordering::Release);
    }

    #[inline]
    fn at(&self, position: usize) -> &AtomicU64 {
        &self.words[position % WORDS]
    }
}

/// Words that nobody reads before [`Writer::publish`].
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    ring: &'a Ring,
    head: usize,
    at: usize,
}

impl Writer<'_> {
    /// Appends a word.
    #[inline]
    pub(crate) fn push(&mut self, word: u64) {
        self.ring.at(self.at).store(word, Ordering::Relaxed);
        self.at = self.at.wrapping_add(1);
    }

    /// Sets the word at `offset` of this writer's words.
    #[inline]
    pub(crate) fn set(&mut self, offset: usize, word: u64) {
        self.ring.at(self.head.wrapping_add(offset)).store(word, Ordering::Relaxed);
    }

    /// Lets the reader see all of it.
    #[inline]
    pub(crate) fn publish(self) {
        self.ring.head.store(self.at, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_out_as_they_went_in_and_a_full_ring_says_so() {
        let ring = Ring::new();
        for round in 0..WORDS as u64 / 4 {
            for _ in 0..5 {
                let mut writer = ring.write(3).unwrap();
                (0..3).for_each(|i| writer.push(round + i));
                writer.set(0, 42);
                assert_eq!(ring.filled() % 3, 0);
                writer.publish();
            }
            for _ in 0..5 {
                assert_eq!([ring.word(0), ring.word(1), ring.word(2)], [42, round + 1, round + 2]);
                ring.consume(3);
            }
        }
        let mut count = 0;
        while let Some(mut writer) = ring.write(7) {
            (0..7).for_each(|i| writer.push(i));
            writer.publish();
            count += 1;
        }
        assert_eq!((count, ring.filled()), (WORDS / 7, WORDS / 7 * 7));
    }

    #[test]
    fn one_thread_writes_while_another_reads() {
        let ring = Ring::new();
        let total = 200_000u64;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut next = 0;
                while next < total {
                    if let Some(mut writer) = ring.write(2) {
                        writer.push(next);
                        writer.push(!next);
                        writer.publish();
                        next += 1;
                    } else {
                        std::thread::yield_now();
                    }
                }
            });
            for expected in 0..total {
                while ring.filled() < 2 {
                    std::thread::yield_now();
                }
                assert_eq!([ring.word(0), ring.word(1)], [expected, !expected]);
                ring.consume(2);
            }
        });
    }
}
