//! The calling thread as the operating system knows it.

use std::cell::Cell;

thread_local! {
    static ID: Cell<u32> = const { Cell::new(0) };
}

/// The kernel's number of the calling thread. Cached, so a thread makes one system call at most.
pub fn id() -> u32 {
    let known = ID.get();
    if known != 0 {
        return known;
    }
    let id = nix::unistd::gettid().as_raw() as u32;
    ID.set(id);
    id
}

/// The name of the calling thread; empty if it has none.
pub fn name() -> String {
    std::thread::current().name().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn threads_have_numbers_of_their_own() {
        let own = super::id();
        assert_eq!(own, super::id());
        let named = std::thread::Builder::new().name("x".into());
        let other = named.spawn(|| (super::id(), super::name())).unwrap().join().unwrap();
        assert_ne!(own, other.0);
        assert_eq!(other.1, "x");
    }
}
