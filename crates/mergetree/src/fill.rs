//! Where the values of a part's columns come from.
//!
//! A part has the columns of the schema version that it was written with, while a reader wants
//! those of another version. This module alone decides what the values of a wanted column are:
//!
//! - the stored values, found by the column's id, and converted if they have another type;
//! - values computed by the column's DEFAULT, which may read other columns, stored or computed;
//! - one value for all rows, if the DEFAULT reads no column or there is none.
//!
//! Scans, merges and statistics all use it. For a part that lacks no column it costs one look-up
//! per column when the part is opened, and nothing per granule.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, Dictionary};
use entasis_expr::{ColumnId, Expr, Program};
use entasis_table_api::ScanColumn;
use entasis_types::DataType;

use crate::layers::{Layers, Patch, PatchColumn, Stored};
use crate::part_columns::{PARTITION_VALUE, PartFacts, row_numbers};
use crate::schema::SchemaVersion;
use crate::segment::{ColumnMeta, Mode, Segment};

/// Where the values of one column of a part come from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Stored as the column of a segment at this place, which is the base of the part or an overlay
    /// with the same granules; `convert` converts it to the wanted type.
    Stored { segment: Arc<Segment>, place: usize, convert: Option<Arc<Program>> },
    /// Stored like [`Self::Stored`], with some values that newer patches replace, oldest patch
    /// first.
    Patched {
        segment: Arc<Segment>,
        place: usize,
        convert: Option<Arc<Program>>,
        patches: Arc<[PatchColumn]>,
    },
    /// The addresses of rows, for mutations: the number in the upper half is the part's, and the
    /// lower half is the position of the row among the stored rows of the part.
    Address(u32),
    /// One value for all rows, with the metadata that a segment would have for such a column.
    Constant { value: Column, meta: Arc<ColumnMeta> },
    /// The number of the row: in the part, or with `in_granule` of its granule.
    RowNumber { in_granule: bool },
    /// Computed from other columns of the reader's list.
    Computed { program: Arc<Program>, inputs: Arc<[usize]> },
}

impl Origin {
    /// What is known of the column without reading it; `None` for a computed or converted column.
    ///
    /// Rows that a mask hides count, too.
    pub(crate) fn meta(&self) -> Result<Option<&Arc<ColumnMeta>>> {
        match self {
            Self::Stored { segment, place, convert: None } => segment.meta(*place).map(Some),
            Self::Constant { meta, .. } => Ok(Some(meta)),
            Self::Stored { .. }
            | Self::Patched { .. }
            | Self::Computed { .. }
            | Self::RowNumber { .. }
            | Self::Address(_) => Ok(None),
        }
    }
}

/// The addresses of all stored rows of a granule.
pub(crate) fn addresses(part: u32, segment: &Segment, granule: usize) -> Column {
    let before = segment.granules[..granule].iter().map(|&rows| u64::from(rows));
    let first = (u64::from(part) << 32) + before.sum::<u64>();
    let rows = u64::from(segment.granules[granule]);
    Column::from((first..first + rows).collect::<Vec<u64>>())
}

/// Applies patches to the values of a granule, oldest first.
pub(crate) fn patched(patches: &[PatchColumn], granule: usize, column: Column) -> Result<Column> {
    patches.iter().try_fold(column, |column, patch| patch.apply(granule, column))
}

/// Converts stored values to the wanted type.
pub(crate) fn converted(convert: Option<&Program>, column: Column) -> Result<Column> {
    let Some(program) = convert else { return Ok(column) };
    let rows = column.len();
    one_column(program, Chunk::new(vec![column], rows))
}

/// Evaluates a default expression over the columns that it reads.
pub(crate) fn computed(program: &Program, inputs: Vec<Column>, rows: usize) -> Result<Column> {
    one_column(program, Chunk::new(inputs, rows))
}

fn one_column(program: &Program, chunk: Chunk) -> Result<Column> {
    let column = program.run(&chunk)?.pop();
    column.ok_or_else(|| Error::logical("A default expression without a result"))
}

/// Most defaults that may depend on each other in a chain. Whoever adds columns keeps to it.
pub const MAX_DEFAULT_DEPTH: usize = 256;

