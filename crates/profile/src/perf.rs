//! System calls for `counters` and `usage`: perf_event_open(2) and getrusage(2).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use crate::usage::Usage;

/// `PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP`.
const READ_FORMAT: u64 = 1 | 2 | 8;
/// `disabled`, `exclude_kernel` and `exclude_hv` among the attribute's flags.
const DISABLED: u64 = 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
/// Requests that start and stop the counters of a group: `_IO('$', 0)` and `_IO('$', 1)`.
const ENABLE: libc::Ioctl = 0x2400;
const DISABLE: libc::Ioctl = 0x2401;
/// For all counters of the group, not only for the first.
const WHOLE_GROUP: libc::c_int = 1;

/// Counters of a group at most.
const MOST: usize = 8;

/// `perf_event_attr`, first version (64 bytes), which all kernels take.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    breakpoint_address: u64,
}

/// One counter of the calling thread, on any processor. Stopped, if it is the first of its group.
#[derive(Debug)]
pub(crate) struct Event(OwnedFd);

impl Event {
    /// Opens a counter, in the group of `leader` if one is given. Counts the kernel's work too
    /// where that is allowed.
    pub(crate) fn open(kind: u32, config: u64, leader: Option<&Self>) -> io::Result<Self> {
        let group = leader.map_or(-1, |leader| leader.0.as_raw_fd());
        let flags = if leader.is_some() { 0 } else { DISABLED };
        open(kind, config, flags, group)
            .or_else(|_| open(kind, config, flags | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR, group))
            .map(Self)
    }

    /// Starts or stops the whole group of which this is the first.
    pub(crate) fn enable(&self, on: bool) -> io::Result<()> {
        let request = if on { ENABLE } else { DISABLE };
        // SAFETY: the descriptor is open, and the request takes a number.
        let status = unsafe { libc::ioctl(self.0.as_raw_fd(), request, WHOLE_GROUP) };
        if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Reads the whole group: time enabled, time running, then the counts in the order of opening.
    pub(crate) fn read(&self, counts: &mut Vec<u64>) -> io::Result<(u64, u64)> {
        let mut words = [0u64; 3 + MOST];
        // SAFETY: `words` is valid for writing as many bytes, and any bytes are numbers.
        let read = unsafe {
            libc::read(self.0.as_raw_fd(), words.as_mut_ptr().cast(), size_of_val(&words))
        };
        if read < 0 {
            return Err(io::Error::last_os_error());
        }
        let [count, enabled, running, values @ ..] = words;
        counts.clear();
        counts.extend(values.iter().take(count as usize));
        Ok((enabled, running))
    }
}

fn open(kind: u32, config: u64, flags: u64, group: RawFd) -> io::Result<OwnedFd> {
    let attributes = Attributes {
        kind,
        size: size_of::<Attributes>() as u32,
        config,
        read_format: READ_FORMAT,
        flags,
        ..Attributes::default()
    };
    let (this_thread, any_processor) = (0 as libc::pid_t, -1 as libc::c_int);
    // `PERF_FLAG_FD_CLOEXEC`.
    let close_on_exec: libc::c_ulong = 8;
    // SAFETY: `attributes` has the layout and the size that it states; the rest are numbers.
    let descriptor = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            this_thread,
            any_processor,
            group,
            close_on_exec,
        )
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just opened it for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) })
}

/// getrusage(2) of the calling thread.
pub(crate) fn thread_usage() -> Usage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: zeros are a valid `rusage`, valid for writing; read after the call.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    Usage {
        user: time(usage.ru_utime),
        system: time(usage.ru_stime),
        soft_page_faults: usage.ru_minflt as u64,
        hard_page_faults: usage.ru_majflt as u64,
        voluntary_context_switches: usage.ru_nvcsw as u64,
        involuntary_context_switches: usage.ru_nivcsw as u64,
    }
}
