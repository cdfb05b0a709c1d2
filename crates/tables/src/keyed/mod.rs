//! Tables whose rows are found by a key: the engines Set, Join, EmbeddedRocksDB and KeeperMap.
//!
//! All rows are in memory, in blocks that never change, with an index from the bytes of a key to
//! the place of its row. A table that is durable keeps the same rows in the files of a Log table
//! (`crate::log`): an INSERT is appended to them and synced before it changes the memory. When the
//! table is opened, its rows are read and indexed again.
//!
//! The engines differ in what happens to rows whose key is there already ([`Duplicates`]). A row
//! that is replaced stays in its block, marked as dead, until there are more dead rows than others;
//! then all rows are written anew.
//!
//! Invariants: the memory has what the files have, unless a change failed ([`Writing::unsure`]).
//! Readers keep the blocks that they began with. A table that keeps all rows of a key has no index:
//! nothing looks one of them up.

mod index;
mod mutation;
mod scan;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes, message, scope};
use entasis_column::{Chunk, Column};
use entasis_disk::Directory;
use entasis_pipeline::QueryContext;
use entasis_table_api::{
    InsertSink, JoinShape, Kept, MergeRequest, Mutation, MutationSpec, Role, Schema, Snapshot,
    Table,
};

use crate::log::Log;
use crate::{collect, unsupported};

use index::Index;

/// What happens to a row whose key is in the table already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// It is kept as well.
    All,
    /// It is left out.
    First,
    /// It replaces the older row.
    Last,
}

/// What a table of this kind is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A key-value table.
    KeyValue,
    /// A set for IN, whose key is the whole row.
    Set,
    /// The right side of joins.
    Join(JoinShape),
}

/// How a table is made.
#[derive(Clone, Debug)]
pub struct KeyedOptions {
    /// The engine's name.
    pub engine: &'static str,
    /// What the table is for.
    pub purpose: Purpose,
    /// Positions of the key columns in the schema.
    pub keys: Vec<usize>,
    /// What happens to rows with a known key.
    pub duplicates: Duplicates,
    /// Most rows and bytes beyond which an INSERT fails; 0 means that there is no limit.
    pub most: (u64, u64),
}

/// A table with an index.
#[derive(Debug)]
pub struct Keyed(Arc<Shared>);

/// The state that a table shares with its readers and INSERTs.
#[derive(Debug)]
struct Shared {
    options: KeyedOptions,
    schema: Arc<Schema>,
    /// The files; `None` if the rows are only in memory.
    log: Option<Arc<Log>>,
    /// Held while rows are changed.
    writing: Mutex<Writing>,
    rows: RwLock<Rows>,
}

#[derive(Debug, Default)]
struct Writing {
    /// Whether a change of the files failed, so that they may hold other rows than the memory.
    unsure: bool,
}

/// The rows and their index.
#[derive(Debug, Default)]
struct Rows {
    blocks: Arc<Vec<Block>>,
    index: Index,
    /// Counts the changes.
    version: u64,
    /// What queries keep with this version.
    kept: Arc<Kept>,
    /// Number of rows that are not dead, and of those that are.
    live: u64,
    dead: u64,
}

/// Some rows.
#[derive(Clone, Debug)]
struct Block {
    chunk: Chunk,
    /// A bit for each row that was replaced; `None` if there are none.
    dead: Option<Arc<Vec<u64>>>,
}

/// The place of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    block: u32,
    row: u32,
}

impl Block {
    fn is_dead(&self, row: usize) -> bool {
        self.dead.as_ref().is_some_and(|dead| dead[row / 64] >> (row % 64) & 1 == 1)
    }

    fn kill(&mut self, row: usize) {
        let words = self.chunk.rows.div_ceil(64);
        let dead = self.dead.get_or_insert_with(|| Arc::new(vec![0; words]));
        Arc::make_mut(dead)[row / 64] |= 1 << (row % 64);
    }

    /// The rows that are not dead.
    fn live(&self) -> Chunk {
        if self.dead.is_none() {
            return self.chunk.clone();
        }
        let rows = (0..self.chunk.rows).filter(|row| !self.is_dead(*row));
        self.chunk.take(&rows.map(|row| row as u32).collect::<Vec<u32>>())
    }
}

