//! Opens the log of a store: creates a new one, or reads both copies and repairs what a crash or
//! damage has done to one of them.
//!
//! Nothing is deleted: invalid bytes are moved to `lost/` before others take their place.

use std::sync::{Arc, Mutex};

use entasis_base::sync::Signal;
use entasis_base::{Error, Result, codes};
use entasis_disk::{Disk, WriteFile};

use super::copy::Copy;
use super::encoding::encode_ops;
use super::frame::{self, MAGIC};
use super::recovery::{Condition, Found, Recovered, both_missing, recover};
use super::state::State;
use super::{COPY, FILE, Inner, Log};
use crate::lost;
use crate::place::{FolderState, write_marker};

/// A log with more bytes than this is refused.
const MAX_BYTES: u64 = 4 << 30;

/// Options for opening a log.
pub(crate) struct Opening {
    pub(crate) read_only: bool,
    /// The file is rewritten from the state after this many records.
    pub(crate) checkpoint_after: u64,
    /// Whether a background thread keeps the copy durable.
    pub(crate) in_background: bool,
    pub(crate) place: FolderState,
}

/// A log, and what was found when it was opened.
pub(crate) struct Opened {
    pub(crate) log: Log,
    /// Problems that were found, as messages for the user.
    pub(crate) notes: Vec<String>,
    /// The log may lack records that it once held, so files that it does not name must be kept.
    pub(crate) doubtful: bool,
}

/// Reads the log and its copy, and prepares them for writing unless `read_only`.
pub(crate) fn open(disk: Arc<dyn Disk>, opening: &Opening) -> Result<Opened> {
    if opening.place == FolderState::New {
        if opening.read_only {
            let message = "The folder holds no tables, and is opened read-only";
            return Err(Error::new(codes::FILE_DOESNT_EXIST, message));
        }
        let (file, copy) = create(&*disk)?;
        let empty = State { next_table: 1, ..State::default() };
        let recovered = Recovered { state: empty, last: 0, records: 0, main_is_enough: true };
        let log = log_of(disk, opening, recovered, Some((file, copy)));
        return Ok(Opened { log, notes: Vec::new(), doubtful: false });
    }
    let (main, copy) = read(&*disk)?;
    let marked = matches!(opening.place, FolderState::Marked { .. });
    if [&main, &copy].iter().all(|file| file.bytes().len() < MAGIC.len()) {
        return Err(both_missing());
    }
    let recovered = recover(&main, &copy, opening.place.acknowledged())?;
    let condition = main.condition();
    if marked && copy.bytes.is_none() && condition != Condition::Whole {
        return Err(unclear(&condition));
    }
    let damaged_marker = matches!(opening.place, FolderState::Marked { damaged: true, .. });
    let doubtful = !marked
        || damaged_marker
        || condition != Condition::Whole
        || !recovered.main_is_enough
        || copy.scan.frames.is_empty() && !main.scan.frames.is_empty();
    let mut notes = Vec::new();
    note_files(&mut notes, &main, &copy, &recovered, marked);
    if damaged_marker {
        notes.push("The store's marker was damaged, and is written anew".into());
    }
    if opening.read_only {
        let log = log_of(disk, opening, recovered, None);
        return Ok(Opened { log, notes, doubtful });
    }
    let (file, bytes) = settle_main(&*disk, &main, &recovered)?;
    let second = settle_copy(&*disk, &copy, &bytes)?;
    if doubtful {
        write_marker(&*disk, recovered.last)?;
    }
    let log = log_of(disk, opening, recovered, Some((file, second)));
    Ok(Opened { log, notes, doubtful })
}

/// Reads the log and its copy.
pub(crate) fn read(disk: &dyn Disk) -> Result<(Found, Found)> {
    let read = |name| -> Result<Found> {
        let bytes =
            if disk.exists(name)? { Some(disk.read_to_end(name, MAX_BYTES)?) } else { None };
        Ok(Found::new(name, bytes))
    };
    Ok((read(FILE)?, read(COPY)?))
}

fn log_of(
    disk: Arc<dyn Disk>,
    opening: &Opening,
    recovered: Recovered,
    files: Option<(Box<dyn WriteFile>, Box<dyn WriteFile>)>,
) -> Log {
    let (file, copy) = match files {
        Some((file, copy)) => (Some(file), Copy::new(copy, opening.in_background)),
        None => (None, Copy::default()),
    };
    let inner = Inner {
        ahead: recovered.state.clone(),
        visible: recovered.state,
        queue: Vec::new(),
        next_ticket: 0,
        done: 0,
        failures: Vec::new(),
        next_record: recovered.last + 1,
        writing: false,
        poisoned: None,
        file,
        records: recovered.records,
        state_bytes: 0,
        marked: opening.place.acknowledged(),
    };
    Log {
        disk,
        inner: Mutex::new(inner),
        changed: Signal::new(),
        copy,
        checkpoint_after: opening.checkpoint_after,
    }
}

