//! Which materialised views an INSERT into a table fills. The map is made anew by every change of
//! the catalog, so that an INSERT into a table without views pays one look at an empty map.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Databases, EngineCatalog, Entry};
use crate::definition::view::{Name, ViewDefinition};

/// A materialised view with its name.
#[derive(Clone)]
pub(crate) struct Trigger {
    pub view: Name,
    pub definition: Arc<ViewDefinition>,
}

/// The views of each table that has some, sorted by name.
pub(crate) type Triggers = HashMap<Name, Arc<[Trigger]>>;

/// The materialised views among all tables.
pub(super) fn of(databases: &Databases) -> Triggers {
    let mut found: HashMap<Name, Vec<Trigger>> = HashMap::new();
    for (database, tables) in databases {
        for (name, entry) in tables.iter() {
            let Some(definition) = &entry.view else { continue };
            let source = definition.materialized.as_ref().and_then(|own| own.source.clone());
            if let Some(source) = source {
                let view = (database.to_string(), name.to_string());
                let definition = Arc::clone(definition);
                found.entry(source).or_default().push(Trigger { view, definition });
            }
        }
    }
    let sorted = |mut views: Vec<Trigger>| {
        views.sort_by(|a, b| a.view.cmp(&b.view));
        views.into()
    };
    found.into_iter().map(|(source, views)| (source, sorted(views))).collect()
}

impl EngineCatalog {
    /// The materialised views that an INSERT into a table fills; `None` for most tables.
    pub(crate) fn triggers(&self, table: &Name) -> Option<Arc<[Trigger]>> {
        let triggers = entasis_base::sync::read(&self.triggers);
        if triggers.is_empty() { None } else { triggers.get(table).cloned() }
    }

    /// The inner table of a view, with its name; `None` if there is none.
    pub(crate) fn inner_of(&self, database: &str, view: &Entry) -> Option<(String, Arc<Entry>)> {
        let inner = view.view.as_ref()?.materialized.as_ref()?.inner()?.to_owned();
        let entry = self.entry(database, &inner).ok()?;
        Some((inner, entry))
    }
}
