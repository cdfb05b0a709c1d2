//! Takes columns out of a part of a plan: out of the scans, and out of all nodes above them.

use std::collections::HashSet;

use entasis_analyze::tree;
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{Addresses, ScanColumn};
use entasis_types::DataType;

use super::Pass;

use crate::cost::{Reading, width};
use crate::physical::{
    ArrayJoin, Bound, Fetch, Filter, Limit, LimitBy, LimitTies, Project, Scan, Sort, Values,
};
use crate::{Bounded, Join, JoinKind, Plan, Strictness};

/// Columns that a node above reads.
type Used = HashSet<ColumnId>;

/// The least width of the columns, in bytes, for which it pays to carry an address of 8 bytes.
const LEAST_WIDTH: f64 = 16.0;
/// How many times as much must be read early as late below a limit.
const LEAST_GAIN: f64 = 2.0;
/// How many times as many rows must be read as are left, if only estimates say how many are left.
pub(super) const LEAST_REDUCTION: f64 = 20.0;
/// How many times as much it must cost then to read early.
const LEAST_RATIO: f64 = 1.5;
/// How much must be saved then, in units of [`crate::cost`]: fetching is a step of its own.
const LEAST_SAVED: f64 = 1e5;

/// How many rows are left where the columns are fetched.
#[derive(Clone, Copy)]
pub(super) enum Left {
    /// A limit leaves so many.
    AtMost(f64),
    /// Joins and conditions leave so many, as estimates say.
    About(f64),
}

/// What is between a node and the place where its columns are fetched.
#[derive(Clone, Copy)]
pub(super) struct Below {
    /// Whether the node's rows wait there, so that all of them are read whatever the limit is.
    pub waits: bool,
    /// Whether only columns may be taken out, and no expressions, because rows may be added that
    /// have defaults.
    pub only_columns: bool,
    /// The most rows that a scan lets through, as estimates say: joins above filter its keys.
    pub most: f64,
}

/// A plan without some of its columns.
pub(super) struct Lifted {
    pub plan: Plan,
    /// What adds the columns, each over an input that is still to be filled in.
    pub fetches: Vec<Fetch>,
    /// Columns that are computed from these, in an order in which they can be computed.
    pub computed: Vec<(ColumnId, Expr)>,
}

impl Lifted {
    fn untouched(plan: Plan) -> Self {
        Self { plan, fetches: Vec::new(), computed: Vec::new() }
    }

    /// Whether a column is not among the plan's any more.
    fn lacks(&self, id: ColumnId) -> bool {
        let is_fetched = |fetch: &Fetch| fetch.columns.iter().any(|(column, _)| column.id == id);
        self.fetches.iter().any(is_fetched) || self.computed.iter().any(|(known, _)| *known == id)
    }

    /// The plan's columns that later steps read: addresses, and what expressions need.
    fn carried(&self) -> Vec<ColumnId> {
        let mut ids: Vec<ColumnId> = self.fetches.iter().map(|fetch| fetch.address).collect();
        self.computed.iter().for_each(|(_, expr)| expr.columns(&mut ids));
        let outputs = self.plan.outputs();
        let mut seen = Used::new();
        ids.retain(|id| outputs.contains(id) && seen.insert(*id));
        ids
    }

    /// The same columns of a node above the plan.
    fn above(self, node: impl FnOnce(Plan) -> Plan) -> Self {
        Self { plan: node(self.plan), ..self }
    }
}

/// Takes columns out of the nodes below the place where they are fetched.
pub(super) struct Lift<'p, 'q, 'f> {
    pass: &'p mut Pass<'q, 'f>,
    left: Left,
}

impl<'p, 'q, 'f> Lift<'p, 'q, 'f> {
    pub fn new(pass: &'p mut Pass<'q, 'f>, left: Left) -> Self {
        Self { pass, left }
    }

