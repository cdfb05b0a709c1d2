//! Samples: how ordinary code writes one, and how the samples of all threads are collected.

use std::sync::Mutex;

use crate::ring::Ring;
use crate::thread;
use crate::unwind::Registers;

/// Frames that a sample keeps at most, innermost first; what lies further out is cut.
pub const MAX_FRAMES: usize = 128;

/// Words of a sample in a ring before its frames: kind, count and thread; query; time; weight;
/// `what`.
pub(crate) const HEADER: usize = 5;

/// Why a stack was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A period of CPU time was over.
    Cpu,
    /// A period of time was over.
    Real,
    /// Memory of a query grew by a step.
    Memory,
    /// One allocation or release, chosen by chance.
    MemorySample,
    /// An event that is traced was counted.
    ProfileEvent,
}

impl Kind {
    /// All kinds, by number.
    pub const ALL: [Self; 5] =
        [Self::Cpu, Self::Real, Self::Memory, Self::MemorySample, Self::ProfileEvent];

    /// The name that `system.trace_log` has for it in `trace_type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Real => "Real",
            Self::Memory => "Memory",
            Self::MemorySample => "MemorySample",
            Self::ProfileEvent => "ProfileEvent",
        }
    }
}

/// One stack.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Why it was taken.
    pub kind: Kind,
    /// The number that [`crate::AttachOptions`] had.
    pub query: u64,
    /// The kernel's number of the thread.
    pub thread_id: u64,
    /// Nanoseconds since 1970-01-01 00:00:00 UTC.
    pub time: u64,
    /// Periods that it stands for (1 and those that passed before the signal came), or what
    /// [`record`] was given: bytes, increments.
    pub weight: i64,
    /// What [`record`] was given: the number of an event, an address. 0 for samples of timers.
    pub what: u64,
    /// Addresses, innermost first. Those of callers lie within the call, not behind it, so each can
    /// be looked up as it is.
    pub frames: &'a [u64],
}

/// What could not be kept since the last [`drain`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Samples that found their thread's ring full: drain more often, or lengthen the period.
    pub ring_full: u64,
    /// Samples that came while their thread was writing another one.
    pub interrupted: u64,
    /// Timers that the system refused (its limit of pending signals), or whose signals belong to
    /// somebody else.
    pub timers: u64,
    /// Attempts to attach by threads beyond those that are profiled at one time.
    pub threads: u64,
}

/// Writes the stack of the caller, if the thread is attached. Neither allocates nor locks nor
/// fails: an allocator may call it, and what cannot be written is counted as lost.
#[inline(never)]
pub fn record(kind: Kind, weight: i64, what: u64) {
    if let Some(slot) = thread::current()
        && slot.query() != 0
    {
        slot.push(kind, weight, what, Registers::here());
    }
}

/// Hands out all samples that threads have written, those of ended threads included, in the order
/// of each thread. Call it often enough for the rings: they hold some 600 samples each, so every
/// second at periods of 10 ms, every 200 ms at 1 ms.
///
/// While one thread drains, others that try see nothing. `each` may allocate, attach and record.
pub fn drain(each: &mut dyn FnMut(&Sample<'_>)) -> Lost {
    static READER: Mutex<()> = Mutex::new(());
    let _reader = match READER.try_lock() {
        Ok(guard) => guard,
        Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(std::sync::TryLockError::WouldBlock) => return Lost::default(),
    };
    let mut lost = Lost { threads: thread::turned_away(), ..Lost::default() };
    for slot in thread::all() {
        read(slot.ring(), each);
        let more = slot.take_lost();
        lost.ring_full += more.ring_full;
        lost.interrupted += more.interrupted;
        lost.timers += more.timers;
    }
    lost
}

/// Reads what is in a ring now, but not what comes meanwhile.
fn read(ring: &Ring, each: &mut dyn FnMut(&Sample<'_>)) {
    let mut left = ring.filled();
    let mut frames = [0; MAX_FRAMES];
    while left > 0 {
        let first = ring.word(0);
        let count = ((first >> 8) as usize & 0xFFFF).min(MAX_FRAMES);
        for (i, frame) in frames[..count].iter_mut().enumerate() {
            *frame = ring.word(HEADER + i);
        }
        let sample = Sample {
            kind: Kind::ALL[(first & 0xFF) as usize % Kind::ALL.len()],
            query: ring.word(1),
            thread_id: first >> 32,
            time: ring.word(2),
            weight: ring.word(3) as i64,
            what: ring.word(4),
            frames: &frames[..count],
        };
        // Given back first: if `each` panics, the next drain goes on with the next sample.
        ring.consume(HEADER + count);
        left -= (HEADER + count).min(left);
        each(&sample);
    }
}

/// The first word of a sample.
#[inline]
pub(crate) fn header(kind: Kind, frames: usize, thread: u32) -> u64 {
    u64::from(thread) << 32 | (frames as u64) << 8 | kind as u64
}
