//! Whether a point is in a polygon or in one of several ellipses.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Value};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::Side;

/// Corners of a closed line; the last one is connected with the first.
type Ring = Vec<(f64, f64)>;
/// The outer line of a polygon, and those of its holes.
type Polygon = Vec<Ring>;

/// Where a point is, seen from a ring.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Inside,
    Border,
    Outside,
}

/// The sides of a ring.
fn sides(ring: &Ring) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
    let last = ring.last().copied();
    ring.iter().scan(last, |previous, &b| previous.replace(b).map(|a| (a, b)))
}

/// Whether a ray from the point crosses the ring an odd number of times.
fn crosses(ring: &Ring, (x, y): (f64, f64)) -> bool {
    let crossed = |&((ax, ay), (bx, by)): &((f64, f64), (f64, f64))| {
        (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax
    };
    sides(ring).filter(crossed).count() % 2 == 1
}

fn place(ring: &Ring, point: (f64, f64)) -> Place {
    let (x, y) = point;
    let on_side = sides(ring).any(|((ax, ay), (bx, by))| {
        let within = |v: f64, a: f64, b: f64| v >= a.min(b) && v <= a.max(b);
        within(x, ax, bx) && within(y, ay, by) && (bx - ax) * (y - ay) == (by - ay) * (x - ax)
    });
    match on_side {
        true => Place::Border,
        false if crosses(ring, point) => Place::Inside,
        false => Place::Outside,
    }
}

/// Polygons that are the same in all rows. Their borders, and those of their holes, belong to them.
struct Area {
    polygons: Vec<Polygon>,
    /// Least and greatest x, least and greatest y.
    bounds: [f64; 4],
}

impl Area {
    fn new(polygons: Vec<Polygon>) -> Result<Self> {
        if polygons.iter().flatten().any(|ring| ring.len() < 3) {
            let message = "Polygon is not valid: Geometry has too few points";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let mut bounds = [f64::MAX, f64::MIN, f64::MAX, f64::MIN];
        for &(x, y) in polygons.iter().filter_map(|p| p.first()).flatten() {
            bounds = [bounds[0].min(x), bounds[1].max(x), bounds[2].min(y), bounds[3].max(y)];
        }
        Ok(Self { polygons, bounds })
    }

    fn contains(&self, point: (f64, f64)) -> bool {
        let [left, right, bottom, top] = self.bounds;
        if !(left..=right).contains(&point.0) || !(bottom..=top).contains(&point.1) {
            return false;
        }
        self.polygons.iter().any(|polygon| match polygon.split_first() {
            Some((outer, holes)) => {
                place(outer, point) != Place::Outside
                    && holes.iter().all(|hole| place(hole, point) != Place::Inside)
            }
            None => false,
        })
    }
}

fn wrong_type(message: String) -> Error {
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// Fails unless the type is a pair of numbers.
fn expect_point(ty: &DataType, i: usize) -> Result<()> {
    let name = format!("Argument {} for function pointInPolygon", i + 1);
    let DataType::Tuple(tuple) = ty else {
        return Err(wrong_type(format!("{name} must contain a tuple")));
    };
    if tuple.types.len() != 2 {
        let message = format!("{name} must have exactly two elements");
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    match tuple.types.iter().position(|ty| !ty.is_native_number()) {
        Some(at) => {
            Err(wrong_type(format!("{name} must contain numeric tuple at position {}", at + 1)))
        }
        None => Ok(()),
    }
}

/// How many arrays are around the points of an argument.
fn depth_of(ty: &DataType, i: usize) -> Result<usize> {
    let (mut depth, mut inner) = (0, ty);
    while let DataType::Array(element) = inner {
        (depth, inner) = (depth + 1, element);
    }
    if !(1..=3).contains(&depth) || !matches!(inner, DataType::Tuple(_)) {
        return Err(wrong_type(format!(
            "Argument {} for function pointInPolygon must contain an array of tuples or an array \
             of arrays of tuples or an array of arrays of arrays of tuples",
            i + 1
        )));
    }
    expect_point(inner, i).map(|()| depth)
}

/// Both coordinates of all points of a column.
fn coordinates(column: &Column) -> Result<(Side<f64>, Side<f64>)> {
    match column {
        Column::Tuple(pair) if pair.columns.len() == 2 => {
            Ok((Side::read(&pair.columns[0])?, Side::read(&pair.columns[1])?))
        }
        Column::Const(c) => {
            let (x, y) = coordinates(&c.value)?;
            Ok((Side::One(x.get(0)), Side::One(y.get(0))))
        }
        _ => Err(Error::logical("points are no pairs")),
    }
}

/// The arguments behind the point, with the coordinates of all their points.
struct Shapes {
    arguments: Vec<(Column, Side<f64>, Side<f64>)>,
}

impl Shapes {
    fn read(columns: &[Column]) -> Result<Self> {
        let read = |column: &Column| {
            let column = column.full();
            let mut inner = &column;
            while let Column::Array(array) = inner {
                inner = &array.values;
            }
            let (x, y) = coordinates(inner)?;
            Ok((column, x, y))
        };
        Ok(Self { arguments: columns.iter().map(read).collect::<Result<_>>()? })
    }

    /// The polygons in a row. An argument without arrays around its rings is a ring; further
    /// arguments are holes of the first one.
    fn polygons(&self, row: usize, depth: usize) -> Vec<Polygon> {
        let mut polygons = Vec::new();
        for (i, (column, x, y)) in self.arguments.iter().enumerate() {
            let Column::Array(array) = column else { continue };
            let rings = |polygon: &Column, k: usize| -> Polygon {
                let Column::Array(rings) = polygon else { return Vec::new() };
                let ring = |r: usize| match &rings.values {
                    Column::Array(points) => {
                        points.range(r).map(|p| (x.get(p), y.get(p))).collect()
                    }
                    _ => Ring::new(),
                };
                rings.range(k).map(ring).collect()
            };
            match depth {
                1 => {
                    let ring = array.range(row).map(|p| (x.get(p), y.get(p))).collect();
                    if i == 0 {
                        polygons.push(vec![ring]);
                    } else {
                        polygons[0].push(ring);
                    }
                }
                2 => polygons.push(rings(column, row)),
                _ => polygons.extend(array.range(row).map(|k| rings(&array.values, k))),
            }
        }
        polygons
    }
}

fn in_polygon(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_point(&args[0].ty, 0)?;
    let depth = depth_of(&args[1].ty, 1)?;
    for (i, arg) in args.iter().enumerate().skip(2) {
        if depth_of(&arg.ty, i)? != depth {
            let message = format!("Argument {} for function pointInPolygon is no hole", i + 1);
            return Err(wrong_type(message));
        }
    }
    let constants: Option<Vec<Column>> = args[1..]
        .iter()
        .map(|arg| Some(Column::from_value(&arg.ty, arg.constant.as_ref()?, 1)))
        .collect();
    if let Some(constants) = constants {
        let area = Arc::new(Area::new(Shapes::read(&constants)?.polygons(0, depth))?);
        return Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
            let (x, y) = coordinates(&args[0])?;
            let contains = |i: usize| u8::from(area.contains((x.get(i), y.get(i))));
            Ok((0..rows).map(contains).collect::<Vec<u8>>().into())
        }));
    }
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        let (x, y) = coordinates(&args[0])?;
        let shapes = Shapes::read(&args[1..])?;
        let contains = |i: usize| {
            let point = (x.get(i), y.get(i));
            let odd = |polygon: &Polygon| {
                polygon.iter().filter(|ring| crosses(ring, point)).count() % 2 == 1
            };
            u8::from(shapes.polygons(i, depth).iter().any(odd))
        };
        Ok((0..rows).map(contains).collect::<Vec<u8>>().into())
    }))
}