/// How the values of a column that a part lacks are made.
#[derive(Clone)]
enum Absent {
    Constant(Column),
    Computed(Arc<Program>, Arc<[usize]>),
}

/// Plans how parts are read: the list of wanted columns, and where they come from in each part.
pub(crate) struct Filler<'a> {
    schema: &'a SchemaVersion,
    /// Schema positions of the wanted columns, followed by those of columns that defaults read.
    positions: Vec<usize>,
    /// Whether only a subcolumn is wanted. Defaults read whole columns.
    is_part: Vec<bool>,
    /// By place in `positions`; bound once for all parts.
    absent: Vec<Option<Absent>>,
    /// The part that is planned for, if virtual columns may be wanted.
    part: Option<PartFacts>,
}

impl<'a> Filler<'a> {
    /// Plans for the stored columns at these positions of the schema.
    pub(crate) fn new(schema: &'a SchemaVersion, wanted: Vec<usize>) -> Result<Self> {
        let address = Self::address_position(schema);
        if wanted.iter().any(|at| *at >= schema.stored.len() && *at != address) {
            return Err(Error::logical("A scan names a column that the table does not store"));
        }
        Ok(Self::unchecked(schema, wanted))
    }

    /// The position by which mutations ask for the addresses of rows: behind all columns.
    pub(crate) fn address_position(schema: &SchemaVersion) -> usize {
        schema.config.schema.columns.len()
    }

    fn unchecked(schema: &'a SchemaVersion, positions: Vec<usize>) -> Self {
        let (absent, is_part) = (vec![None; positions.len()], vec![false; positions.len()]);
        Self { schema, positions, is_part, absent, part: None }
    }

    /// Plans for the columns of a scan. They may be virtual: [`Self::enter`] tells of each part
    /// what these show.
    pub(crate) fn of_scan(schema: &'a SchemaVersion, columns: &[ScanColumn]) -> Result<Self> {
        let filler = Self::unchecked(schema, columns.iter().map(|c| c.position).collect());
        let is_part = columns.iter().map(|c| !c.path.is_whole()).collect();
        Ok(Self { is_part, ..filler })
    }

    /// Plans for this part from now on.
    pub(crate) fn enter(&mut self, part: PartFacts) {
        self.part = Some(part);
    }

    /// The number of columns in the list, over all parts so far.
    pub(crate) fn width(&self) -> usize {
        self.positions.len()
    }

    /// The origins of the wanted columns in a part, followed by those of the columns that defaults
    /// read. `part` is the number of the part for the addresses of its rows.
    pub(crate) fn origins(&mut self, layers: &Layers, part: usize) -> Result<Vec<Origin>> {
        let mut origins = Vec::with_capacity(self.positions.len());
        while origins.len() < self.positions.len() {
            let at = origins.len();
            origins.push(match self.positions[at] == Self::address_position(self.schema) {
                true => Origin::Address(part as u32),
                false => self.origin(layers, at)?,
            });
        }
        self.check_depth(&origins)?;
        Ok(origins)
    }

    fn origin(&mut self, layers: &Layers, at: usize) -> Result<Origin> {
        let position = self.positions[at];
        let segment = &layers.base;
        let Some(spec) = self.schema.stored.get(position) else {
            let column = self.schema.config.schema.columns.get(position);
            if column.is_some_and(|column| *column.name == *PARTITION_VALUE)
                && let Some(key) = &self.schema.config.partition_value
            {
                return self.computed_by(key.clone());
            }
            let of_part = column.zip(self.part.as_ref());
            let missing = || Error::logical("A scan names a column that the table does not have");
            return of_part.and_then(|(c, part)| part.origin(&c.name, segment)).ok_or_else(missing);
        };
        if let Some(Stored { segment, place, patches }) = layers.stored(spec.id) {
            let convert = self.conversion(position, segment.column_type(place))?;
            if patches.is_empty() {
                return Ok(Origin::Stored { segment, place, convert });
            }
            let column = |(patch, place): (Arc<Patch>, usize)| {
                let convert = self.conversion(position, patch.column_type(place))?;
                let values = Arc::new(converted(convert.as_deref(), patch.values(place)?)?.full());
                Ok(PatchColumn { patch, values })
            };
            let patches = patches.into_iter().map(column).collect::<Result<_>>()?;
            return Ok(Origin::Patched { segment, place, convert, patches });
        }
        if segment.schema_version > self.schema.columns.version() {
            let message = format!(
                "Column {} was dropped after the statement began: run the statement again",
                spec.name
            );
            return Err(Error::new(codes::ABORTED, message));
        }
        let absent = match &self.absent[at] {
            Some(absent) => absent.clone(),
            None => {
                let absent = self.default(position)?;
                self.absent[at] = Some(absent.clone());
                absent
            }
        };
        Ok(match absent {
            Absent::Constant(value) => {
                let meta = Arc::new(ColumnMeta::of_constant(&value, segment.rows));
                Origin::Constant { value, meta }
            }
            Absent::Computed(program, inputs) => Origin::Computed { program, inputs },
        })
    }

