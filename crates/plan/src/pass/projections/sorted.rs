//! Normal projections: the same rows, with fewer columns or in another order.

use crate::physical::{Scan, Union};
use std::sync::Arc;

use entasis_table_api::{ProjectionSnapshot, ScanColumn, ScanSpec};

use super::{TableRead, cost, is_better, means_the_same};
use crate::{Plan, Planner};

/// The scan, or one of the projection from which fewer granules have to be read.
pub(super) fn replaced(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    let Some(read) = TableRead::of(&plan) else {
        let Plan::Scan(Scan { table, spec, .. }) = &plan else { return plan };
        if !planner.settings.projections.force {
            return plan;
        }
        planner.found.reads_tables |= table.estimate(spec).is_some_and(|e| e.granules > 0);
        return plan;
    };
    let projections = read.table.projections();
    if projections.is_empty() && !planner.settings.projections.force {
        return plan;
    }
    let Some(base) = read.table.estimate(&read.spec) else { return plan };
    let mut best: Option<(ProjectionSnapshot, ScanSpec)> = None;
    // Among equals, the table stays.
    let mut least = (Arc::<str>::from(""), base);
    for projection in projections {
        let Some(spec) = covered(planner, &read, &projection) else { continue };
        let Some(own) = cost(&projection, &spec, &read.spec) else { continue };
        let name = Arc::clone(&projection.query.name);
        let is_preferred = *name == *planner.settings.projections.preferred;
        let force = planner.settings.projections.force && best.is_none();
        let is_it = force && (own.granules, own.rows) <= (base.granules, base.rows);
        let saves = is_preferred || own.granules < least.1.granules || best.is_some();
        if is_it || saves && is_better(planner, (&name, own), (&least.0, least.1)) {
            least = (name, own);
            best = Some((projection, spec));
        }
    }
    let Some((projection, spec)) = best else {
        planner.found.reads_tables |= base.granules > 0;
        return plan;
    };
    planner.found.used.push(Arc::clone(&projection.query.name));
    let own = read.scan(&projection.rows, spec);
    let Some(rest) = &projection.rest else { return own };
    let rest = read.scan(rest, read.spec.clone());
    let ty = |id| read.types.iter().find(|(of, _)| *of == id).cloned();
    let columns = read.spec.outputs.iter().filter_map(|id| ty(*id)).collect();
    Plan::Union(Union { inputs: vec![own, rest], columns })
}

/// The scan of a projection that holds every column of the table's scan.
fn covered(
    planner: &Planner<'_>,
    read: &TableRead,
    projection: &ProjectionSnapshot,
) -> Option<ScanSpec> {
    let query = &projection.query;
    if query.groups || !query.filter.iter().all(|c| means_the_same(planner, query, c)) {
        return None;
    }
    // The conditions that the projection has applied are tested again: they may be on its key.
    read.rest_of_filter(query)?;
    let place = |column: &ScanColumn| {
        let is_it = |held: &entasis_table_api::Projected| match held.value() {
            Some(entasis_expr::Expr::Column { id, .. }) => id.0 as usize == column.position,
            _ => false,
        };
        let position = query.columns.iter().position(is_it)?;
        Some(ScanColumn { position, ..column.clone() })
    };
    let columns: Option<Vec<ScanColumn>> = read.spec.columns.iter().map(place).collect();
    Some(ScanSpec { columns: columns?, ..read.spec.clone() })
}
