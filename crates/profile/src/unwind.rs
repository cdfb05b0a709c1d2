//! Walking a stack by its frame pointers, also from within a signal handler.
//!
//! A frame is two words: the caller's frame pointer, then the address to return to. Code that was
//! built without frame pointers leaves anything in that register, so nothing found there is
//! believed: a frame must be aligned, lie above the one before, and lie whole between the stack
//! pointer and the end of this thread's stack. All memory in between is mapped, so a malformed
//! chain ends the walk early and cannot fault.
//!
//! One case more: the C library keeps no frame pointers, and much time passes in its leaves
//! (copies, comparisons, system calls). Such a leaf's return address is the word at the stack
//! pointer; the caller would be skipped else. It is taken if it follows a call in our own code.
//!
//! Absent on purpose: unwinding by `.eh_frame`, which needs tables, time and locks.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Addresses below this are never code.
const LOWEST_CODE: u64 = 0x1000;
const WORD: usize = size_of::<usize>();
/// A frame: the caller's frame pointer and the address to return to.
const FRAME: usize = 2 * WORD;

/// The bounds of one thread's stack: empty until the thread measures them.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    low: AtomicUsize,
    high: AtomicUsize,
}

impl Stack {
    /// Takes the calling thread's bounds; if they cannot be had, walks see one address only. Slow
    /// (for the main thread it reads `/proc`), allocates: once per thread, never in a handler.
    pub(crate) fn measure(&self) {
        let (mut low, mut size) = (std::ptr::null_mut(), 0usize);
        let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: pthread_self() is alive; the attributes are read and destroyed (once) only after
        // the call that writes them said so.
        let known = unsafe {
            libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) == 0 && {
                let status =
                    libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut low, &raw mut size);
                libc::pthread_attr_destroy(attributes.as_mut_ptr());
                status == 0
            }
        };
        if known {
            self.set(low as usize, (low as usize).saturating_add(size));
        }
    }

    /// No bounds any more: the thread ends.
    pub(crate) fn forget(&self) {
        self.set(0, 0);
    }

    fn set(&self, low: usize, high: usize) {
        self.low.store(low, Ordering::Relaxed);
        self.high.store(high, Ordering::Relaxed);
    }
}

/// Where a walk begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    /// The instruction, 0 if the walk begins with the caller.
    pub(crate) code: usize,
    /// The frame pointer.
    pub(crate) frame: usize,
    /// The stack pointer.
    pub(crate) stack: usize,
}

