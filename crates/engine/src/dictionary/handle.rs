//! A dictionary of the catalog: loads its rows at first use, and again when they are too old.
//!
//! A statement holds the contents that it has found, and a load puts new ones in their place. A
//! load that fails leaves the old contents and is tried again later; without old contents, the
//! statement fails.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use entasis_base::sync::{read, write};
use entasis_base::{Error, Reservation, Result, codes};
use entasis_column::{Chunk, Column};
use entasis_dictionary::tree::Tree;
use entasis_dictionary::{Cached, Loaded};
use entasis_function::cast;
use entasis_function::dictionary::{
    AllValues, Attribute, Contents, Dictionary, Found, KeyKind, Rows, Structure,
};
use entasis_table_api::Kept;
use entasis_types::{DataType, Value};

use super::definition::DictionaryDefinition;
use super::source::KeySource;
use crate::settings::dictionaries::Dictionaries;
use crate::settings::function_context::StatementContext;

/// Time from a load that failed to the next one, while old contents are there.
const RETRY: Duration = Duration::from_secs(5);

/// A dictionary.
pub(crate) struct DictionaryHandle {
    pub definition: Arc<DictionaryDefinition>,
    /// Database and name when it was created or opened.
    name: (String, String),
    links: Dictionaries,
    state: RwLock<State>,
    counts: Arc<Counts>,
}

/// What is loaded, and how loading went.
#[derive(Default)]
pub(crate) struct State {
    contents: Option<Arc<Counted>>,
    reload_at: Option<Instant>,
    /// What INVALIDATE_QUERY answered before the contents were read.
    answer: Option<Vec<Value>>,
    /// The error of the last load, if it failed.
    pub error: Option<Error>,
    pub error_count: u64,
    /// Since 1970.
    pub started: Duration,
    pub updated: Duration,
    pub took: Duration,
}

#[derive(Default)]
struct Counts {
    queries: AtomicU64,
    found: AtomicU64,
}

/// Figures of a dictionary for `system.dictionaries`.
#[derive(Default)]
pub(crate) struct Figures {
    pub is_loaded: bool,
    pub bytes: u64,
    pub elements: u64,
    pub load_factor: f64,
    pub queries: u64,
    pub found_rate: f64,
}

/// The contents, counting what is looked up.
struct Counted {
    contents: Kind,
    counts: Arc<Counts>,
    /// What queries keep with these contents.
    kept: Arc<Kept>,
    /// Counts the memory until the contents are dropped.
    _memory: Option<Reservation>,
}

/// Contents whose rows are all in memory, by a unique key.
pub(crate) struct Keyed {
    pub contents: Arc<dyn Contents>,
    pub rows: u64,
    pub kept: Arc<Kept>,
}

enum Kind {
    Loaded(Loaded),
    Cached(Cached),
    Tree(Tree),
}

impl DictionaryHandle {
    pub(crate) fn new(
        definition: DictionaryDefinition,
        name: (String, String),
        links: &Dictionaries,
    ) -> Arc<Self> {
        Arc::new(Self {
            definition: Arc::new(definition),
            name,
            links: links.clone(),
            state: RwLock::default(),
            counts: Arc::default(),
        })
    }

    /// Loads the rows anew, whatever is there.
    pub(crate) fn reload(&self) -> Result<()> {
        self.links.alone(self.address(), || self.load()).map(drop)
    }

    /// What tells the dictionary from all others.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The contents if they need not be loaded.
    fn fresh(&self) -> Option<Arc<Counted>> {
        let state = read(&self.state);
        let is_old = state.reload_at.is_some_and(|at| Instant::now() >= at);
        state.contents.clone().filter(|_| !is_old)
    }

    fn current(&self) -> Result<Arc<Counted>> {
        if let Some(contents) = self.fresh() {
            return Ok(contents);
        }
        self.links.alone(self.address(), || match self.fresh() {
            Some(contents) => Ok(contents),
            None if let Some(contents) = self.unchanged() => Ok(contents),
            // What was loaded before is better than nothing.
            None => self.load().or_else(|error| read(&self.state).contents.clone().ok_or(error)),
        })
    }

    /// The contents if INVALIDATE_QUERY answers the same as before they were read. They then stay
    /// for another lifetime.
    fn unchanged(&self) -> Option<Arc<Counted>> {
        let before = read(&self.state).answer.clone()?;
        if self.answer().ok()? != Some(before) {
            return None;
        }
        let mut state = write(&self.state);
        if state.error.is_some() {
            return None;
        }
        state.reload_at = self.next_load();
        state.contents.clone()
    }

