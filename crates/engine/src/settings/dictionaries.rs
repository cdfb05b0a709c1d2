//! The way from a statement's context to dictionaries, from dictionaries to their sources, and from
//! tables that hand rows on to INSERT.
//!
//! Functions find dictionaries by name, and dictionaries read their sources with queries. Both need
//! the whole engine, which is made after the contexts that stored expressions are bound in. A
//! [`Dictionaries`] is therefore a slot that the engine fills when it is ready.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, ThreadId};
use std::time::Duration;

use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, MemoryAccount, Result, codes, scope};
use entasis_column::{Chunk, Header};
use entasis_function::dictionary::Dictionary;
use entasis_table_api::Table;
use entasis_tables::buffer::InsertRows;

/// What dictionaries and buffers need of the engine.
pub(crate) trait Owner: Send + Sync {
    /// The dictionary of this name.
    fn dictionary(&self, database: &str, name: &str) -> Result<Arc<dyn Dictionary>>;

    /// Runs a query in a database, on this thread.
    fn read(&self, query: &str, database: &str) -> Result<(Header, Vec<Chunk>)>;

    /// Inserts rows into a table as a statement does, on this thread; `None` if the engine is gone.
    fn insert(&self, database: &str, table: &str, rows: Arc<dyn Table>) -> Option<Result<()>>;

    /// The account on which loaded dictionaries are counted.
    fn account(&self) -> Option<Arc<MemoryAccount>>;
}

/// A slot for the engine, with the list of dictionaries that are being loaded.
#[derive(Clone, Default)]
pub(crate) struct Dictionaries(Arc<Slot>);

#[derive(Default)]
struct Slot {
    owner: OnceLock<Arc<dyn Owner>>,
    loads: Mutex<Loads>,
    /// A dictionary has been loaded.
    loaded: Signal,
}

/// Which threads load which dictionaries. A source may read another dictionary, so threads may wait
/// for each other; those that would wait in a circle fail.
#[derive(Default)]
struct Loads {
    /// The thread that loads each of these dictionaries.
    loading: HashMap<usize, ThreadId>,
    /// The dictionary for which each of these threads waits.
    waiting: HashMap<ThreadId, usize>,
}

impl Loads {
    /// Whether the load of a dictionary waits, directly or not, for this thread.
    fn waits_for(&self, mut dictionary: usize, thread: ThreadId) -> bool {
        while let Some(loader) = self.loading.get(&dictionary) {
            if *loader == thread {
                return true;
            }
            match self.waiting.get(loader) {
                Some(next) => dictionary = *next,
                None => return false,
            }
        }
        false
    }
}

/// How often a thread that waits for a dictionary looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// Most dictionaries of which each is asked by the source of the one before.
const MAX_NESTED: usize = 8;

thread_local! {
    /// How many sources this thread reads within each other.
    static NESTED: Cell<usize> = const { Cell::new(0) };
}

#[cold]
fn circle() -> Error {
    let message = "A dictionary reads itself, perhaps by way of others: take it out of its source";
    Error::new(codes::INFINITE_LOOP, message)
}

impl InsertRows for Dictionaries {
    fn insert_rows(&self, database: &str, table: &str, rows: Arc<dyn Table>) -> Option<Result<()>> {
        self.0.owner.get()?.insert(database, table, rows)
    }
}

impl Dictionaries {
    /// Makes the engine known. Only the first call has an effect.
    pub(crate) fn set(&self, owner: Arc<dyn Owner>) {
        self.0.owner.get_or_init(|| owner);
    }

    /// The engine; fails while it is not ready.
    pub(crate) fn owner(&self) -> Result<&Arc<dyn Owner>> {
        let missing = || {
            let message = "Dictionaries cannot be used while tables are being opened";
            Error::new(codes::BAD_ARGUMENTS, message)
        };
        self.0.owner.get().ok_or_else(missing)
    }

    /// The dictionary that a function names, with or without its database.
    pub(crate) fn find(&self, name: &str, current: &str) -> Result<Arc<dyn Dictionary>> {
        let not_found =
            || Error::new(codes::BAD_ARGUMENTS, format!("Dictionary (`{name}`) not found"));
        let owner = self.owner()?;
        let (database, table) = name.split_once('.').unwrap_or((current, name));
        owner.dictionary(database, table).or_else(|_| {
            // The name itself may contain a dot.
            owner.dictionary(current, name).map_err(|_| not_found())
        })
    }

    /// Runs `work`, which loads the dictionary with this address, while no other thread loads it.
    /// Different dictionaries are loaded at the same time.
    pub(crate) fn alone<T>(
        &self,
        dictionary: usize,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let me = thread::current().id();
        let mut loads = lock(&self.0.loads);
        while loads.loading.contains_key(&dictionary) {
            if loads.waits_for(dictionary, me) {
                return Err(circle());
            }
            loads.waiting.insert(me, dictionary);
            loads = self.0.loaded.wait_timeout(loads, LOOK);
            loads.waiting.remove(&me);
            drop(loads);
            scope::check()?;
            loads = lock(&self.0.loads);
        }
        loads.loading.insert(dictionary, me);
        drop(loads);
        // Also when the work panics, the next thread gets its turn.
        let _turn = Turn(&self.0, dictionary);
        work()
    }

    /// Runs `work`, which asks the source of a dictionary. A source may ask other dictionaries, but
    /// not in a circle.
    pub(crate) fn nested<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let depth = NESTED.get();
        if depth == MAX_NESTED {
            return Err(circle());
        }
        NESTED.set(depth + 1);
        let _back = Depth(depth);
        work()
    }
}

/// Sets the depth of the thread back, also after a panic.
struct Depth(usize);

impl Drop for Depth {
    fn drop(&mut self) {
        NESTED.set(self.0);
    }
}

struct Turn<'a>(&'a Slot, usize);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut loads = lock(&self.0.loads);
        loads.loading.remove(&self.1);
        self.0.loaded.notify_all();
    }
}

impl std::fmt::Debug for Dictionaries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dictionaries").finish_non_exhaustive()
    }
}
