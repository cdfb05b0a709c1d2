//! Geography: distances on the earth, points in polygons and ellipses, geohashes.

mod distance;
mod geohash;
mod points;

pub use distance::FUNCTIONS as DISTANCES;
pub use geohash::FUNCTIONS as GEOHASHES;
pub use points::FUNCTIONS as POINTS;
