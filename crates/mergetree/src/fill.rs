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

use crate::schema::SchemaVersion;
use crate::segment::{ColumnMeta, Mode, Segment};

/// Where the values of one column of a part come from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Stored as the segment's column at this place; `convert` converts it to the wanted type.
    Stored { place: usize, convert: Option<Arc<Program>> },
    /// One value for all rows, with the metadata that a segment would have for such a column.
    Constant { value: Column, meta: Arc<ColumnMeta> },
    /// Computed from other columns of the reader's list.
    Computed { program: Arc<Program>, inputs: Arc<[usize]> },
}

impl Origin {
    /// What is known of the column without reading it; `None` for a computed or converted column.
    pub(crate) fn meta<'a>(&'a self, segment: &'a Segment) -> Result<Option<&'a Arc<ColumnMeta>>> {
        match self {
            Self::Stored { place, convert: None } => segment.meta(*place).map(Some),
            Self::Constant { meta, .. } => Ok(Some(meta)),
            Self::Stored { .. } | Self::Computed { .. } => Ok(None),
        }
    }
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

/// Most defaults that may depend on each other in a chain.
const MAX_DEPTH: usize = 256;

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
}

impl<'a> Filler<'a> {
    /// Plans for the stored columns at these positions of the schema.
    pub(crate) fn new(schema: &'a SchemaVersion, wanted: Vec<usize>) -> Result<Self> {
        if wanted.iter().any(|position| *position >= schema.stored.len()) {
            return Err(Error::logical("A scan names a column that the table does not store"));
        }
        let (absent, is_part) = (vec![None; wanted.len()], vec![false; wanted.len()]);
        Ok(Self { schema, positions: wanted, is_part, absent })
    }

    /// Plans for the columns of a scan.
    pub(crate) fn of_scan(schema: &'a SchemaVersion, columns: &[ScanColumn]) -> Result<Self> {
        let filler = Self::new(schema, columns.iter().map(|c| c.position).collect())?;
        let is_part = columns.iter().map(|c| !c.path.is_whole()).collect();
        Ok(Self { is_part, ..filler })
    }

    /// The number of columns in the list, over all parts so far.
    pub(crate) fn width(&self) -> usize {
        self.positions.len()
    }

    /// The origins of the wanted columns in a part, followed by those of the columns that defaults
    /// read.
    pub(crate) fn origins(&mut self, segment: &Segment) -> Result<Vec<Origin>> {
        let mut origins = Vec::with_capacity(self.positions.len());
        while origins.len() < self.positions.len() {
            origins.push(self.origin(segment, origins.len())?);
        }
        self.check_depth(&origins)?;
        Ok(origins)
    }

    fn origin(&mut self, segment: &Segment, at: usize) -> Result<Origin> {
        let position = self.positions[at];
        let spec = &self.schema.stored[position];
        if let Some(place) = segment.position(spec.id) {
            let from = segment.column_type(place);
            let convert =
                if *from == spec.ty { None } else { Some(self.conversion(position, from)?) };
            return Ok(Origin::Stored { place, convert });
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

    fn conversion(&self, position: usize, from: &DataType) -> Result<Arc<Program>> {
        let Some(binder) = &self.schema.config.defaults else {
            let name = &self.schema.stored[position].name;
            let message = format!("Reading column {name} of a part where it has type {from}");
            return Err(Error::not_implemented(message));
        };
        let expr = binder.convert(position, from)?;
        Ok(Arc::new(Program::new(&[expr], &[ColumnId(position as u32)])?))
    }

    fn default(&mut self, position: usize) -> Result<Absent> {
        let ty = &self.schema.stored[position].ty;
        let binder = self.schema.config.defaults.as_ref();
        let expr = match binder.map(|b| b.default(position)).transpose()?.flatten() {
            None => Expr::literal(ty.column_default(), ty.clone()),
            Some(expr) => expr,
        };
        if let Expr::Literal { value, ty } = &expr {
            return Ok(Absent::Constant(Column::from_value(ty, value, 1)));
        }
        let reads = SchemaVersion::read_by(std::slice::from_ref(&expr));
        let ids: Vec<ColumnId> = reads.iter().map(|p| ColumnId(*p as u32)).collect();
        let inputs = reads.into_iter().map(|position| self.place(position)).collect();
        Ok(Absent::Computed(Arc::new(Program::new(&[expr], &ids)?), inputs))
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
        for _ in 0..MAX_DEPTH {
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
            "The default of column {name} depends on itself, or on a chain of more than \
             {MAX_DEPTH} defaults of columns that a part lacks"
        );
        Err(Error::new(codes::TOO_DEEP_RECURSION, message))
    }
}

/// Reads whole granules of a part, one after the other. Used by merges.
pub(crate) struct GranuleReader {
    segment: Arc<Segment>,
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
    pub(crate) fn new(segment: &Arc<Segment>, origins: Vec<Origin>) -> Result<Self> {
        let values = |origin: &Origin| match origin {
            Origin::Stored { place, .. } if segment.meta(*place)?.mode != Mode::Plain => {
                segment.read_dictionary(*place).map(Some)
            }
            _ => Ok(None),
        };
        let values = origins.iter().map(values).collect::<Result<_>>()?;
        let computed = vec![None; origins.len()];
        let (segment, buffer) = (Arc::clone(segment), Vec::new());
        Ok(Self { segment, origins, values, buffer, granule: 0, computed })
    }

    /// Number of rows of a granule; `None` after the part's last one.
    pub(crate) fn rows(&self, granule: usize) -> Option<usize> {
        self.segment.granules.get(granule).map(|rows| *rows as usize)
    }

    /// The dictionary of a column, if its granules hold codes into one.
    pub(crate) fn dictionary(&self, at: usize) -> Result<Option<&Arc<Dictionary>>> {
        match &self.origins[at] {
            Origin::Stored { place, convert: None }
                if self.segment.meta(*place)?.mode == Mode::Dictionary =>
            {
                Ok(self.values[at].as_ref())
            }
            _ => Ok(None),
        }
    }

    /// Reads a granule of a column.
    pub(crate) fn read(&mut self, at: usize, granule: usize) -> Result<Column> {
        let Some(rows) = self.rows(granule) else {
            return Err(Error::logical("A merge reads past the end of a part"));
        };
        match self.origins[at].clone() {
            Origin::Stored { place, convert } => {
                let values = self.values[at].as_ref();
                let column = self.segment.read_granule(place, granule, values, &mut self.buffer)?;
                converted(convert.as_deref(), column)
            }
            Origin::Constant { value, .. } => Ok(Column::constant(value, rows)),
            Origin::Computed { program, inputs } => {
                if self.granule != granule {
                    self.granule = granule;
                    self.computed.fill(None);
                }
                if let Some(column) = &self.computed[at] {
                    return Ok(column.clone());
                }
                let inputs = inputs.iter().map(|&input| self.read(input, granule));
                let column = computed(&program, inputs.collect::<Result<_>>()?, rows)?;
                self.computed[at] = Some(column.clone());
                Ok(column)
            }
        }
    }
}