    /// The conversion from a type to that of the stored column at a position; `None` if they are
    /// the same.
    fn conversion(&self, position: usize, from: &DataType) -> Result<Option<Arc<Program>>> {
        if *from == self.schema.stored[position].ty {
            return Ok(None);
        }
        let Some(binder) = &self.schema.config.defaults else {
            let name = &self.schema.stored[position].name;
            let message = format!("Reading column {name} of a part where it has type {from}");
            return Err(Error::not_implemented(message));
        };
        let expr = binder.convert(position, from)?;
        Ok(Some(Arc::new(Program::new(&[expr], &[ColumnId(position as u32)])?)))
    }

    fn default(&mut self, position: usize) -> Result<Absent> {
        let ty = &self.schema.stored[position].ty;
        let binder = self.schema.config.defaults.as_ref();
        let lengths = self.schema.lengths_of(position);
        let expr = match binder.map(|b| b.default(position, lengths)).transpose()?.flatten() {
            None => Expr::literal(ty.column_default(), ty.clone()),
            Some(expr) => expr,
        };
        if let Expr::Literal { value, ty } = &expr {
            return Ok(Absent::Constant(Column::from_value(ty, value, 1)));
        }
        let (program, inputs) = self.program(expr)?;
        Ok(Absent::Computed(program, inputs))
    }

    /// A program that computes an expression, and the places in the list of its inputs.
    fn program(&mut self, expr: Expr) -> Result<(Arc<Program>, Arc<[usize]>)> {
        let reads = SchemaVersion::read_by(std::slice::from_ref(&expr));
        let ids: Vec<ColumnId> = reads.iter().map(|p| ColumnId(*p as u32)).collect();
        let inputs = reads.into_iter().map(|position| self.place(position)).collect();
        Ok((Arc::new(Program::new(&[expr], &ids)?), inputs))
    }

    fn computed_by(&mut self, expr: Expr) -> Result<Origin> {
        let (program, inputs) = self.program(expr)?;
        Ok(Origin::Computed { program, inputs })
    }

    /// The place in the list of a column that a default reads; adds it if it is missing.
    fn place(&mut self, position: usize) -> usize {
        let mut known = self.positions.iter().zip(&self.is_part);
        known.position(|(p, is_part)| *p == position && !is_part).unwrap_or_else(|| {
            self.positions.push(position);
            self.is_part.push(false);
            self.absent.push(None);
            self.positions.len() - 1
        })
    }

    /// Fails if a default depends on its own result, which CREATE and ALTER refuse, or if the chain
    /// of defaults is too long for the recursion that computes them.
    fn check_depth(&self, origins: &[Origin]) -> Result<()> {
        let computed = |(at, origin): (usize, &Origin)| match origin {
            Origin::Computed { inputs, .. } => Some((at, Arc::clone(inputs))),
            _ => None,
        };
        let mut waiting: Vec<(usize, Arc<[usize]>)> =
            origins.iter().enumerate().filter_map(computed).collect();
        let mut is_waiting = vec![false; if waiting.is_empty() { 0 } else { origins.len() }];
        for _ in 0..MAX_DEFAULT_DEPTH {
            if waiting.is_empty() {
                return Ok(());
            }
            is_waiting.fill(false);
            waiting.iter().for_each(|(at, _)| is_waiting[*at] = true);
            let before = waiting.len();
            waiting.retain(|(_, inputs)| inputs.iter().any(|input| is_waiting[*input]));
            if waiting.len() == before {
                break;
            }
        }
        let Some((at, _)) = waiting.first() else { return Ok(()) };
        let name = &self.schema.stored[self.positions[*at]].name;
        let message = format!(
            "The default of column {name} reads itself, or more than {MAX_DEFAULT_DEPTH} columns that a \
             part lacks stand one behind the other in defaults"
        );
        Err(Error::new(codes::TOO_DEEP_RECURSION, message))
    }
}

