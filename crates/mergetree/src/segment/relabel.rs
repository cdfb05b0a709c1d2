//! Copies a segment under other ids of its columns, for a table that numbers its columns in another
//! way. Blocks are copied as they are; only the footer is written anew.

use entasis_base::{Result, scope};
use entasis_codec::checksum;
use entasis_disk::Disk;

use super::END_MAGIC;
use super::manifest::{self, tag};
use super::reader::Segment;
use super::writer::Finished;
use crate::bytes::{Input, put_section, put_u64};

/// Bytes that are copied at a time.
const COPIED_AT_ONCE: u64 = 4 << 20;

impl Segment {
    /// Writes a copy to `path`, in which the columns have the ids that `id` answers for theirs, and
    /// syncs it. `version` is the version of the new table's schema.
    pub(crate) fn relabelled(
        &self,
        disk: &dyn Disk,
        path: &str,
        version: u32,
        id: &mut dyn FnMut(u32) -> u32,
    ) -> Result<Finished> {
        let mut file = disk.create(path)?;
        let (mut at, mut buffer) = (0, Vec::new());
        while at < self.footer_offset {
            scope::check()?;
            let len = COPIED_AT_ONCE.min(self.footer_offset - at);
            buffer.clear();
            self.file.read_range_into(at, len as usize, &mut buffer)?;
            file.write_all(&buffer)?;
            at += len;
        }
        let mut footer = Vec::new();
        let ids = self.ids.iter().map(|old| id(*old));
        put_section(&mut footer, tag::COLUMN_IDS, &manifest::encode_ids(version, ids));
        let mut sections = Input(&self.footer);
        while let Some((tag, payload)) = sections.section()? {
            if tag != tag::COLUMN_IDS {
                put_section(&mut footer, tag, payload);
            }
        }
        let (sum, len) = (checksum(&footer), footer.len() as u64);
        put_u64(&mut footer, self.footer_offset);
        put_u64(&mut footer, len);
        put_u64(&mut footer, sum);
        footer.extend_from_slice(&END_MAGIC);
        file.write_all(&footer)?;
        file.sync()?;
        Ok(Finished {
            bytes: self.footer_offset + footer.len() as u64,
            checksum: sum,
            content: None,
        })
    }
}
