//! Timers that interrupt one thread, and the handler of their signals.
//!
//! The handler is async-signal-safe: it reads a thread-local without destructor, walks the stack
//! and stores into memory that was allocated at attach; it calls only `timer_getoverrun`,
//! `timer_settime` and `clock_gettime`, and leaves `errno` as it was. It is installed once and
//! stays: a signal on its way while a timer is deleted finds it.
//!
//! A third signal, without a timer, asks a thread for its stack (`stacks`): SIGRTMIN + 3, of those
//! that are for programs' own use.
//!
//! Signals: SIGPROF for CPU time, SIGVTALRM for real time. Both are meant for timers, debuggers let
//! them pass silently, and nothing else here uses them; a foreign handler is respected (then there
//! are no timers). SA_RESTART keeps blocking calls going, SA_ONSTACK keeps a thread that is near
//! the end of its stack alive.

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use crate::stacks;
use crate::thread;
use crate::unwind::{self, Registers};

/// What a timer measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The thread's CPU time.
    Cpu,
    /// Time that passes.
    Real,
}

impl Clock {
    fn id(self) -> libc::clockid_t {
        match self {
            Self::Cpu => libc::CLOCK_THREAD_CPUTIME_ID,
            Self::Real => libc::CLOCK_MONOTONIC,
        }
    }

    fn signal(self) -> libc::c_int {
        match self {
            Self::Cpu => libc::SIGPROF,
            Self::Real => libc::SIGVTALRM,
        }
    }
}

const CLOCKS: [Clock; 2] = [Clock::Cpu, Clock::Real];

/// The kernel's number of the calling thread.
pub(crate) fn thread_id() -> u32 {
    // SAFETY: has no preconditions.
    unsafe { libc::gettid() as u32 }
}

/// Nanoseconds since 1970-01-01 00:00:00 UTC; async-signal-safe.
#[inline]
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// A timer for `thread`, not armed: its number, or nothing if the system has none left.
pub(crate) fn create_timer(clock: Clock, thread: u32) -> Option<usize> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    if !INSTALLED.get_or_init(install) {
        return None;
    }
    // SAFETY: all zeros is a valid sigevent (integers and a pointer that nobody follows).
    let mut event: libc::sigevent = unsafe { MaybeUninit::zeroed().assume_init() };
    event.sigev_notify = libc::SIGEV_THREAD_ID;
    event.sigev_signo = clock.signal();
    event.sigev_notify_thread_id = thread as libc::c_int;
    let mut timer: libc::timer_t = std::ptr::null_mut();
    // SAFETY: both pointers are valid for the call.
    let status = unsafe { libc::timer_create(clock.id(), &raw mut event, &raw mut timer) };
    (status == 0).then_some(timer as usize)
}

/// Lets a timer expire after `first` and then every `period` nanoseconds; never again if both are
/// 0. Async-signal-safe.
pub(crate) fn set_timer(timer: usize, first: u64, period: u64) -> bool {
    let time = |ns: u64| libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    };
    let new = libc::itimerspec { it_interval: time(period), it_value: time(first) };
    // SAFETY: `new` is valid; a number that is no timer of ours is an error, which is answered.
    let status =
        unsafe { libc::timer_settime(handle(timer), 0, &raw const new, std::ptr::null_mut()) };
    status == 0
}

/// Expirations that the signal at hand stands for beyond the first. Async-signal-safe.
pub(crate) fn overrun(timer: usize) -> i64 {
    // SAFETY: as `set_timer`.
    i64::from(unsafe { libc::timer_getoverrun(handle(timer)) }.max(0))
}

/// Ends a timer.
pub(crate) fn delete_timer(timer: usize) {
    // SAFETY: as `set_timer`; `Timer` forgets the number first.
    unsafe { libc::timer_delete(handle(timer)) };
}

fn handle(timer: usize) -> libc::timer_t {
    std::ptr::with_exposed_provenance_mut(timer)
}

/// Installs the handler for both signals; `false` if either belongs to somebody else.
fn install() -> bool {
    unwind::learn_own_code();
    CLOCKS.iter().all(|clock| set_handler(clock.signal(), handler))
}

/// What the kernel calls.
type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

/// Installs one of our handlers, which are async-signal-safe; `false` if the signal has another.
fn set_handler(signal: libc::c_int, handler: Handler) -> bool {
    // SAFETY: all zeros is a valid sigaction: default action, empty mask.
    let mut old: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    let mut new = old;
    new.sa_sigaction = handler as *const () as usize;
    new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: all pointers are valid, the signals exist, and the handlers are async-signal-safe
    // (see the module).
    unsafe {
        for other in [CLOCKS[0].signal(), CLOCKS[1].signal(), question()] {
            libc::sigaddset(&raw mut new.sa_mask, other);
        }
        libc::sigaction(signal, std::ptr::null(), &raw mut old) == 0
            && old.sa_sigaction == libc::SIG_DFL
            && libc::sigaction(signal, &raw const new, std::ptr::null_mut()) == 0
    }
}

/// The signal that asks a thread for its stack.
fn question() -> libc::c_int {
    libc::SIGRTMIN() + 3
}

/// Whether threads can be asked for their stacks.
pub(crate) fn can_ask() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        unwind::learn_own_code();
        set_handler(question(), answer)
    })
}

/// Asks a thread of this process; `false` if it is gone. Only once [`can_ask`] said so.
pub(crate) fn ask(thread: u32) -> bool {
    // SAFETY: has no preconditions; the signal has a handler.
    let sent = unsafe {
        libc::syscall(libc::SYS_tgkill, libc::getpid(), thread as libc::c_int, question())
    };
    sent == 0
}

extern "C" fn answer(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: errno is this thread's, valid as long as the thread; the kernel hands a valid context
    // to a handler with SA_SIGINFO.
    let (errno, registers) = unsafe { (libc::__errno_location(), Registers::interrupted(context)) };
    // SAFETY: as above.
    let before = unsafe { *errno };
    let thread = thread_id();
    if stacks::take(thread) {
        unwind::walk_unmeasured(registers, stacks::write);
        stacks::done(thread);
    }
    // SAFETY: as above.
    unsafe { *errno = before };
}

extern "C" fn handler(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel hands valid pointers to a handler with SA_SIGINFO; errno is this thread's.
    let (from_timer, errno, registers) = unsafe {
        let errno = libc::__errno_location();
        ((*info).si_code == libc::SI_TIMER, errno, Registers::interrupted(context))
    };
    // SAFETY: valid as long as the thread.
    let before = unsafe { *errno };
    if let Some(slot) = thread::current().filter(|_| from_timer) {
        let clock = if signal == Clock::Cpu.signal() { Clock::Cpu } else { Clock::Real };
        slot.expired(clock, registers);
    }
    // SAFETY: as above.
    unsafe { *errno = before };
}

#[cfg(test)]
mod tests;