/// Reads whole granules of a part, one after the other, without the rows that do not exist any
/// more. Used by merges.
pub(crate) struct GranuleReader {
    layers: Arc<Layers>,
    origins: Vec<Origin>,
    /// Dictionaries and constants of the stored columns, by place in the list.
    values: Vec<Option<Arc<Dictionary>>>,
    buffer: Vec<u8>,
    /// The current granule and its computed columns, since several defaults may read the same one.
    granule: usize,
    computed: Vec<Option<Column>>,
}

impl GranuleReader {
    /// A reader of the columns of a [`Filler`]'s list.
    pub(crate) fn new(layers: &Arc<Layers>, origins: Vec<Origin>) -> Result<Self> {
        let values = |origin: &Origin| match origin {
            Origin::Stored { segment, place, .. } | Origin::Patched { segment, place, .. }
                if segment.meta(*place)?.mode != Mode::Plain =>
            {
                segment.read_dictionary(*place).map(Some)
            }
            _ => Ok(None),
        };
        let values = origins.iter().map(values).collect::<Result<_>>()?;
        let computed = vec![None; origins.len()];
        let (layers, buffer) = (Arc::clone(layers), Vec::new());
        Ok(Self { layers, origins, values, buffer, granule: 0, computed })
    }

    /// The next granule from this one on that has rows, and their number; `None` after the part's
    /// last one.
    pub(crate) fn next(&self, from: usize) -> Result<Option<(usize, usize)>> {
        for granule in from..self.layers.base.granules.len() {
            let rows = self.layers.rows(granule)?;
            if rows > 0 {
                return Ok(Some((granule, rows)));
            }
        }
        Ok(None)
    }

    /// The dictionary of a column, if its granules hold codes into one.
    pub(crate) fn dictionary(&self, at: usize) -> Result<Option<&Arc<Dictionary>>> {
        match &self.origins[at] {
            Origin::Stored { segment, place, convert: None }
                if segment.meta(*place)?.mode == Mode::Dictionary =>
            {
                Ok(self.values[at].as_ref())
            }
            _ => Ok(None),
        }
    }

    /// Reads the existing rows of a granule of a column.
    pub(crate) fn read(&mut self, at: usize, granule: usize) -> Result<Column> {
        if granule >= self.layers.base.granules.len() {
            return Err(Error::logical("A merge reads past the end of a part"));
        }
        let column = match self.origins[at].clone() {
            Origin::Stored { segment, place, convert } => {
                let values = self.values[at].as_ref();
                let column = segment.read_granule(place, granule, values, &mut self.buffer)?;
                converted(convert.as_deref(), column)?
            }
            Origin::Patched { segment, place, convert, patches } => {
                let values = self.values[at].as_ref();
                let column = segment.read_granule(place, granule, values, &mut self.buffer)?;
                patched(&patches, granule, converted(convert.as_deref(), column)?)?
            }
            Origin::Address(part) => addresses(part, &self.layers.base, granule),
            Origin::Constant { value, .. } => {
                return Ok(Column::constant(value, self.layers.rows(granule)?));
            }
            Origin::RowNumber { in_granule } => {
                let rows = self.layers.base.granules[granule] as usize;
                row_numbers(&self.layers.base, granule, rows, in_granule)
            }
            Origin::Computed { program, inputs } => {
                if self.granule != granule {
                    self.granule = granule;
                    self.computed.fill(None);
                }
                if let Some(column) = &self.computed[at] {
                    return Ok(column.clone());
                }
                let rows = self.layers.rows(granule)?;
                let inputs = inputs.iter().map(|&input| self.read(input, granule));
                let column = computed(&program, inputs.collect::<Result<_>>()?, rows)?;
                self.computed[at] = Some(column.clone());
                return Ok(column);
            }
        };
        self.layers.only_existing(granule, column)
    }
}
