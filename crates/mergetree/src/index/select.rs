//! Asks the indices of a table for a scan: which of a part's granules may hold passing rows.

use std::sync::Arc;
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_table_api::{IndexStep, ScanSpec};

use super::ask::Terms;
use super::{Ask, BoundIndex, IndexCondition, IndexFile, RowSelection};
use crate::config::plain_column;
use crate::faults::is_damage;
use crate::layers::Layers;
use crate::part::Part;
use crate::prune::Picked;
use crate::schema::SchemaVersion;

/// An index that can say something about a scan, and what it has excluded so far.
struct Asked {
    index: usize,
    condition: Box<dyn IndexCondition>,
    report: IndexStep,
}

/// The indices of a table that can say something about a scan.
pub(crate) struct IndexScan {
    asked: Vec<Asked>,
    /// Whether the scan may use the rows that an index knows.
    selects_rows: bool,
}

impl IndexScan {
    /// `None` if no index can exclude anything.
    pub(crate) fn new(schema: &SchemaVersion, spec: &ScanSpec) -> Result<Option<Self>> {
        let wish = &spec.indices;
        if schema.indices.is_empty() || spec.filter.is_empty() || !wish.enabled {
            return Ok(None);
        }
        let terms = Terms::default();
        let conjuncts = terms.of_filter(spec);
        let mut asked = Vec::new();
        for (number, index) in schema.indices.iter().enumerate() {
            if wish.ignored.contains(&index.def.name) || !is_comparable(index, spec) {
                continue;
            }
            let exprs = index.def.exprs.iter().map(|expr| terms.of_index(expr)).collect();
            let ask = Ask { conjuncts: &conjuncts, exprs, terms: &terms };
            if let Some(condition) = index.def.kind.condition(&ask)? {
                let def = &index.def;
                let kind = def.type_text.split('(').next().unwrap_or_default();
                let report = IndexStep {
                    kind: "Skip",
                    name: Some(def.name.clone()),
                    description: Some(format!("{kind} GRANULARITY {}", def.granularity)),
                    ..IndexStep::default()
                };
                asked.push(Asked { index: number, condition, report });
            }
        }
        // Comparisons cost least, and larger blocks leave more out at once.
        asked.sort_by_key(|asked: &Asked| {
            let def = &schema.indices[asked.index].def;
            (!def.kind.compares(), std::cmp::Reverse(def.granularity))
        });
        let selects_rows = wish.select_rows;
        Ok((!asked.is_empty()).then_some(Self { asked, selects_rows }))
    }

    /// Leaves only the granules of a part that may match according to its indices. The answer says
    /// which of their rows may match, if an index knows it.
    pub(crate) fn narrow(
        &mut self,
        schema: &SchemaVersion,
        part: &Part,
        layers: &Layers,
        picked: &mut Vec<Picked>,
    ) -> Result<Option<RowSelection>> {
        let mut rows: Option<RowSelection> = None;
        for asked in &mut self.asked {
            let before = picked.len() as u64;
            let (began, index) = (Instant::now(), &schema.indices[asked.index]);
            if before > 0 {
                let condition = &*asked.condition;
                let more = match narrow_by(index, condition, schema, (part, layers), picked) {
                    // A damaged index is not used; the list of damaged files has it.
                    Err(error) if is_damage(&error) => None,
                    other => other?,
                };
                rows = match (rows, more) {
                    (Some(a), Some(b)) => Some(a.and(b)),
                    (a, b) => a.or(b),
                };
            }
            events::elapsed(Event::FilteringMarksWithSecondaryKeysMicroseconds, began);
            let after = picked.len() as u64;
            let IndexStep { parts, granules, .. } = &mut asked.report;
            *parts = (parts.0 + u64::from(before > 0), parts.1 + u64::from(after > 0));
            *granules = (granules.0 + before, granules.1 + after);
        }
        Ok(rows.filter(|_| self.selects_rows && !layers.has_mask()))
    }

    /// What each index did.
    pub(crate) fn reports(&self) -> impl Iterator<Item = &IndexStep> {
        self.asked.iter().map(|asked| &asked.report)
    }

    /// What each index did, with the condition of those that compare values.
    pub(crate) fn described(
        &self,
        schema: &SchemaVersion,
        condition: &dyn Fn(&[Expr]) -> Option<String>,
    ) -> Vec<IndexStep> {
        let describe = |asked: &Asked| {
            let def = &schema.indices[asked.index].def;
            let text = || condition(&def.exprs).unwrap_or_else(|| "true".to_string());
            let condition = (def.kind.compares() || def.kind.has_values()).then(text);
            IndexStep { condition, ..asked.report.clone() }
        };
        self.asked.iter().map(describe).collect()
    }

    /// Counts what the indices have excluded.
    pub(crate) fn count(&self) {
        let skipped = self.reports().map(|report| report.granules.0 - report.granules.1);
        events::add(Event::MarksSkippedBySkipIndexes, skipped.sum());
    }

    fn has(&self, schema: &SchemaVersion, name: &str) -> bool {
        self.asked.iter().any(|asked| schema.indices[asked.index].def.name == name)
    }
}

/// Fails if an index is not used on which the query insists.
pub(crate) fn check_forced<'a>(
    scans: impl Iterator<Item = &'a IndexScan> + Clone,
    schema: &SchemaVersion,
    spec: &ScanSpec,
) -> Result<()> {
    let wish = &spec.indices;
    if !wish.enabled || spec.final_ && !wish.in_final {
        return Ok(());
    }
    for name in &wish.forced {
        if !scans.clone().any(|scan| scan.has(schema, name)) {
            let message = format!(
                "Index `{name}` is not used and setting 'force_data_skipping_indices' contains it"
            );
            return Err(Error::new(codes::INDEX_NOT_USED, message));
        }
    }
    Ok(())
}

/// Whether the expressions of an index mean the same as equal ones in the query: functions may
/// depend on the time zone.
fn is_comparable(index: &BoundIndex, spec: &ScanSpec) -> bool {
    let is_plain = index.def.exprs.iter().all(|expr| plain_column(expr).is_some());
    is_plain || spec.indices.zone == Some(index.def.zone)
}

fn narrow_by(
    index: &BoundIndex,
    condition: &dyn IndexCondition,
    schema: &SchemaVersion,
    (part, layers): (&Part, &Layers),
    picked: &mut Vec<Picked>,
) -> Result<Option<RowSelection>> {
    let mut companions = part.summary.companions.iter();
    let Some(place) = companions.position(|companion| index.is(companion)) else {
        return Ok(None);
    };
    let file = IndexFile(Arc::clone(part.companion(place)?));
    let per_block = usize::try_from(index.def.granularity).unwrap_or(usize::MAX).max(1);
    let granules = layers.base.granules.len();
    let mut wanted = vec![false; granules.div_ceil(per_block)];
    picked.iter().for_each(|picked| wanted[picked.granule as usize / per_block] = true);
    let rows = condition.select(&file, &mut wanted)?;
    let mut is_patched = Vec::new();
    for at in &index.reads {
        layers.mark_patched(schema.stored[*at].id, &mut is_patched)?;
    }
    picked.retain(|picked| {
        let granule = picked.granule as usize;
        wanted[granule / per_block] || is_patched.get(granule) == Some(&true)
    });
    Ok(rows.filter(|_| !is_patched.contains(&true)))
}
