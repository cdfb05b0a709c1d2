//! Checks the files of a Log table, and makes them usable again after damage.
//!
//! A check reads every block and changes nothing. A repair never changes a file either: it writes
//! the blocks that can be read as the next generation, and moves the damaged files away. If the
//! marks are damaged, the blocks are found in the files of the columns, because each has a header
//! with its length.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_codec::block::{HEADER_LEN, Header};
use entasis_disk::{ByteRange, Directory, Entry};
use entasis_table_api::Schema;

use super::marks::{self, Block, Marks};
use super::{ColumnFile, Generation, MARKS, MOST_MARKS, is_column};

/// The result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Size of the blocks in bytes.
    pub bytes: u64,
    /// Number of files that go on behind their last block: an INSERT is running, or was not
    /// acknowledged.
    pub unfinished: u64,
}

/// What a repair may do, and whom it tells.
pub struct Repair<'a> {
    /// Whether rows that cannot be read may be left out, so that the others can be read.
    pub drop_rows: bool,
    /// Moves a file to a place where it is kept, and answers that place.
    pub move_away: &'a dyn Fn(&str) -> Result<String>,
    /// Is called for every action.
    pub said: &'a mut dyn FnMut(&str),
}

/// Checks the files of a table, and calls `found` with the path of each damaged file and what is
/// wrong with it. INSERTs may be running.
pub fn check(
    schema: &Schema,
    directory: &Directory,
    found: &mut dyn FnMut(&str, &str),
) -> Result<Checked> {
    let mut files = Files::examine(schema, directory)?;
    for _ in 0..3 {
        if files.damage.is_empty() || read_marks(directory)? == files.marks {
            break;
        }
        // An INSERT or TRUNCATE came in between.
        files = Files::examine(schema, directory)?;
    }
    files.damage.iter().for_each(|(path, what)| found(path, what));
    Ok(files.checked)
}

/// Makes the files of a table usable if they are damaged. Does nothing if that costs rows and
/// [`Repair::drop_rows`] is unset.
pub fn repair(schema: &Schema, directory: &Directory, options: Repair<'_>) -> Result<()> {
    let files = Files::examine(schema, directory)?;
    if files.damage.is_empty() || files.loses && !options.drop_rows {
        return Ok(());
    }
    let said = options.said;
    files.damage.iter().for_each(|(path, what)| said(&format!("`{path}`: {what}")));
    let old = files.columns();
    let next = Generation::new(directory, files.newest + 1, files.generation.columns);
    let blocks = files.copy(&next)?;
    if files.marks.is_some() {
        let path = directory.file(MARKS);
        let to = (options.move_away)(&path)?;
        said(&format!("`{path}` was moved to `{to}`"));
    }
    let mut bytes = marks::header(next.number);
    if !blocks.is_empty() {
        bytes.extend(marks::frame(&blocks));
    }
    directory.disk().write_atomically(&directory.file(MARKS), &bytes)?;
    for path in old {
        let to = (options.move_away)(&path)?;
        said(&format!("`{path}` was moved to `{to}`"));
    }
    let rows: usize = blocks.iter().map(|block| block.rows).sum();
    said(&format!("`{}` was written anew, with {rows} rows", directory.path()));
    Ok(())
}

/// The file of marks; `None` if there is none.
fn read_marks(directory: &Directory) -> Result<Option<Vec<u8>>> {
    let (disk, path) = (directory.disk(), directory.file(MARKS));
    if !disk.exists(&path)? {
        return Ok(None);
    }
    disk.read_to_end(&path, MOST_MARKS).map(Some)
}

/// The files of a table, and what an examination has found in them.
struct Files<'a> {
    schema: &'a Schema,
    entries: Vec<Entry>,
    /// The bytes of the file of marks.
    marks: Option<Vec<u8>>,
    generation: Arc<Generation>,
    /// The greatest generation that a file belongs to.
    newest: u64,
    /// The blocks that can be read.
    blocks: Vec<Block>,
    /// Paths of damaged files, and what is wrong with them.
    damage: Vec<(String, String)>,
    /// Whether rows cannot be read.
    loses: bool,
    checked: Checked,
}