impl Rows {
    /// Adds a chunk, from which rows of known keys are already left out if they have to be.
    fn add(&mut self, chunk: Chunk, options: &KeyedOptions) -> Result<()> {
        let block = self.blocks.len() as u32;
        let keys: Vec<&Column> = options.keys.iter().map(|key| &chunk.columns[*key]).collect();
        let blocks = Arc::make_mut(&mut self.blocks);
        blocks.push(Block { chunk: chunk.clone(), dead: None });
        self.version += 1;
        self.kept = Arc::default();
        if options.duplicates == Duplicates::All {
            self.live += chunk.rows as u64;
            return Ok(());
        }
        let mut key = Vec::new();
        for row in 0..chunk.rows {
            if row % 65_536 == 0 {
                scope::check()?;
            }
            key.clear();
            index::encode(&keys, row, &mut key);
            let place = Place { block, row: row as u32 };
            let old = self.index.put(&key, place, options.duplicates == Duplicates::Last);
            self.live += 1;
            if let (Some(old), Duplicates::Last) = (old, options.duplicates) {
                blocks[old.block as usize].kill(old.row as usize);
                self.live -= 1;
                self.dead += 1;
            }
        }
        Ok(())
    }
}

impl Shared {
    fn read(&self) -> RwLockReadGuard<'_, Rows> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Rows> {
        self.rows.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the rows from the files into memory.
    fn load(&self) -> Result<()> {
        let Some(log) = &self.log else { return Ok(()) };
        let version = self.read().version;
        let mut rows = Rows { version: version + 1, ..Rows::default() };
        log.read(|chunk| rows.add(chunk, &self.options))?;
        *self.write() = rows;
        Ok(())
    }

    /// Runs a change of the files and then one of the memory. If the first fails, the next change
    /// begins by reading the files.
    fn change(&self, work: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let mut writing = lock(&self.writing);
        if std::mem::replace(&mut writing.unsure, true) {
            self.load()?;
        }
        work(self)?;
        writing.unsure = false;
        Ok(())
    }

    fn insert(&self, chunks: Vec<Chunk>) -> Result<()> {
        self.change(|this| {
            let chunks = this.wanted(chunks);
            if chunks.is_empty() {
                return Ok(());
            }
            this.check_room(&chunks)?;
            if let Some(log) = &this.log {
                log.append(&chunks)?;
            }
            let mut rows = this.write();
            chunks.into_iter().try_for_each(|chunk| rows.add(chunk, &this.options))
        })?;
        if let Err(error) = self.change(Self::compact) {
            // The rows are there; they only take more room than they need.
            message!(Error, "Keyed", "{}", error);
        }
        Ok(())
    }

    /// Leaves out rows that the table does not keep: those of known keys, and in sets and joins
    /// those whose key is NULL, which equals nothing.
    fn wanted(&self, chunks: Vec<Chunk>) -> Vec<Chunk> {
        let skips_null = self.options.purpose != Purpose::KeyValue;
        let skips_known = self.options.duplicates == Duplicates::First;
        if !skips_null && !skips_known {
            return chunks;
        }
        let rows = self.read();
        let mut new = Index::default();
        let mut key = Vec::new();
        let mut wanted = |chunk: Chunk| {
            let keys: Vec<&Column> =
                self.options.keys.iter().map(|key| &chunk.columns[*key]).collect();
            let mut kept: Vec<u32> = Vec::with_capacity(chunk.rows);
            for row in 0..chunk.rows {
                if skips_null && keys.iter().any(|column| column.is_null(row)) {
                    continue;
                }
                if skips_known {
                    key.clear();
                    index::encode(&keys, row, &mut key);
                    let place = Place { block: 0, row: 0 };
                    if rows.index.find(&key).is_some() || new.put(&key, place, false).is_some() {
                        continue;
                    }
                }
                kept.push(row as u32);
            }
            let chunk = if kept.len() == chunk.rows { chunk } else { chunk.take(&kept) };
            (chunk.rows > 0).then_some(chunk)
        };
        chunks.into_iter().filter_map(&mut wanted).collect()
    }