/// Creates two empty logs and then the marker; without the marker the folder is not a store yet.
fn create(disk: &dyn Disk) -> Result<(Box<dyn WriteFile>, Box<dyn WriteFile>)> {
    let one = |name| -> Result<Box<dyn WriteFile>> {
        let mut file = disk.append(name)?;
        if !file.is_empty() {
            file.truncate(0)?;
        }
        file.write_all(&MAGIC)?;
        file.sync()?;
        Ok(file)
    };
    let files = (one(FILE)?, one(COPY)?);
    disk.sync_dir("")?;
    write_marker(disk, 0)?;
    Ok(files)
}

/// The error for a log whose damage cannot be judged, because the copy is missing.
#[cold]
fn unclear(condition: &Condition) -> Error {
    let message = format!(
        "The commit log `{FILE}` is damaged: {condition}. Its second copy `{COPY}`, from which it \
         could be restored, is missing. {}",
        super::recovery::REMEDY
    );
    Error::new(codes::CORRUPTED_DATA, message)
}

fn note_files(
    notes: &mut Vec<String>,
    main: &Found,
    copy: &Found,
    recovered: &Recovered,
    marked: bool,
) {
    let last = recovered.last;
    match main.condition() {
        Condition::Torn(at) if recovered.main_is_enough => notes.push(format!(
            "`{FILE}` ended at offset {at} in the middle of a record, as a crash leaves it: it \
             was cut there, behind record {last}, which is the last that is known to have been \
             acknowledged"
        )),
        Condition::Whole if !recovered.main_is_enough => notes.push(format!(
            "`{FILE}` ended before its second copy `{COPY}`, as in a copy of a running server's \
             folder: records up to {last} were taken from there"
        )),
        condition if !recovered.main_is_enough => notes.push(format!(
            "`{FILE}` was damaged ({condition}); all records up to {last} were taken from its \
             second copy `{COPY}`"
        )),
        _ => {}
    }
    match copy.condition() {
        Condition::Missing if marked => {
            notes.push(format!("`{COPY}`, the second copy of the commit log, was missing"));
        }
        condition @ Condition::Damaged(..) => {
            notes.push(format!("`{COPY}`, the second copy of the commit log: {condition}"));
        }
        _ => {}
    }
}

/// Repairs the log and opens it for the next record; returns it with its bytes.
fn settle_main(
    disk: &dyn Disk,
    main: &Found,
    recovered: &Recovered,
) -> Result<(Box<dyn WriteFile>, Vec<u8>)> {
    if !recovered.main_is_enough {
        let bytes = state_bytes(&recovered.state, recovered.last)?;
        let file = write_new(disk, FILE, &bytes)?;
        if main.bytes.is_some() {
            lost::move_there(disk, FILE)?;
        }
        put_in_place(disk, FILE)?;
        return Ok((file, bytes));
    }
    let mut bytes = main.bytes().to_vec();
    let mut file = disk.append(FILE)?;
    if let Condition::Torn(at) = main.condition() {
        lost::keep_bytes(disk, "commit.log.tail", &bytes[at..])?;
        file.truncate(at as u64)?;
        file.sync()?;
        bytes.truncate(at);
    }
    disk.sync_dir("")?;
    Ok((file, bytes))
}

/// Brings the copy up to the log's bytes and opens it for the next record.
fn settle_copy(disk: &dyn Disk, copy: &Found, bytes: &[u8]) -> Result<Box<dyn WriteFile>> {
    if copy.bytes().len() >= MAGIC.len()
        && let Some(rest) = bytes.strip_prefix(copy.bytes())
    {
        let mut file = disk.append(COPY)?;
        file.write_all(rest)?;
        file.flush()?;
        return Ok(file);
    }
    let file = write_new(disk, COPY, bytes)?;
    if matches!(copy.condition(), Condition::Damaged(..)) && !copy.bytes().is_empty() {
        lost::move_there(disk, COPY)?;
    }
    put_in_place(disk, COPY)?;
    Ok(file)
}

/// The bytes of a log that begins with a state.
pub(crate) fn state_bytes(state: &State, sequence: u64) -> Result<Vec<u8>> {
    let mut bytes = MAGIC.to_vec();
    if sequence > 0 {
        frame::put(&mut bytes, sequence, &encode_ops(&state.to_ops()))?;
    }
    Ok(bytes)
}

/// Writes a durable file under a temporary name, which [`put_in_place`] renames.
pub(crate) fn write_new(disk: &dyn Disk, name: &str, bytes: &[u8]) -> Result<Box<dyn WriteFile>> {
    let temporary = format!("{name}.tmp");
    if disk.exists(&temporary)? {
        disk.remove(&temporary)?;
    }
    let mut file = disk.create(&temporary)?;
    file.write_all(bytes)?;
    file.sync()?;
    Ok(file)
}

/// Renames a file of [`write_new`] to its final name.
pub(crate) fn put_in_place(disk: &dyn Disk, name: &str) -> Result<()> {
    disk.rename(&format!("{name}.tmp"), name)?;
    disk.sync_dir("")
}