impl Registers {
    /// The registers of the function that this is inlined into; its own address is left out.
    #[inline(always)]
    pub(crate) fn here() -> Self {
        let (frame, stack): (usize, usize);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: copies two registers.
        unsafe {
            std::arch::asm!("mov {}, rbp", "mov {}, rsp", out(reg) frame, out(reg) stack,
                options(nomem, nostack, preserves_flags));
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: copies two registers.
        unsafe {
            std::arch::asm!("mov {}, x29", "mov {}, sp", out(reg) frame, out(reg) stack,
                options(nomem, nostack, preserves_flags));
        }
        Self { code: 0, frame, stack }
    }

    /// The registers of the code that a signal interrupted.
    ///
    /// # Safety
    /// `context` is the third argument of a handler that was installed with `SA_SIGINFO`.
    pub(crate) unsafe fn interrupted(context: *const libc::c_void) -> Self {
        // SAFETY: the kernel hands a valid, aligned context to such handlers.
        let machine = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
        #[cfg(target_arch = "x86_64")]
        let registers = {
            let word = |register: libc::c_int| machine.gregs[register as usize] as usize;
            Self {
                code: word(libc::REG_RIP),
                frame: word(libc::REG_RBP),
                stack: word(libc::REG_RSP),
            }
        };
        #[cfg(target_arch = "aarch64")]
        let registers = Self {
            code: machine.pc as usize,
            frame: machine.regs[29] as usize,
            stack: machine.sp as usize,
        };
        registers
    }
}

/// The addresses of our own code, once known: readable at any time.
static OWN_CODE: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Learns where our own code is. Reads `/proc`: not in a handler.
pub(crate) fn learn_own_code() {
    let here = learn_own_code as *const () as u64;
    if let Some((low, high)) = crate::symbol::code_around(here) {
        OWN_CODE[0].store(low as usize, Ordering::Relaxed);
        OWN_CODE[1].store(high as usize, Ordering::Relaxed);
    }
}

/// Where a leaf of the C library returns to, see the module. `from.stack` may be read.
fn leaf_returns_to(from: Registers) -> Option<u64> {
    let own = OWN_CODE[0].load(Ordering::Relaxed)..OWN_CODE[1].load(Ordering::Relaxed);
    if !cfg!(target_arch = "x86_64") || from.code == 0 || own.contains(&from.code) {
        return None;
    }
    let at = std::ptr::with_exposed_provenance::<usize>(from.stack);
    // SAFETY: the caller says that it may be read, and checked that it is aligned.
    let address = unsafe { at.read_volatile() };
    if own.is_empty() || address < own.start + LONGEST_CALL || address >= own.end {
        return None;
    }
    let code = std::ptr::with_exposed_provenance::<[u8; LONGEST_CALL]>(address - LONGEST_CALL);
    // SAFETY: bytes have no alignment, and these lie within our own code.
    is_call(unsafe { code.read() }).then_some(address as u64)
}

/// Bytes of the longest call that matters, without prefixes.
const LONGEST_CALL: usize = 7;

/// Whether the last of these bytes end a call of x86-64: `e8` with four bytes, or `ff` whose next
/// byte says "/2", with up to five bytes of address.
fn is_call(bytes: [u8; LONGEST_CALL]) -> bool {
    let from_end = |distance: usize| bytes[LONGEST_CALL - distance];
    let indirect = |length: &usize| from_end(*length) == 0xFF && from_end(length - 1) >> 3 & 7 == 2;
    from_end(5) == 0xE8 || [2, 3, 4, 6, 7].iter().any(indirect)
}

/// Calls `each` with the address of every frame, innermost first, until it says `false`.
///
/// Of callers that is the address of the call's last byte, not the one to return to: a look-up of
/// it finds the line and the inlined frames of the call, not of what comes after.
#[inline]
pub(crate) fn walk(from: Registers, stack: &Stack, mut each: impl FnMut(u64) -> bool) {
    if from.code as u64 >= LOWEST_CODE && !each(from.code as u64) {
        return;
    }
    let high = stack.high.load(Ordering::Relaxed);
    // A stack pointer within the bounds says that they are those of the thread that runs this.
    if from.stack < stack.low.load(Ordering::Relaxed) || from.stack >= high {
        return;
    }
    if from.stack.is_multiple_of(WORD)
        && high - from.stack >= WORD
        && let Some(caller) = leaf_returns_to(from)
        && !each(caller - 1)
    {
        return;
    }
    let (mut lowest, mut frame) = (from.stack, from.frame);
    while frame >= lowest && frame <= high.saturating_sub(FRAME) && frame.is_multiple_of(WORD) {
        let at = std::ptr::with_exposed_provenance::<[usize; 2]>(frame);
        // SAFETY: aligned, and whole between the stack pointer and the end of this thread's stack,
        // which is mapped, and which nobody else writes.
        let [caller, code] = unsafe { at.read_volatile() };
        let code = plain(code);
        if code <= LOWEST_CODE || !each(code - 1) {
            return;
        }
        lowest = frame + FRAME;
        frame = caller;
    }
}

/// As [`walk`], for a thread whose stack's bounds nobody has measured: frames are read by a system
/// call that answers an error where no memory is. Async-signal-safe, and slower.
pub(crate) fn walk_unmeasured(from: Registers, mut each: impl FnMut(u64) -> bool) {
    if from.code as u64 >= LOWEST_CODE && !each(from.code as u64) {
        return;
    }
    if from.stack != 0
        && from.stack.is_multiple_of(WORD)
        && let Some(caller) = leaf_returns_to(from)
        && !each(caller - 1)
    {
        return;
    }
    let (mut lowest, mut frame) = (from.stack, from.frame);
    while frame >= lowest && frame.is_multiple_of(WORD) {
        let Some([caller, code]) = read_frame(frame) else { return };
        let code = plain(code);
        if code <= LOWEST_CODE || !each(code - 1) {
            return;
        }
        lowest = frame + FRAME;
        frame = caller;
    }
}

/// Two words at an address, if they can be read.
fn read_frame(address: usize) -> Option<[usize; 2]> {
    let mut words = [0usize; 2];
    let into = libc::iovec { iov_base: (&raw mut words).cast(), iov_len: FRAME };
    let base = std::ptr::with_exposed_provenance_mut(address);
    let from = libc::iovec { iov_base: base, iov_len: FRAME };
    // SAFETY: `into` is memory of ours that is long enough; what is at `from` is read by the
    // kernel, which answers an error for what is not mapped.
    let read = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const into, 1, &raw const from, 1, 0)
    };
    (read == FRAME as isize).then_some(words)
}

