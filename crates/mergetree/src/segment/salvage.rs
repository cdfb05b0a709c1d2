//! Reads what a segment says about itself, for repairs without a log. The footer of a complete
//! segment has its columns, keys, rows and level, but not its table and partition.

use entasis_base::Result;
use entasis_codec::checksum;
use entasis_disk::Disk;

use super::manifest::{self, tag};
use super::reader::in_file;
use super::{END_MAGIC, MAGIC, TRAILER_LEN};
use crate::bytes::{Input, corrupted};

/// The contents of a segment's footer.
#[derive(Debug)]
pub(crate) struct Salvaged {
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
    pub(crate) rows: u64,
    pub(crate) granules: u64,
    /// Names and types of the columns.
    pub(crate) columns: Vec<(String, String)>,
    /// The version of the table's schema, and the columns' ids.
    pub(crate) schema_version: u32,
    pub(crate) ids: Vec<u32>,
    pub(crate) sorting_key: String,
    pub(crate) created: u64,
    pub(crate) level: u32,
}

/// Reads a segment's footer. Fails if the segment is incomplete or damaged.
pub(crate) fn salvage(disk: &dyn Disk, path: &str) -> Result<Salvaged> {
    read(disk, path).map_err(|e| in_file(e, path, None))
}

fn read(disk: &dyn Disk, path: &str) -> Result<Salvaged> {
    let file = disk.open(path)?;
    let len = file.len();
    let least = (MAGIC.len() + TRAILER_LEN) as u64;
    if len < least {
        return Err(corrupted(format!("it has {len} bytes, fewer than any segment")));
    }
    let mut magic = [0; MAGIC.len()];
    file.read_exact_at(0, &mut magic)?;
    let mut trailer = [0; TRAILER_LEN];
    file.read_exact_at(len - TRAILER_LEN as u64, &mut trailer)?;
    let mut input = Input(&trailer);
    let (offset, footer_len, sum) = (input.u64()?, input.u64()?, input.u64()?);
    let end = offset.checked_add(footer_len).and_then(|e| e.checked_add(TRAILER_LEN as u64));
    if magic != MAGIC || input.0 != END_MAGIC || end != Some(len) {
        return Err(corrupted("it is not a complete segment"));
    }
    let mut footer = Vec::new();
    file.read_range_into(offset, footer_len as usize, &mut footer)?;
    if checksum(&footer) != sum {
        return Err(corrupted(format!("checksum of the footer at offset {offset} does not match")));
    }
    let mut found = Salvaged {
        bytes: len,
        checksum: sum,
        rows: 0,
        granules: 0,
        columns: Vec::new(),
        schema_version: 1,
        ids: Vec::new(),
        sorting_key: String::new(),
        created: 0,
        level: 0,
    };
    let (mut sections, mut ids) = (Input(&footer), None);
    while let Some((tag, payload)) = sections.section()? {
        let mut input = Input(payload);
        match tag {
            tag::SCHEMA => {
                for _ in 0..input.count()? {
                    found.columns.push((input.text()?.to_owned(), input.text()?.to_owned()));
                }
            }
            tag::ROWS => {
                let granules = manifest::decode_rows(payload)?;
                found.rows = granules.iter().map(|&rows| u64::from(rows)).sum();
                found.granules = granules.len() as u64;
            }
            tag::KEYS => input.text()?.clone_into(&mut found.sorting_key),
            tag::CREATED => {
                (found.created, found.level) = (input.varint()?, input.varint()? as u32)
            }
            tag::COLUMN_IDS => ids = Some(payload),
            _ => {}
        }
    }
    (found.schema_version, found.ids) = manifest::decode_ids(ids, found.columns.len())?;
    Ok(found)
}
