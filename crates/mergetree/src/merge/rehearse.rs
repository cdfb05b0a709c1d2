//! OPTIMIZE ... DRY RUN: merges parts into files that nobody sees, which are then removed.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_table_api::MergeRequest;

use super::{GoOn, Place, go_on_or_stop, write_merged};
use crate::in_memory::placed;
use crate::log::record::PartSummary;
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::table::TableCore;

impl TableCore {
    /// Merges the parts with these names without effect. Fails as the merge itself would.
    pub(crate) fn rehearse(
        self: &Arc<Self>,
        request: &MergeRequest,
        names: &[String],
        go_on: GoOn,
    ) -> Result<()> {
        if let Some(name) = names.iter().find(|name| !is_name_of_part(name)) {
            let message = format!("Unexpected part name: {name}: system.parts lists them");
            return Err(Error::new(codes::BAD_DATA_PART_NAME, message));
        }
        let _held = self.hold_parts(&mut || go_on_or_stop(go_on))?;
        let (schema, version) = self.pin();
        let mut parts: Vec<Arc<Part>> = Vec::new();
        for part in &version.parts {
            if names.contains(&part.summary.name()) {
                parts.push(Arc::clone(part));
            }
        }
        let is_known = |name: &&String| parts.iter().any(|part| part.summary.name() == **name);
        if let Some(missing) = names.iter().find(|name| !is_known(name)) {
            let message = format!("Part {missing} not found: system.parts lists them");
            return Err(Error::new(codes::NO_SUCH_DATA_PART, message));
        }
        let partition = |part: &Arc<Part>| part.summary.partition.clone();
        if let Some(pair) = parts.windows(2).find(|pair| partition(&pair[0]) != partition(&pair[1]))
        {
            let message = format!(
                "All parts for OPTIMIZE DRY RUN must belong to the same partition, but part {} \
                 belongs to partition {} while part {} belongs to partition {}",
                pair[1].summary.name(),
                partition(&pair[1]),
                pair[0].summary.name(),
                partition(&pair[0])
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let rules = self.rules(&schema, request);
        // Its files are removed when it is dropped.
        let mut unfinished = Unfinished::new(self);
        let (file, path) = placed(self.new_segment(), Place::File, &mut unfinished);
        let with = (self, &*schema, &rules);
        let merged = write_merged(with, &parts, path.as_deref(), &|| (), go_on)?;
        if let Some(part) = merged {
            let mut part = PartSummary { file, ..part };
            let to = (Place::File, &mut unfinished);
            self.add_companions((&schema, &rules), &parts, &mut part, to, go_on)?;
        }
        Ok(())
    }
}

/// Whether a text has the form of the name of a part: `all_1_1_0`, `202401_1_5_2_7`.
fn is_name_of_part(name: &str) -> bool {
    let (_, numbers) = match name.split_once('_') {
        Some((partition, numbers)) if !partition.is_empty() => (partition, numbers),
        _ => return false,
    };
    let numbers: Vec<&str> = numbers.split('_').collect();
    let is_number = |text: &&str| text.parse::<u64>().is_ok();
    matches!(numbers.len(), 3 | 4) && numbers.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_have_three_or_four_numbers() {
        for name in ["all_1_1_0", "202401_1_5_2_7", "1-2_3_3_0"] {
            assert!(is_name_of_part(name), "{name}");
        }
        for name in ["", "x", "all_1_1", "_1_1_0", "all_1_b_0", "all_1_1_0_1_1"] {
            assert!(!is_name_of_part(name), "{name}");
        }
    }
}