    /// The plan without columns that are not `used`. `None` if that is not possible.
    pub fn lift(&mut self, plan: &Plan, used: &Used, below: Below) -> Option<Lifted> {
        let waits = Below { waits: true, ..below };
        match plan {
            Plan::Scan(scan) => Some(self.scan(scan, used, below)),
            Plan::Filter(Filter { input, predicates }) => {
                let used = with_exprs(used, predicates.iter());
                let predicates = predicates.clone();
                let node = |input| Plan::Filter(Filter { input: Box::new(input), predicates });
                Some(self.lift(input, &used, below)?.above(node))
            }
            Plan::Sort(Sort { input, keys, limit, threshold }) => {
                let used = with_ids(used, keys.iter().map(|key| key.column));
                let (keys, limit, threshold) = (keys.clone(), *limit, threshold.clone());
                let node =
                    |input| Plan::Sort(Sort { input: Box::new(input), keys, limit, threshold });
                Some(self.lift(input, &used, waits)?.above(node))
            }
            Plan::Limit(Limit { input, offset, limit }) => {
                let (offset, limit) = (*offset, *limit);
                let node = |input| Plan::Limit(Limit { input: Box::new(input), offset, limit });
                let most = limit.map_or(f64::INFINITY, |limit| offset as f64 + limit as f64);
                let below = Below { most: below.most.min(most), ..below };
                Some(self.lift(input, used, below)?.above(node))
            }
            Plan::LimitTies(LimitTies { input, offset, limit, keys }) => {
                let used = with_ids(used, keys.iter().copied());
                let (offset, limit, keys) = (*offset, *limit, keys.clone());
                let node = |input| {
                    Plan::LimitTies(LimitTies { input: Box::new(input), offset, limit, keys })
                };
                Some(self.lift(input, &used, waits)?.above(node))
            }
            Plan::LimitBy(LimitBy { input, keys, offset, limit }) => {
                let used = with_ids(used, keys.iter().copied());
                let (keys, offset, limit) = (keys.clone(), *offset, *limit);
                let node =
                    |input| Plan::LimitBy(LimitBy { input: Box::new(input), keys, offset, limit });
                Some(self.lift(input, &used, waits)?.above(node))
            }
            Plan::Project(project) => self.project(project, used, below),
            Plan::Join(join) => self.join(join, used, below),
            rare => self.rare(rare, used, below),
        }
    }

