//! `groupArrayInsertAt`: values at given places of an array.

use std::any::Any;
use std::ops::Range;

use entasis_base::varint::{read_varint, write_varint};
use entasis_base::{Error, Result, codes};
use entasis_column::{Column, ColumnBuilder, StringsBuilder};
use entasis_types::{DataType, Value};

use entasis_function::aggregate::args::{Bytes, cut_off, expect_count, mismatch, wrong_count};
use entasis_function::aggregate::binary::{read_value, write_value};
use entasis_function::cast::{self, Session};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext, States};
use entasis_function_kernel::aggregates::fold::same;
use entasis_function_kernel::aggregates::lists::Lists;
use entasis_function_kernel::kernel::Number;

/// Longest array.
const MOST: u32 = 0x00FF_FFFF;

#[derive(Clone, Debug)]
struct InsertAt {
    ty: DataType,
    /// The value of places where nothing is inserted.
    default: Value,
    size: Option<u32>,
}

impl Aggregate for InsertAt {
    fn return_type(&self) -> DataType {
        DataType::array(self.ty.clone())
    }

    fn states(&self) -> Box<dyn States> {
        let (values, places) = (Lists::new(&self.ty), Lists::new(&DataType::UInt32));
        Box::new(InsertAtStates { of: self.clone(), values, places })
    }
}

/// Values and their places, in two lists per group.
struct InsertAtStates {
    of: InsertAt,
    values: Lists,
    places: Lists,
}

impl InsertAtStates {
    fn append(&mut self, values: &Column, places: Vec<u32>, groups: &[u32]) -> Result<()> {
        self.values.append(values, groups)?;
        self.places.append(&places.into(), groups)
    }

    /// For each place of a group's array the row of its value: the first one, if there are several.
    fn arranged(starts: &[u32], places: &[u32]) -> Vec<Vec<Option<u32>>> {
        let of_group = |window: &[u32]| {
            let mut rows: Vec<Option<u32>> = Vec::new();
            for row in window[0]..window[1] {
                let place = places[row as usize] as usize;
                if place >= rows.len() {
                    rows.resize(place + 1, None);
                }
                rows[place].get_or_insert(row);
            }
            rows
        };
        starts.windows(2).map(of_group).collect()
    }
}

impl States for InsertAtStates {
    fn resize(&mut self, groups: usize) {
        self.values.resize(groups);
        self.places.resize(groups);
    }