    /// The first row that INVALIDATE_QUERY answers; `None` if there is no such query.
    fn answer(&self) -> Result<Option<Vec<Value>>> {
        let Some(query) = &self.definition.invalidate else { return Ok(None) };
        let database = self.definition.source.database(&self.name.0);
        let owner = self.links.owner()?;
        let (_, chunks) = self.links.nested(|| owner.read(query, database))?;
        let first = chunks.iter().find(|chunk| chunk.rows > 0);
        let row = |chunk: &Chunk| chunk.columns.iter().map(|column| column.value(0)).collect();
        Ok(Some(first.map(row).unwrap_or_default()))
    }

    /// When contents that are read now are too old.
    fn next_load(&self) -> Option<Instant> {
        let (_, most) = self.definition.lifetime;
        let lasts = most > 0 && !self.definition.layout.asks;
        Instant::now().checked_add(Duration::from_secs(most)).filter(|_| lasts)
    }

    fn load(&self) -> Result<Arc<Counted>> {
        let answer = self.answer();
        let server = crate::settings::function_context::ServerContext {
            time_zone: entasis_types::TimeZone::utc(),
            clock: Arc::new(entasis_base::clock::SystemClock),
            dictionaries: self.links.clone(),
            tables: crate::settings::function_context::TableFinder::default(),
            rollups: crate::settings::rollups::AllRollups::default(),
            web: Arc::new(entasis_tables::web::NoWeb),
        };
        let context = StatementContext::of_engine(&server);
        let (began, started) = (Instant::now(), context.now);
        let built = self.build(context);
        let mut state = write(&self.state);
        state.started = started;
        state.took = began.elapsed();
        match built {
            Ok(contents) => {
                let contents = Arc::new(contents);
                state.contents = Some(Arc::clone(&contents));
                state.error = None;
                state.updated = started + state.took;
                state.answer = answer.unwrap_or_default();
                state.reload_at = self.next_load();
                Ok(contents)
            }
            Err(error) => {
                state.error_count += 1;
                state.error = Some(error.duplicate());
                state.reload_at = Instant::now().checked_add(RETRY);
                Err(error)
            }
        }
    }