    /// [`Self::lift`] for nodes of rarely used clauses.
    fn rare(&mut self, plan: &Plan, used: &Used, below: Below) -> Option<Lifted> {
        let waits = Below { waits: true, ..below };
        match plan {
            Plan::Bound(Bound { input, most, what, keys }) if *what != Bounded::Result => {
                let used = with_ids(used, keys.iter().copied());
                let (most, what, keys) = (*most, *what, keys.clone());
                let node = |input| Plan::Bound(Bound { input: Box::new(input), most, what, keys });
                Some(self.lift(input, &used, below)?.above(node))
            }
            Plan::Window(window) => {
                let args = window.calls.iter().flat_map(|call| call.args.iter().copied());
                let order = window.order.iter().map(|key| key.column);
                let read = args.chain(window.partition.iter().copied()).chain(order);
                let lifted = self.lift(&window.input, &with_ids(used, read), waits)?;
                let mut window = window.clone();
                Some(lifted.above(|input| {
                    window.input = input;
                    Plan::Window(window)
                }))
            }
            Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }) => {
                let used = with_ids(used, arrays.iter().map(|(from, _)| *from));
                let (arrays, left, unaligned) = (arrays.clone(), *left, *unaligned);
                Some(self.lift(input, &used, below)?.above(|input| {
                    let input = Box::new(input);
                    Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned })
                }))
            }
            opaque => Some(Lifted::untouched(opaque.clone())),
        }
    }

    fn scan(&mut self, scan: &Scan, used: &Used, below: Below) -> Lifted {
        let may = below.waits || matches!(self.left, Left::About(_));
        let addresses = may.then(|| scan.table.addresses(&scan.spec)).flatten();
        let columns = addresses.map(|addresses| (addresses, late_columns(scan, used, addresses)));
        match columns {
            Some((addresses, late)) if self.pays(scan, &late, addresses, below) => {
                self.without(scan, late, addresses)
            }
            _ => Lifted::untouched(Plan::Scan(scan.clone())),
        }
    }

    /// Whether it pays to read these columns of a scan late.
    fn pays(
        &self,
        scan: &Scan,
        late: &[(ScanColumn, DataType)],
        addresses: Addresses,
        below: Below,
    ) -> bool {
        if !self.pass.planner.settings.late.of_files && addresses.of_file {
            return false;
        }
        let Some(stored) = scan.table.row_count() else { return false };
        if late.iter().map(|(_, ty)| width(ty)).sum::<f64>() < LEAST_WIDTH {
            return false;
        }
        // A scan reads columns of no conditions only together with rows that pass.
        let (stored, at_once) = (stored as f64, addresses.rows_at_once as f64);
        let passing = self.pass.estimator.relation(&Plan::Scan(scan.clone()), &[]).rows;
        match self.left {
            Left::AtMost(rows) => {
                let (early, late) = (passing * at_once, rows * at_once);
                early.min(stored) >= late.min(stored) * LEAST_GAIN
            }
            Left::About(rows) => {
                let passing = passing.min(below.most);
                if passing < rows * LEAST_REDUCTION {
                    return false;
                }
                let width = late.iter().map(|(column, ty)| stored_width(scan, column, ty)).sum();
                let reading = Reading { stored, at_once, width, stores: below.waits };
                let (early, late) = (reading.early(passing), reading.late(passing, rows));
                early >= late * LEAST_RATIO && early - late >= LEAST_SAVED
            }
        }
    }

    /// The scan without these columns, and with the addresses of its rows.
    fn without(
        &mut self,
        scan: &Scan,
        columns: Vec<(ScanColumn, DataType)>,
        addresses: Addresses,
    ) -> Lifted {
        let Scan { table, name, mut types, mut spec } = scan.clone();
        let address = self.pass.planner.fresh();
        spec.outputs.retain(|id| !columns.iter().any(|(column, _)| column.id == *id));
        spec.columns.retain(|known| !columns.iter().any(|(column, _)| column == known));
        spec.columns.push(ScanColumn::whole(address, addresses.position));
        spec.outputs.push(address);
        types.push((address, DataType::UInt64));
        // What reads the scan is put in the place of these values later.
        let input = Plan::Values(Values { columns: Vec::new(), chunk: Chunk::default() });
        let (of, called) = (std::sync::Arc::clone(&table), std::sync::Arc::clone(&name));
        let fetch = Fetch { input, table: of, name: called, addresses, address, columns };
        let plan = Plan::Scan(Scan { table, name, types, spec });
        Lifted { plan, fetches: vec![fetch], computed: Vec::new() }
    }

    fn project(&mut self, project: &Project, used: &Used, below: Below) -> Option<Lifted> {
        let may_move = |id: &ColumnId, expr: &Expr| {
            let is_column = matches!(expr, Expr::Column { .. });
            let is_free = is_column || (!below.only_columns && tree::is_deterministic(expr));
            is_free && !used.contains(id)
        };
        let stays = |(id, expr): &&(ColumnId, Expr)| !may_move(id, expr);
        let reads = with_exprs(&Used::new(), project.exprs.iter().filter(stays).map(|(_, e)| e));
        let mut input = self.lift(&project.input, &reads, below)?;
        let (mut exprs, mut moved) = (Vec::with_capacity(project.exprs.len()), Vec::new());
        for (id, expr) in &project.exprs {
            let is_same = matches!(expr, Expr::Column { id: from, .. } if from == id);
            let mut read = Vec::new();
            expr.columns(&mut read);
            let is_late = may_move(id, expr) && read.iter().any(|column| input.lacks(*column));
            match (is_late, is_same) {
                (true, true) => {}
                (true, false) => moved.push((*id, expr.clone())),
                (false, _) => exprs.push((*id, expr.clone())),
            }
        }
        // Each id must mean the same everywhere.
        let renewed = |id: &ColumnId, expr: &Expr| match expr {
            Expr::Column { id: from, .. } => from != id,
            _ => true,
        };
        let taken = input.plan.outputs();
        let is_taken = |(id, expr): &(ColumnId, Expr)| {
            renewed(id, expr) && (taken.contains(id) || input.lacks(*id))
        };
        let touched = !input.fetches.is_empty();
        if touched && exprs.iter().chain(&moved).any(is_taken) {
            return None;
        }
        input.computed.extend(moved);
        let header = input.plan.header().ok()?;
        for id in input.carried() {
            if !exprs.iter().any(|(known, _)| *known == id) {
                let ty = header.iter().find(|(known, _)| *known == id).map(|(_, ty)| ty.clone())?;
                exprs.push((id, Expr::column(id, ty)));
            }
        }
        Some(input.above(|input| Plan::Project(Project { input: Box::new(input), exprs })))
    }

    fn join(&mut self, join: &Join, used: &Used, below: Below) -> Option<Lifted> {
        let compared = join.compared().into_iter().flat_map(|(left, right)| [left, right]);
        let used = with_exprs(&with_ids(used, compared), join.residual.iter());
        let is_one_of = |kinds: [JoinKind; 2]| kinds.contains(&join.kind);
        let most = below.most.min(self.filtered(join));
        let sides = [
            (&join.left, below.waits, is_one_of([JoinKind::Right, JoinKind::Full]), most),
            // The right side is read to its end before the first row of the left side.
            (&join.right, true, is_one_of([JoinKind::Left, JoinKind::Full]), f64::INFINITY),
        ];
        let mut lifted = Vec::with_capacity(sides.len());
        for (side, waits, may_be_missing, most) in sides {
            let only_columns = below.only_columns || may_be_missing;
            let side = self.lift(side, &used, Below { waits, only_columns, most })?;
            lifted.push(match may_be_missing {
                true => self.may_be_missing(side, join.use_nulls)?,
                false => side,
            });
        }
        let (right, left) = (lifted.pop()?, lifted.pop()?);
        let outputs = |of: &[ColumnId], side: &Lifted| {
            let mut ids = of.to_vec();
            ids.retain(|id| !side.lacks(*id));
            ids.extend(side.carried().into_iter().filter(|id| !of.contains(id)));
            ids
        };
        let (left_outputs, right_outputs) =
            (outputs(&join.left_outputs, &left), outputs(&join.right_outputs, &right));
        let (mut fetches, mut computed) = (left.fetches, left.computed);
        fetches.extend(right.fetches);
        computed.extend(right.computed);
        let (left, right) = (left.plan, right.plan);
        let join = Join { left, right, left_outputs, right_outputs, ..join.clone() };
        Some(Lifted { plan: Plan::Join(Box::new(join)), fetches, computed })
    }

    /// About the most left rows that a scan reads if the join's keys filter it.
    fn filtered(&self, join: &Join) -> f64 {
        let drops = match join.kind {
            JoinKind::Inner | JoinKind::Right => true,
            JoinKind::Left => join.strictness == Strictness::Semi,
            _ => false,
        };
        let filters = join.filters_left && drops && !join.keys.is_empty();
        match (filters, self.left) {
            (true, Left::About(_)) => self.pass.estimator.join(join, &[]).rows,
            _ => f64::INFINITY,
        }
    }

    /// The side of an outer join that may lack a row for a row of the other side: its address is
    /// NULL then.
    fn may_be_missing(&mut self, mut side: Lifted, use_nulls: bool) -> Option<Lifted> {
        if side.fetches.is_empty() {
            return Some(side);
        }
        let header = side.plan.header().ok()?;
        let mut exprs: Vec<(ColumnId, Expr)> =
            header.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))).collect();
        for fetch in &mut side.fetches {
            let (id, expr) = exprs.iter_mut().find(|(id, _)| *id == fetch.address)?;
            // A join below leaves defaults for missing rows, and this one NULL: one address cannot
            // tell them apart.
            let differs = fetch.columns.iter().any(|(_, ty)| *ty != ty.when_missing());
            if expr.ty().is_nullable() && use_nulls && differs {
                return None;
            }
            if !expr.ty().is_nullable() {
                let address = self.pass.planner.fresh();
                *expr = self.pass.planner.call("toNullable", vec![expr.clone()]).ok()?;
                (*id, fetch.address) = (address, address);
            }
            for (_, ty) in fetch.columns.iter_mut().filter(|_| use_nulls) {
                *ty = ty.when_missing();
            }
        }
        for (_, expr) in side.computed.iter_mut().filter(|_| use_nulls) {
            let Expr::Column { id, ty } = expr else { return None };
            *expr = Expr::column(*id, ty.when_missing());
        }
        Some(side.above(|input| Plan::Project(Project { input: Box::new(input), exprs })))
    }
}