    fn update(&mut self, args: &[Column], groups: &[u32]) -> Result<()> {
        let [values, places] = args else { return Err(mismatch()) };
        let places = u64::read(&places.full()).ok_or_else(mismatch)?;
        let limit = u64::from(self.of.size.unwrap_or(MOST));
        let mut kept = Vec::with_capacity(groups.len());
        for (i, &place) in places.iter().enumerate() {
            if place < limit {
                kept.push(i as u32);
            } else if self.of.size.is_none() {
                let message = format!(
                    "Too large array size: position argument ({place}) is greater or equals to \
                     limit ({MOST})"
                );
                return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, message));
            }
        }
        let of: Vec<u32> = kept.iter().map(|&i| groups[i as usize]).collect();
        let at = kept.iter().map(|&i| places[i as usize] as u32).collect();
        self.append(&values.full().take(&kept), at, &of)
    }

    fn merge(&mut self, other: &mut dyn States, from: &[u32], groups: &[u32]) -> Result<()> {
        let other = same::<Self>(other)?;
        let (values, to) = other.values.of_groups(from, groups);
        let places = other.places.of_groups(from, groups).0;
        let places = places.native::<u32>().ok_or_else(mismatch)?.to_vec();
        self.append(&values, places, &to)
    }

    fn serialize(&self, groups: Range<usize>, out: &mut StringsBuilder) -> Result<()> {
        let (mut values, mut places) = (Lists::new(&self.of.ty), Lists::new(&DataType::UInt32));
        values.copy_from(&self.values)?;
        places.copy_from(&self.places)?;
        let places = places.read(groups.start, groups.end).1.clone();
        let places = places.native::<u32>().ok_or_else(mismatch)?;
        let (starts, values) = values.read(groups.start, groups.end);
        for rows in Self::arranged(starts, places) {
            write_varint(&mut out.data, rows.len() as u64);
            for row in rows {
                out.data.push(u8::from(row.is_none()));
                if let Some(row) = row {
                    write_value(values, row as usize, &mut out.data);
                }
            }
            out.check_room(0)?;
            out.close();
        }
        Ok(())
    }

    fn merge_one(&mut self, input: &mut &[u8], group: u32) -> Result<()> {
        let mut values = ColumnBuilder::new(&self.of.ty, 8);
        let mut places = Vec::new();
        let len = read_varint(input)?;
        if len > u64::from(MOST) {
            return Err(cut_off());
        }
        for place in 0..len as u32 {
            if u8::get(input)? == 0 {
                read_value(input, &mut values)?;
                places.push(place);
            }
        }
        let groups = vec![group; places.len()];
        self.append(&values.finish(), places, &groups)
    }

    fn finish(&mut self, groups: Range<usize>) -> Result<Column> {
        let places = self.places.read(groups.start, groups.end).1.clone();
        let places = places.native::<u32>().ok_or_else(mismatch)?;
        let (starts, values) = self.values.read(groups.start, groups.end);
        let default = Column::from_value(&self.of.ty, &self.of.default, 1).full();
        let missing = values.len() as u32;
        let (mut indices, mut offsets) = (Vec::new(), vec![0u32]);
        for rows in Self::arranged(starts, places) {
            let len = self.of.size.map_or(rows.len(), |size| size as usize);
            let row = |i: usize| rows.get(i).copied().flatten().unwrap_or(missing);
            indices.extend((0..len).map(row));
            offsets.push(indices.len() as u32);
        }
        let values = Column::concat(&[values, &default]).take(&indices);
        Ok(Column::array(offsets.into(), values))
    }

    fn byte_size(&self) -> usize {
        self.values.byte_size() + self.places.byte_size()
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The parameter as a value of the array's type.
fn default_value(param: &Value, ty: &DataType, context: &dyn FunctionContext) -> Result<Value> {
    let own = match param {
        Value::UInt(_) => DataType::UInt64,
        Value::Int(_) => DataType::Int64,
        Value::Float(_) => DataType::Float64,
        Value::String(_) => DataType::String,
        _ => ty.clone(),
    };
    let wrong = |code| {
        let message = format!(
            "Cannot convert parameter of aggregate function groupArrayInsertAt to type {ty} to be \
             used as default value in array"
        );
        Error::new(code, message)
    };
    let plain = ty.without_nullable();
    if own.is_string() != plain.is_string() {
        return Err(wrong(codes::TYPE_MISMATCH));
    }
    if own.is_string() {
        return Ok(param.clone());
    }
    let column = Column::from_value(&own, param, 1);
    let cast = cast::bind(&own, plain, Session::of(context))?;
    let value = cast(&column)?.value(0);
    if value == *param { Ok(value) } else { Err(wrong(codes::CANNOT_CONVERT_TYPE)) }
}

fn bind(args: AggregateArgs<'_>, context: &dyn FunctionContext) -> Result<Box<dyn Aggregate>> {
    let name = "groupArrayInsertAt";
    if args.params.len() > 2 {
        let message = "Aggregate function groupArrayInsertAt requires at most two parameters";
        return Err(wrong_count(message));
    }
    expect_count(name, args, 2)?;
    if !args.types[1].is_unsigned() {
        let message =
            "Second argument of aggregate function groupArrayInsertAt must be unsigned integer";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let ty = args.types[0].clone();
    let default = match args.params.first() {
        Some(param) => default_value(param, &ty, context)?,
        None => Column::default_of(&ty, 1).value(0),
    };
    let size = match args.params.get(1) {
        None => None,
        Some(param) => {
            let size = param.as_u64().filter(|&n| n <= u64::from(MOST));
            Some(size.ok_or_else(|| {
                let message = format!("The maximum array size is {MOST}");
                Error::new(codes::TOO_LARGE_ARRAY_SIZE, message)
            })? as u32)
        }
    };
    Ok(Box::new(InsertAt { ty, default, size }))
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[AggregateDef {
    name: "groupArrayInsertAt",
    description: "Array with the first argument at the places that the second says; parameters: \
                  what stands elsewhere, and the length.",
    examples: &[(
        "SELECT groupArrayInsertAt(9, 4)(number, number * 2) FROM numbers(2)",
        "[0,9,1,9]",
    )],
    bind,
    ..AggregateDef::DEFAULT
}];
