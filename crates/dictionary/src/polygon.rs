//! Polygons. The smallest polygon that contains a point counts.

use entasis_base::{Error, Result, codes, scope};
use entasis_column::Column;

/// A polygon with its holes, or several polygons of one row.
struct Shape {
    /// Least and greatest x, least and greatest y.
    bounds: [f64; 4],
    /// All rings, outer ones and holes.
    rings: Vec<Vec<(f64, f64)>>,
    row: u32,
}

/// The polygons of all rows, smallest first.
pub(crate) struct Polygons {
    shapes: Vec<Shape>,
}

impl Polygons {
    /// Takes the polygon of each row.
    pub(crate) fn build(column: &Column) -> Result<Self> {
        let column = column.full();
        let mut shapes = Vec::with_capacity(column.len());
        for row in 0..column.len() {
            let mut rings = Vec::new();
            collect(&column, row, &mut rings)?;
            let mut bounds = [f64::MAX, f64::MIN, f64::MAX, f64::MIN];
            for &(x, y) in rings.iter().flatten() {
                bounds = [bounds[0].min(x), bounds[1].max(x), bounds[2].min(y), bounds[3].max(y)];
            }
            shapes.push((area(&rings), Shape { bounds, rings, row: row as u32 + 1 }));
        }
        shapes.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self { shapes: shapes.into_iter().map(|(_, shape)| shape).collect() })
    }

    /// The row for each point; 0 if no polygon contains it.
    pub(crate) fn find(&self, points: &[Column], rows: usize) -> Result<Vec<u32>> {
        let [x, y] = points else { return Err(unexpected()) };
        let (x, y) = (x.full(), y.full());
        let (Some(x), Some(y)) = (x.native::<f64>(), y.native::<f64>()) else {
            return Err(unexpected());
        };
        let mut found = Vec::with_capacity(rows);
        for (&x, &y) in x.iter().zip(y.iter()) {
            scope::check()?;
            let shape = self.shapes.iter().find(|shape| shape.contains(x, y));
            found.push(shape.map_or(0, |shape| shape.row));
        }
        Ok(found)
    }

    pub(crate) fn byte_size(&self) -> usize {
        self.shapes.iter().flat_map(|shape| &shape.rings).map(|ring| ring.len() * 16).sum()
    }
}

impl Shape {
    /// Whether a ray from the point crosses the rings an odd number of times.
    fn contains(&self, x: f64, y: f64) -> bool {
        let [left, right, bottom, top] = self.bounds;
        if x < left || x > right || y < bottom || y > top {
            return false;
        }
        let mut inside = false;
        for ring in &self.rings {
            let mut previous = ring.last().copied();
            for &(bx, by) in ring {
                let Some((ax, ay)) = previous.replace((bx, by)) else { continue };
                if (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax {
                    inside = !inside;
                }
            }
        }
        inside
    }
}

#[cold]
fn unexpected() -> Error {
    let message = "A key of a POLYGON dictionary must be an array of points, or of polygons that \
                   are arrays of rings; a point is a tuple or an array of two Float64";
    Error::new(codes::TYPE_MISMATCH, message)
}

/// Twice the area of the first ring.
fn area(rings: &[Vec<(f64, f64)>]) -> f64 {
    let Some(ring) = rings.first() else { return 0.0 };
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs()
}

/// Adds the rings in a row of nested arrays. The innermost arrays that hold points are rings.
fn collect(column: &Column, row: usize, rings: &mut Vec<Vec<(f64, f64)>>) -> Result<()> {
    let Column::Array(array) = column else { return Err(unexpected()) };
    let range = array.range(row);
    if is_point(&array.values) {
        let ring = range.map(|i| point(&array.values, i)).collect::<Result<Vec<_>>>()?;
        rings.push(ring);
        return Ok(());
    }
    range.into_iter().try_for_each(|i| collect(&array.values, i, rings))
}

fn is_point(column: &Column) -> bool {
    match column {
        Column::Tuple(_) => true,
        Column::Array(array) => matches!(array.values, Column::Float64(_)),
        _ => false,
    }
}

fn point(column: &Column, row: usize) -> Result<(f64, f64)> {
    let pair = match column {
        Column::Tuple(tuple) => match &tuple.columns[..] {
            [Column::Float64(x), Column::Float64(y)] => Some((x[row], y[row])),
            _ => None,
        },
        Column::Array(array) => match &array.values {
            Column::Float64(values) => {
                let range = array.range(row);
                (range.len() == 2).then(|| (values[range.start], values[range.start + 1]))
            }
            _ => None,
        },
        _ => None,
    };
    pair.ok_or_else(unexpected)
}
