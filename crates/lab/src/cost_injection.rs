//! Cost injection: a statement made slower, or hungrier, by a known share, so that it is known
//! which changes the laboratory would have seen (`entasis lab power`).
//!
//! A statement asks for it by its setting `log_comment`:
//! `cost injection: time=5, allocation=0, peak=0, step=Aggregate`, in percent. Only engines with
//! the hook [`of_comment`] listen: those of the laboratory's own process, and programs that find
//! [`VARIABLE`] in their environment, which the servers have that the laboratory starts.
//!
//! Costs are injected into the pipelines that have a step whose name begins as `step` says, into
//! the writing of the answer if that is named (`Output`), or into all of it. What a thread does
//! there takes the share longer, in [`burn_planted`], and allocates the share more.

use std::any::Any;
use std::hint::{black_box, spin_loop};
use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::{MemoryAccount, meter, scope};
use entasis_engine::{HookOf, Step, WorkHook};

/// The environment variable that makes programs listen.
pub const VARIABLE: &str = "ENTASIS_COST_INJECTION";

/// How the remark of a statement begins that asks for injected costs.
const BEGINS: &str = "cost injection:";

/// What is injected. Shares are of one: 0.05 is five percent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostInjection {
    /// A source, operator or sink whose name begins so, or "Output"; any if empty.
    pub step: String,
    /// Time, over what the work took.
    pub time: f64,
    /// Allocated bytes, over what the work allocated.
    pub allocation: f64,
    /// Peak of memory, over what the statement's was.
    pub peak: f64,
}

/// The hook of programs that listen; none without [`VARIABLE`].
pub fn of_environment() -> Option<HookOf> {
    std::env::var_os(VARIABLE).map(|_| of_comment as HookOf)
}

/// The hook of a statement with this remark; none of most.
pub fn of_comment(comment: &str) -> Option<Arc<dyn WorkHook>> {
    let injection = CostInjection::parse(comment)?;
    injection.is_some().then(|| Arc::new(injection) as Arc<dyn WorkHook>)
}

impl CostInjection {
    /// What a remark asks for. Words that are not known are left out.
    fn parse(comment: &str) -> Option<Self> {
        let mut injection = Self::default();
        for word in comment.strip_prefix(BEGINS)?.split(',') {
            let (name, value) = word.trim().split_once('=')?;
            let share = || value.parse::<f64>().ok().map(|percent| percent / 100.0);
            match name {
                "step" => value.clone_into(&mut injection.step),
                "time" => injection.time = share()?,
                "allocation" => injection.allocation = share()?,
                "peak" => injection.peak = share()?,
                _ => {}
            }
        }
        Some(injection)
    }

    /// Whether it does anything.
    fn is_some(&self) -> bool {
        self.time > 0.0 || self.allocation > 0.0 || self.peak > 0.0
    }
}

impl WorkHook for CostInjection {
    fn begin(&self, step: Step<'_>) -> Option<Box<dyn Any>> {
        let concerns = self.step.is_empty() || step.has(&self.step);
        concerns.then(|| {
            let (time, allocation) = (self.time.max(0.0), self.allocation);
            let (began, allocated) = (Instant::now(), meter::allocated());
            Box::new(Slice { time, allocation, began, allocated }) as Box<dyn Any>
        })
    }

    fn end(&self, memory: &Arc<MemoryAccount>) {
        if self.peak > 0.0 {
            raise_peak(self.peak, memory);
        }
    }
}

/// A slice of work that costs more than it must, from here to its drop.
struct Slice {
    time: f64,
    allocation: f64,
    began: Instant,
    allocated: u64,
}

impl Drop for Slice {
    fn drop(&mut self) {
        let bytes = meter::allocated().wrapping_sub(self.allocated) as f64 * self.allocation;
        if bytes >= 1.0 {
            drop(black_box(Vec::<u8>::with_capacity(bytes as usize)));
        }
        let time = self.began.elapsed().mul_f64(self.time);
        burn_planted(time);
        events::add(Event::InjectedMicroseconds, time.as_micros() as u64);
    }
}

/// Uses the processor for so long. A function of its own, so that profiles name it.
#[inline(never)]
fn burn_planted(time: Duration) {
    let began = Instant::now();
    while began.elapsed() < time {
        (0..64).for_each(|_| spin_loop());
    }
}

/// At a statement's end: raises its peak by a share, to within [`CRUMB`]. What other threads
/// release meanwhile is taken again.
fn raise_peak(share: f64, account: &MemoryAccount) {
    // What this thread has not told the account yet counts, too.
    scope::settle();
    let wanted = (account.peak() as f64 * (1.0 + share)) as u64;
    let mut held = [const { Vec::<u8>::new() }; PIECES];
    for piece in &mut held {
        // Over what is allocated, not what is in use: that may have been reserved only.
        let missing = wanted.saturating_sub(account.allocated());
        if account.peak() >= wanted || missing < CRUMB {
            break;
        }
        // Allocators round up, but no power of two: a peak of 128 KiB would be 2 % too high.
        *piece = black_box(Vec::with_capacity(1 << missing.ilog2()));
        // A limit that this breaks is the statement's business: the next look at it answers.
        scope::settle();
    }
}

/// Times that [`raise_peak`] allocates at most: half of what is missing at least, each time.
const PIECES: usize = 64;
/// Bytes that a peak may lack.
const CRUMB: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_read() {
        let asked = CostInjection::parse("cost injection: time=5, step=Aggregate");
        let expected = CostInjection { step: "Aggregate".into(), time: 0.05, ..Default::default() };
        assert_eq!(asked, Some(expected));
        assert!(of_comment("cost injection: time=0").is_none());
        assert!(of_comment("nightly report").is_none());
        assert!(of_comment("").is_none());
    }

    #[test]
    fn writing_takes_its_share_longer() {
        let slice = |step: &str| {
            let injection = CostInjection { step: step.into(), time: 0.5, ..Default::default() };
            let began = Instant::now();
            let slice = injection.begin(Step::Output);
            let is_there = slice.is_some();
            std::thread::sleep(Duration::from_millis(4));
            drop(slice);
            (is_there, began.elapsed() >= Duration::from_millis(6))
        };
        assert_eq!(slice(""), (true, true));
        assert_eq!(slice("Out"), (true, true));
        assert!(!slice("Aggregate").0);
    }
}