    /// Fails if the table would have too many rows with these.
    fn check_room(&self, chunks: &[Chunk]) -> Result<()> {
        let (most_rows, most_bytes) = self.options.most;
        let rows = self.read().live + chunks.iter().map(|chunk| chunk.rows as u64).sum::<u64>();
        let bytes = |chunks: &mut dyn Iterator<Item = &Chunk>| -> u64 {
            chunks.map(|chunk| chunk.byte_size() as u64).sum()
        };
        let too_many = most_rows > 0 && rows > most_rows
            || most_bytes > 0
                && bytes(&mut self.read().blocks.iter().map(|block| &block.chunk))
                    + bytes(&mut chunks.iter())
                    > most_bytes;
        if !too_many {
            return Ok(());
        }
        let message = format!(
            "Limit for JOIN exceeded, max rows: {most_rows}, max bytes: {most_bytes}, rows with \
             this INSERT: {rows}"
        );
        Err(Error::new(codes::SET_SIZE_LIMIT_EXCEEDED, message))
    }

    /// Writes all rows anew if most are dead.
    fn compact(&self) -> Result<()> {
        let (blocks, live, dead) = {
            let rows = self.read();
            (Arc::clone(&rows.blocks), rows.live, rows.dead)
        };
        if dead < 65_536 || dead <= live {
            return Ok(());
        }
        let chunks: Vec<Chunk> =
            blocks.iter().map(Block::live).filter(|chunk| chunk.rows > 0).collect();
        self.replace(chunks)
    }

    fn replace(&self, chunks: Vec<Chunk>) -> Result<()> {
        if let Some(log) = &self.log {
            log.replace(&chunks)?;
        }
        let version = self.read().version;
        let mut rows = Rows { version: version + 1, ..Rows::default() };
        chunks.into_iter().try_for_each(|chunk| rows.add(chunk, &self.options))?;
        *self.write() = rows;
        Ok(())
    }
}

impl Keyed {
    /// Opens the table whose files are in a directory; without one, its rows are only in memory.
    pub fn open(
        options: KeyedOptions,
        schema: Arc<Schema>,
        directory: Option<Directory>,
    ) -> Result<Arc<Self>> {
        let engine = options.engine;
        let open = |directory| Log::open(engine, Arc::clone(&schema), directory);
        let log = directory.map(open).transpose()?;
        let (writing, rows) = Default::default();
        let shared = Shared { options, schema, log, writing, rows };
        shared.load()?;
        Ok(Arc::new(Self(Arc::new(shared))))
    }
}

impl Table for Keyed {
    fn engine(&self) -> &'static str {
        self.0.options.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.0.schema)
    }

    fn mutate(&self, _spec: MutationSpec, context: &QueryContext) -> Result<Box<dyn Mutation>> {
        Ok(Box::new(mutation::KeyedMutation::begin(&self.0, context)))
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(scan::snapshot(&self.0))
    }

    fn insert(&self, context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        self.0.log.as_ref().map_or(Ok(()), |log| log.check_writable())?;
        let shared = Arc::clone(&self.0);
        Ok(collect::sink(self.0.options.engine, context, move |chunks| shared.insert(chunks)))
    }

    fn truncate(&self) -> Result<()> {
        self.0.change(|shared| shared.replace(Vec::new()))
    }

    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        match self.0.options.engine {
            // All rows are in order already.
            "Join" => return Ok(()),
            "EmbeddedRocksDB" => {}
            engine => return Err(unsupported("optimize", engine)),
        }
        let chunks = self.0.read().blocks.iter().map(Block::live).collect::<Vec<_>>();
        self.0.change(|shared| shared.replace(chunks))
    }

    fn role(&self) -> Role<'_> {
        match &self.0.options.purpose {
            Purpose::KeyValue => Role::Rows,
            Purpose::Set => Role::Set,
            Purpose::Join(shape) => Role::Join(shape),
        }
    }

    fn total_bytes(&self) -> Option<u64> {
        Some(self.0.read().blocks.iter().map(|block| block.chunk.byte_size() as u64).sum())
    }
}