/// The outputs of a scan that are only handed on.
fn late_columns(scan: &Scan, used: &Used, addresses: Addresses) -> Vec<(ScanColumn, DataType)> {
    let spec = &scan.spec;
    let conditions = spec.filter.iter().chain(&spec.after_final);
    let order = spec.order.iter().map(|(id, _)| *id);
    let bounds = spec.runtime.iter().map(|filter| filter.column);
    let used = with_ids(&with_exprs(used, conditions), order.chain(bounds));
    let late = spec.outputs.iter().filter(|id| !used.contains(*id));
    let column = |id: &ColumnId| {
        let column = spec.column(*id).filter(|c| c.position < addresses.columns)?;
        let (_, ty) = scan.types.iter().find(|(known, _)| known == id)?;
        Some((column.clone(), ty.clone()))
    };
    late.filter_map(column).collect()
}

/// About how many bytes a value of a scan's column takes.
fn stored_width(scan: &Scan, column: &ScanColumn, ty: &DataType) -> f64 {
    let is_whole = scan.spec.whole_position(column.id).is_some();
    let varies = is_whole && ty.without_nullable().fixed_width().is_none();
    let known = varies.then(|| scan.table.column_statistics(column.position)).flatten();
    known.and_then(|known| known.average_width).unwrap_or_else(|| width(ty))
}

fn with_exprs<'e>(used: &Used, exprs: impl Iterator<Item = &'e Expr>) -> Used {
    let mut ids = Vec::new();
    exprs.for_each(|expr| expr.columns(&mut ids));
    with_ids(used, ids.into_iter())
}

fn with_ids(used: &Used, ids: impl Iterator<Item = ColumnId>) -> Used {
    used.iter().copied().chain(ids).collect()
}