impl<'a> Files<'a> {
    fn examine(schema: &'a Schema, directory: &Directory) -> Result<Self> {
        let disk = directory.disk();
        let columns = schema.stored().len();
        let marks = read_marks(directory)?;
        let there = disk.exists(directory.path())?;
        let entries = if there { disk.list(directory.path())? } else { Vec::new() };
        let newest = entries.iter().filter_map(|entry| generation_of(&entry.name)).max();
        let parsed = match &marks {
            Some(bytes) if marks::is_newer(bytes) => return Err(newer(directory)),
            Some(bytes) => marks::parse(bytes, columns),
            None => Err(Error::new(codes::CORRUPTED_DATA, "the file is missing")),
        };
        let number = parsed.as_ref().map_or(newest.unwrap_or(0), |marks| marks.generation);
        let mut files = Self {
            schema,
            generation: Generation::new(directory, number, columns),
            newest: newest.unwrap_or(0).max(number),
            entries,
            blocks: Vec::new(),
            damage: Vec::new(),
            loses: false,
            checked: Checked::default(),
            marks,
        };
        match parsed {
            _ if files.marks.is_none() && newest.is_none() => {}
            Ok(marks) => files.verify(directory, marks)?,
            Err(error) => {
                files.damage.push((directory.file(MARKS), error.message().to_owned()));
                files.search(vec![0; columns])?;
            }
        }
        Ok(files)
    }

    /// The paths of all columns' files.
    fn columns(&self) -> Vec<String> {
        let columns = self.entries.iter().filter(|entry| is_column(&entry.name));
        columns.map(|entry| self.generation.directory.file(&entry.name)).collect()
    }

    /// Reads the blocks that the marks name.
    fn verify(&mut self, directory: &Directory, marks: Marks) -> Result<()> {
        let ends: Vec<u64> = match marks.blocks.last() {
            Some(last) => last.columns.iter().map(|range| range.end()).collect(),
            None => vec![0; self.generation.columns],
        };
        let lens: Vec<u64> = (0..ends.len()).map(|position| self.len(position)).collect();
        let is_readable =
            |block: &Block| block.columns.iter().zip(&lens).all(|(range, len)| range.end() <= *len);
        for (position, (&len, &end)) in lens.iter().zip(&ends).enumerate() {
            let cut = marks.blocks.iter().filter(|b| b.columns[position].end() > len);
            let rows: usize = cut.map(|block| block.rows).sum();
            if len < end {
                let what =
                    format!("it has {len} bytes, and {end} were written: {rows} rows are cut");
                self.lose(position, what);
            }
        }
        let mut columns = self.open()?;
        for block in marks.blocks {
            if !is_readable(&block) {
                continue;
            }
            let mut is_whole = true;
            for column in &mut columns {
                let range = block.columns[column.position];
                self.checked.bytes += range.len as u64;
                let ty = &self.schema.columns[column.position].ty;
                if let Err(error) = column.read_checked(range, Some(block.rows), ty) {
                    is_whole = false;
                    let (at, rows) = (range.offset, block.rows);
                    let message = error.message();
                    let what = format!("the block at offset {at}, with {rows} rows: {message}");
                    self.lose(column.position, what);
                }
            }
            if is_whole {
                self.blocks.push(block);
            }
        }
        let written = self.marks.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if written > marks.len {
            let before = self.blocks.len();
            self.search(ends)?;
            let rows: usize = self.blocks[before..].iter().map(|block| block.rows).sum();
            let what = format!(
                "the {} bytes behind offset {} are no whole frame: the last INSERT, {rows} rows, \
                 cannot be seen. It was not acknowledged, or its frame is damaged",
                written - marks.len,
                marks.len
            );
            self.damage.push((directory.file(MARKS), what));
        } else {
            self.checked.unfinished +=
                lens.iter().zip(&ends).filter(|(len, end)| len > end).count() as u64;
        }
        Ok(())
    }