    fn build(&self, context: StatementContext) -> Result<Counted> {
        let definition = &self.definition;
        if definition.layout.has_range && definition.structure.range.is_none() {
            let message = "A dictionary with ranges of keys needs RANGE(MIN a MAX b)";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let source = KeySource {
            definition: Arc::clone(definition),
            links: self.links.clone(),
            context,
            own_database: self.name.0.clone(),
        };
        let (contents, bytes) = if definition.layout.asks {
            // A source that cannot be read is an error of the first use, as for other layouts.
            definition.query(&self.name.0)?;
            let bounds = self.bounds()?;
            let (structure, layout) = (definition.structure.clone(), definition.layout);
            let (defaults, source) = (definition.defaults.clone(), Box::new(source));
            (Kind::Cached(Cached::new(structure, layout, defaults, source, bounds)), 0)
        } else if definition.layout.is_tree {
            let tree = self.tree(&source)?;
            let bytes = tree.byte_size();
            (Kind::Tree(tree), bytes)
        } else {
            let rows = entasis_dictionary::Source::read_all(&source)?;
            let (structure, layout) = (&definition.structure, &definition.layout);
            let options = definition.options;
            let loaded = Loaded::build(structure, layout, options, &definition.defaults, &rows)?;
            let bytes = loaded.byte_size();
            (Kind::Loaded(loaded), bytes)
        };
        let memory = match self.links.owner()?.account() {
            Some(account) => {
                let mut memory = Reservation::new(&account);
                memory.set(bytes)?;
                Some(memory)
            }
            None => None,
        };
        let (counts, kept) = (Arc::clone(&self.counts), Arc::default());
        Ok(Counted { contents, counts, kept, _memory: memory })
    }

    /// The contents, their number of rows, and what queries keep with them; `None` unless all rows
    /// are in memory and each has a key of its own.
    pub(crate) fn keyed(&self) -> Result<Option<Keyed>> {
        let counted = self.current()?;
        let Kind::Loaded(loaded) = &counted.contents else { return Ok(None) };
        if self.definition.structure.range.is_some() {
            return Ok(None);
        }
        let (rows, kept) = (loaded.elements() as u64, Arc::clone(&counted.kept));
        Ok(Some(Keyed { contents: counted, rows, kept }))
    }

    /// Reads a dictionary of regular expressions.
    fn tree(&self, source: &KeySource) -> Result<Tree> {
        let structure = &self.definition.structure;
        if !matches!(&structure.keys[..], [key] if key.ty == DataType::String) {
            let message = "dictionary regexp_tree should have one primary key with string value to \
                           represent regular expressions";
            return Err(Error::new(codes::INCORRECT_DICTIONARY_DEFINITION, message));
        }
        let rows = entasis_dictionary::Source::read_all(source)?;
        let session = cast::Session::of(&source.context);
        let cast = |attribute: &Attribute| match &attribute.ty {
            DataType::String => Ok(None),
            ty => cast::bind_mode(&DataType::String, ty, session, cast::Mode::Accurate).map(Some),
        };
        let casts = structure.attributes.iter().map(cast).collect::<Result<_>>()?;
        let options = self.definition.match_options();
        Tree::build(structure, casts, &self.definition.defaults, rows, options)
    }

    /// Most keys of a cache, and how long they are kept; `None` for direct dictionaries.
    fn bounds(&self) -> Result<Option<(usize, Duration)>> {
        if !self.definition.layout.caches {
            return Ok(None);
        }
        let cells = self.definition.cells.filter(|cells| *cells > 0).ok_or_else(|| {
            let message = "Not found: dictionary.layout.cache.size_in_cells: write \
                           LAYOUT(CACHE(SIZE_IN_CELLS n))";
            Error::new(codes::POCO_EXCEPTION, message)
        })?;
        let (_, most) = self.definition.lifetime;
        // Without a lifetime, answers are kept as long as there is room.
        let lifetime = if most == 0 { u64::from(u32::MAX) } else { most };
        Ok(Some((cells, Duration::from_secs(lifetime))))
    }

    /// Calls `f` with the state of loading.
    pub(crate) fn state<T>(&self, f: impl FnOnce(&State) -> T) -> T {
        f(&read(&self.state))
    }

    /// What is loaded and what was looked up.
    pub(crate) fn figures(&self) -> Figures {
        let contents = read(&self.state).contents.clone();
        let queries = self.counts.queries.load(Ordering::Relaxed);
        let found = self.counts.found.load(Ordering::Relaxed);
        let found_rate = if queries == 0 { 0.0 } else { found as f64 / queries as f64 };
        let figures = Figures { queries, found_rate, ..Figures::default() };
        match contents.as_deref().map(|counted| &counted.contents) {
            None => figures,
            Some(Kind::Loaded(loaded)) => Figures {
                is_loaded: true,
                bytes: loaded.byte_size() as u64,
                elements: loaded.elements() as u64,
                load_factor: loaded.load_factor(),
                ..figures
            },
            Some(Kind::Tree(tree)) => Figures {
                is_loaded: true,
                bytes: tree.byte_size() as u64,
                elements: tree.elements() as u64,
                ..figures
            },
            Some(Kind::Cached(cached)) => {
                let elements = cached.elements() as u64;
                let cells = self.definition.cells.unwrap_or(0).max(1) as f64;
                Figures {
                    is_loaded: true,
                    bytes: cached.byte_size() as u64,
                    elements,
                    load_factor: elements as f64 / cells,
                    ..figures
                }
            }
        }
    }

    /// Databases and names of the tables that the source reads.
    pub(crate) fn source_tables(&self) -> Vec<(String, String)> {
        self.definition.source.tables(&self.name.0)
    }

    /// The source as `system.dictionaries` shows it.
    pub(crate) fn shown_source(&self) -> String {
        self.definition.source.shown(&self.name.0)
    }
}

impl Dictionary for DictionaryHandle {
    fn name(&self) -> String {
        format!("{}.{}", self.name.0, self.name.1)
    }

    fn structure(&self) -> &Structure {
        &self.definition.structure
    }

    fn has_unique_keys(&self) -> bool {
        let DictionaryDefinition { layout, structure, .. } = &*self.definition;
        let is_exact = matches!(layout.key, KeyKind::Simple | KeyKind::Complex);
        is_exact && !layout.is_tree && structure.range.is_none()
    }

    fn contents(&self) -> Result<Arc<dyn Contents>> {
        Ok(self.current()?)
    }
}

impl Contents for Counted {
    fn find(&self, keys: &[Column], range: Option<&Column>, rows: usize) -> Result<Found> {
        let found = match &self.contents {
            Kind::Loaded(loaded) => loaded.find(keys, range, rows)?,
            Kind::Cached(cached) => cached.find(keys, range, rows)?,
            Kind::Tree(tree) => tree.find(keys, range, rows)?,
        };
        let there = found.rows.iter().filter(|row| **row != 0).count();
        self.counts.queries.fetch_add(rows as u64, Ordering::Relaxed);
        self.counts.found.fetch_add(there as u64, Ordering::Relaxed);
        Ok(found)
    }

    fn all_values(
        &self,
        keys: &[Column],
        rows: usize,
        attribute: usize,
        most: usize,
    ) -> Result<AllValues> {
        match &self.contents {
            Kind::Tree(tree) => tree.all_values(keys, rows, attribute, most),
            Kind::Loaded(loaded) => loaded.all_values(keys, rows, attribute, most),
            Kind::Cached(cached) => cached.all_values(keys, rows, attribute, most),
        }
    }

    fn all(&self) -> Result<Rows> {
        match &self.contents {
            Kind::Loaded(loaded) => loaded.all(),
            Kind::Cached(cached) => cached.all(),
            Kind::Tree(tree) => tree.all(),
        }
    }
}