/// An address without the signature that pointer authentication keeps in its upper bits.
fn plain(address: usize) -> u64 {
    let address = address as u64;
    if cfg!(target_arch = "aarch64") { address & ((1 << 48) - 1) } else { address }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: usize = 0x40_0000;

    /// Walks a stack that is a list of words; the frame pointer is `frame` bytes above its start.
    fn walked(words: &[usize], frame: usize) -> Vec<u64> {
        let low = words.as_ptr().expose_provenance();
        let stack = Stack::default();
        stack.set(low, low + size_of_val(words));
        let mut found = Vec::new();
        let from = Registers { code: CODE, frame: low.wrapping_add(frame), stack: low };
        walk(from, &stack, |address| {
            found.push(address);
            found.len() < 100
        });
        found
    }

    /// Words whose frame pointers are written as offsets in bytes.
    fn relative(mut words: Vec<usize>, links: &[usize]) -> Vec<usize> {
        let low = words.as_ptr() as usize;
        for &link in links {
            words[link] = words[link].wrapping_add(low);
        }
        words
    }

    #[test]
    fn a_proper_chain_is_followed_to_its_end() {
        let words = relative(vec![7, 32, CODE + 11, 9, 48, CODE + 21, 0, CODE + 31], &[1, 4]);
        let code = CODE as u64;
        assert_eq!(walked(&words, 8), [code, code + 10, code + 20, code + 30]);
    }

    #[test]
    fn malformed_chains_end() {
        let only = [CODE as u64];
        let words = relative(vec![16, CODE + 11, 16, CODE + 21, 0, CODE + 31], &[0, 2]);
        assert_eq!(walked(&words, 3), only, "misaligned");
        assert_eq!(walked(&words, usize::MAX / 2), only, "far outside");
        assert_eq!(walked(&words, 0usize.wrapping_sub(64)), only, "below the stack pointer");
        assert_eq!(walked(&words, 5 * 8), only, "a frame that is not whole");
        assert_eq!(walked(&words, 6 * 8), only, "at the stack's end");
        assert_eq!(walked(&words, 0).len(), 3, "a frame that is its own caller");
        let cycle = relative(vec![16, CODE + 11, 0, CODE + 21], &[0, 2]);
        assert_eq!(walked(&cycle, 0).len(), 3, "a cycle of two");
        assert_eq!(walked(&[0, 5, 0, 0], 0), only, "an address that is no code");
    }

    #[test]
    fn calls_are_told_from_other_code() {
        for bytes in [
            [0, 0, 0xE8, 1, 2, 3, 4],
            [0, 0, 0, 0, 0, 0xFF, 0xD0],
            [0, 0xFF, 0x15, 1, 2, 3, 4],
            [0xFF, 0x94, 0x24, 1, 2, 3, 4],
            [0, 0, 0, 0, 0xFF, 0x50, 8],
        ] {
            assert!(is_call(bytes), "{bytes:x?}");
        }
        assert!(!is_call([0x90; LONGEST_CALL]) && !is_call([0, 0, 0, 0, 0, 0xFF, 0xC0]));
    }

    #[test]
    fn garbage_never_faults() {
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 20) as usize
        };
        for _ in 0..10_000 {
            let mut words: Vec<usize> = (0..64).map(|_| random() % 700).collect();
            let low = words.as_ptr() as usize;
            for word in &mut words {
                *word = if *word % 3 == 0 { low + *word } else { random() };
            }
            assert!(walked(&words, random() % 600).len() <= 33);
        }
    }

    #[test]
    fn this_threads_stack_is_known_and_holds_its_locals() {
        let check = || {
            let (stack, local) = (Stack::default(), 0u8);
            stack.measure();
            let address = &raw const local as usize;
            let (low, high) = (stack.low.into_inner(), stack.high.into_inner());
            assert!(low < address && address < high, "{low:x} {address:x} {high:x}");
        };
        check();
        std::thread::spawn(check).join().unwrap();
    }
}