    /// Finds blocks in the files of the columns, from these offsets on. What follows the last block
    /// that all files have is lost.
    fn search(&mut self, mut ends: Vec<u64>) -> Result<()> {
        let columns = self.open()?;
        while let Some(block) = self.next_block(&columns, &ends) {
            self.checked.bytes += block.columns.iter().map(|range| range.len as u64).sum::<u64>();
            ends = block.columns.iter().map(|range| range.end()).collect();
            self.blocks.push(block);
        }
        for (position, end) in ends.into_iter().enumerate() {
            let len = self.len(position);
            if len > end {
                let what = format!(
                    "the {} bytes behind offset {end} are no block that all columns have: its \
                     rows are lost",
                    len - end
                );
                self.lose(position, what);
            }
        }
        Ok(())
    }

    /// The block that begins at these offsets, if all columns have one of the same number of rows.
    fn next_block(&self, columns: &[ColumnFile], ends: &[u64]) -> Option<Block> {
        let mut rows = None;
        let mut ranges = Vec::with_capacity(columns.len());
        for (file, &offset) in columns.iter().zip(ends) {
            let mut head = [0; HEADER_LEN];
            file.file.as_ref()?.read_exact_at(offset, &mut head).ok()?;
            let range = ByteRange::new(offset, Header::read(&head).ok()?.block_len());
            if range.end() > self.len(file.position) {
                return None;
            }
            let ty = &self.schema.columns[file.position].ty;
            rows = Some(file.read_checked(range, rows, ty).ok()?.len());
            ranges.push(range);
        }
        Some(Block { rows: rows?, columns: ranges.into() })
    }

    fn lose(&mut self, position: usize, what: String) {
        self.loses = true;
        self.damage.push((self.generation.column(position), what));
    }

    /// The length of a column's file; 0 if it does not exist.
    fn len(&self, position: usize) -> u64 {
        let path = self.generation.column(position);
        let name = entasis_disk::file_name(&path);
        self.entries.iter().find(|entry| entry.name == name).map_or(0, |entry| entry.len)
    }

    fn open(&self) -> Result<Vec<ColumnFile>> {
        let open = |position| {
            let path = self.generation.column(position);
            let file = match self.len(position) {
                0 => None,
                _ => Some(self.generation.directory.disk().open(&path)?),
            };
            Ok(ColumnFile { position, path, file })
        };
        (0..self.generation.columns).map(open).collect()
    }

    /// Copies the blocks that can be read into the files of another generation.
    fn copy(&self, to: &Generation) -> Result<Vec<Block>> {
        let disk = to.directory.disk();
        let mut buffer = Vec::new();
        let mut blocks = self.blocks.clone();
        for column in self.open()? {
            let mut out = disk.create(&to.column(column.position))?;
            let mut end = 0;
            for block in &mut blocks {
                let range = &mut block.columns[column.position];
                if let Some(file) = &column.file {
                    buffer.clear();
                    file.read_range_into(range.offset, range.len, &mut buffer)?;
                    out.write_all(&buffer)?;
                }
                *range = ByteRange::new(end, range.len);
                end = range.end();
            }
            out.sync()?;
        }
        disk.sync_dir(to.directory.path())?;
        Ok(blocks)
    }
}

/// The generation that a column's file belongs to.
fn generation_of(name: &str) -> Option<u64> {
    name.strip_suffix(".col")?.split_once('-')?.0.parse().ok()
}

#[cold]
fn newer(directory: &Directory) -> Error {
    let message = "The file of marks was written by a newer version: use a newer build";
    Error::new(codes::CORRUPTED_DATA, message).context(directory.file(MARKS))
}