fn in_ellipses(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() < 6 || args.len() % 4 != 2 {
        let message = "Incorrect number of arguments of function pointInEllipses. Must be 2 for \
                       your point plus 4 * N for ellipses (x_i, y_i, a_i, b_i)";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    if let Some(at) = args.iter().position(|a| a.ty != DataType::Float64) {
        let message = format!(
            "Illegal type {} of argument {} of function pointInEllipses. Must be Float64",
            args[at].ty,
            at + 1
        );
        return Err(wrong_type(message));
    }
    let number = |(i, arg): (usize, &Arg)| {
        arg.constant.as_ref().and_then(Value::as_f64).ok_or_else(|| {
            let message = format!(
                "Illegal type Float64 of argument {} of function pointInEllipses. Must be const \
                 Float64",
                i + 1
            );
            wrong_type(message)
        })
    };
    let numbers = args.iter().enumerate().skip(2).map(number).collect::<Result<Vec<f64>>>()?;
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        let (x, y) = (Side::<f64>::read(&args[0])?, Side::<f64>::read(&args[1])?);
        let contains = |i: usize| {
            let inside = |ellipse: &[f64]| {
                let (p, q) =
                    ((x.get(i) - ellipse[0]) / ellipse[2], (y.get(i) - ellipse[1]) / ellipse[3]);
                p * p + q * q <= 1.0
            };
            u8::from(numbers.chunks_exact(4).any(inside))
        };
        Ok((0..rows).map(contains).collect::<Vec<u8>>().into())
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "pointInPolygon",
        description: "Whether a point is in a polygon: an array of corners, which further arguments \
                      make holes in; an array of rings; or an array of polygons.",
        examples: &[
            ("pointInPolygon((3, 3), [(6, 0), (8, 4), (5, 8), (0, 2)])", "1"),
            ("pointInPolygon((4, 2), [(0, 0), (6, 0), (6, 6)], [(2, 1), (5, 1), (5, 4)])", "0"),
        ],
        arity: (2, usize::MAX),
        bind: in_polygon,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "pointInEllipses",
        description: "Whether the point (x, y) is in one of the ellipses, each given by its centre \
                      and half of its width and height.",
        examples: &[("pointInEllipses(1., 1., 0., 0., 2., 1.5)", "1")],
        bind: in_ellipses,
        ..FunctionDef::DEFAULT
    },
];
