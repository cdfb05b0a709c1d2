//! What queries have made of one version of a table, kept for the queries after them: the hash
//! table of a join, the set of an IN. Only tables that are meant for such lookups keep anything
//! (Join, Set, EmbeddedRocksDB, KeeperMap, dictionaries). It ends with the version.

use std::any::Any;
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;

/// Most things that are kept of a version: queries may read other columns, or by other keys.
const MOST: usize = 8;

/// What is kept with one version of a table.
#[derive(Debug, Default)]
pub struct Kept(Mutex<Vec<(String, Arc<dyn Any + Send + Sync>)>>);

impl Kept {
    /// What is kept under a name, which says everything that it was made from.
    pub fn get<T: Any + Send + Sync>(&self, name: &str) -> Option<Arc<T>> {
        let kept = lock(&self.0);
        let (_, value) = kept.iter().find(|(known, _)| known == name)?;
        Arc::clone(value).downcast().ok()
    }

    /// Keeps something under a name. If there is too much, the oldest is dropped.
    pub fn put<T: Any + Send + Sync>(&self, name: String, value: Arc<T>) {
        let mut kept = lock(&self.0);
        kept.retain(|(known, _)| *known != name);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest() {
        let kept = Kept::default();
        assert!(kept.get::<u8>("0").is_none());
        for number in 0..=MOST {
            kept.put(number.to_string(), Arc::new(number));
        }
        kept.put("8".to_string(), Arc::new(80_usize));
        assert!(kept.get::<usize>("0").is_none());
        assert_eq!(kept.get::<usize>("1").as_deref(), Some(&1));
        assert_eq!(kept.get::<usize>("8").as_deref(), Some(&80));
        assert!(kept.get::<u8>("8").is_none());
    }
}
