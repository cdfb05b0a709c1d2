//! What queries have made of one version of a table, kept for the queries after them: the hash
//! table of a join, the set of an IN. Only tables that are meant for such lookups keep anything
//! (Join, Set, EmbeddedRocksDB, KeeperMap, dictionaries). It ends with the version.
//!
//! All tables together keep at most as many bytes as their [`Shelf`] allows. Beyond that, what has
//! not been used for the longest time is dropped; queries that use it at the moment still hold it.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, Weak};

use entasis_base::sync::lock;

/// Most things that are kept of a version: queries may read other columns, or by other keys.
const MOST: usize = 8;
/// Most bytes that all tables keep, unless the server says otherwise.
const MOST_BYTES: u64 = 1 << 30;

/// The shelf of all tables of this process.
static SHELF: LazyLock<Arc<Shelf>> = LazyLock::new(|| Arc::new(Shelf::new(MOST_BYTES)));

/// Sets the most bytes that all tables of this process keep.
pub fn limit_kept(bytes: u64) {
    SHELF.most.store(bytes, Relaxed);
    SHELF.trim();
}

/// How many things all tables of this process keep, and how many bytes they have.
pub fn kept_now() -> (u64, u64) {
    (SHELF.count.load(Relaxed), SHELF.bytes.load(Relaxed))
}

/// What several tables keep, and its limit.
#[derive(Debug, Default)]
struct Shelf {
    most: AtomicU64,
    bytes: AtomicU64,
    count: AtomicU64,
    /// Counts uses, to tell which came first.
    clock: AtomicU64,
    /// The tables that keep something, and perhaps others.
    tables: Mutex<Vec<Weak<Items>>>,
}

type Items = Mutex<Vec<Item>>;

/// Something that is kept. It counts on its shelf until it is dropped.
#[derive(Debug)]
struct Item {
    name: String,
    value: Arc<dyn Any + Send + Sync>,
    bytes: u64,
    used: u64,
    shelf: Arc<Shelf>,
}

impl Drop for Item {
    fn drop(&mut self) {
        self.shelf.bytes.fetch_sub(self.bytes, Relaxed);
        self.shelf.count.fetch_sub(1, Relaxed);
    }
}

impl Shelf {
    fn new(most: u64) -> Self {
        Self { most: AtomicU64::new(most), ..Self::default() }
    }

    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Relaxed)
    }

    /// Drops what was used least recently until the rest is within the limit.
    fn trim(&self) {
        while self.bytes.load(Relaxed) > self.most.load(Relaxed) {
            let tables: Vec<Arc<Items>> = {
                let mut tables = lock(&self.tables);
                tables.retain(|table| table.strong_count() > 0);
                tables.iter().filter_map(Weak::upgrade).collect()
            };
            let oldest = |items: &Arc<Items>| lock(items).iter().map(|item| item.used).min();
            let in_use = tables.iter().filter_map(|items| Some((oldest(items)?, items)));
            let Some((used, items)) = in_use.min_by_key(|(used, _)| *used) else { return };
            let mut items = lock(items);
            let at = items.iter().position(|item| item.used == used);
            let dropped = at.map(|at| items.remove(at));
            drop(items);
            // Freeing a large table takes time, so no lock is held.
            drop(dropped);
        }
    }
}

/// What is kept with one version of a table.
#[derive(Debug)]
pub struct Kept {
    items: Arc<Items>,
    shelf: Arc<Shelf>,
}

impl Default for Kept {
    fn default() -> Self {
        Self::on(&SHELF)
    }
}

impl Kept {
    fn on(shelf: &Arc<Shelf>) -> Self {
        Self { items: Arc::default(), shelf: Arc::clone(shelf) }
    }

    /// What is kept under a name, which says everything that it was made from.
    pub fn get<T: Any + Send + Sync>(&self, name: &str) -> Option<Arc<T>> {
        let mut items = lock(&self.items);
        let item = items.iter_mut().find(|item| item.name == name)?;
        item.used = self.shelf.now();
        Arc::clone(&item.value).downcast().ok()
    }

    /// Keeps something of so many bytes under a name. What has not been used for the longest time
    /// is dropped if there is too much.
    pub fn put<T: Any + Send + Sync>(&self, name: String, value: Arc<T>, bytes: usize) {
        let (bytes, shelf) = (bytes as u64, Arc::clone(&self.shelf));
        if bytes > shelf.most.load(Relaxed) {
            return;
        }
        shelf.bytes.fetch_add(bytes, Relaxed);
        shelf.count.fetch_add(1, Relaxed);
        let used = shelf.now();
        let item = Item { name, value, bytes, used, shelf };
        let mut items = lock(&self.items);
        let mut dropped: Vec<Item> =
            items.extract_if(.., |known| known.name == item.name).collect();
        if items.len() >= MOST
            && let Some(at) = (0..items.len()).min_by_key(|at| items[*at].used)
        {
            dropped.push(items.remove(at));
        }
        items.push(item);
        drop(items);
        drop(dropped);
        let table = Arc::downgrade(&self.items);
        let mut tables = lock(&self.shelf.tables);
        if !tables.iter().any(|known| known.ptr_eq(&table)) {
            tables.push(table);
        }
        drop(tables);
        self.shelf.trim();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_used_last() {
        let kept = Kept::on(&Arc::new(Shelf::new(100)));
        assert!(kept.get::<u8>("0").is_none());
        for number in 0..MOST {
            kept.put(number.to_string(), Arc::new(number), 1);
        }
        assert_eq!(kept.get::<usize>("0").as_deref(), Some(&0));
        kept.put("8".to_string(), Arc::new(8_usize), 1);
        kept.put("8".to_string(), Arc::new(80_usize), 1);
        assert!(kept.get::<usize>("1").is_none());
        assert_eq!(kept.get::<usize>("0").as_deref(), Some(&0));
        assert_eq!(kept.get::<usize>("8").as_deref(), Some(&80));
        assert!(kept.get::<u8>("8").is_none());
        assert_eq!(kept.shelf.count.load(Relaxed), MOST as u64);
    }

    #[test]
    fn tables_share_a_limit() {
        let shelf = Arc::new(Shelf::new(10));
        let (a, b) = (Kept::on(&shelf), Kept::on(&shelf));
        a.put("x".to_string(), Arc::new(1_u8), 4);
        b.put("x".to_string(), Arc::new(2_u8), 4);
        assert_eq!(a.get::<u8>("x").as_deref(), Some(&1));
        // What was used least recently goes, whichever table it belongs to.
        a.put("y".to_string(), Arc::new(3_u8), 5);
        assert!(b.get::<u8>("x").is_none());
        assert_eq!(a.get::<u8>("x").as_deref(), Some(&1));
        assert_eq!(shelf.bytes.load(Relaxed), 9);
        // Nothing makes room for what never fits.
        b.put("z".to_string(), Arc::new(4_u8), 11);
        assert!(b.get::<u8>("z").is_none());
        assert_eq!(shelf.bytes.load(Relaxed), 9);
        // A table takes along what it keeps.
        drop(a);
        assert_eq!((shelf.count.load(Relaxed), shelf.bytes.load(Relaxed)), (0, 0));
        b.put("w".to_string(), Arc::new(5_u8), 10);
        assert_eq!(b.get::<u8>("w").as_deref(), Some(&5));
    }
}
