//! The names of layouts, and what each of them means.

use entasis_function::dictionary::KeyKind;

/// A layout of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its name in LAYOUT, in upper case.
    pub name: &'static str,
    /// Its name in `system.dictionaries`.
    pub type_name: &'static str,
    /// What a key is.
    pub key: KeyKind,
    /// Whether each row has a range.
    pub has_range: bool,
    /// Which row counts if several have the same key.
    pub duplicates: Duplicates,
    /// Whether the source is asked for keys instead of being read as a whole.
    pub asks: bool,
    /// Whether answers of the source are kept.
    pub caches: bool,
    /// Whether it needs LIFETIME.
    pub needs_lifetime: bool,
    /// Whether the keys are regular expressions.
    pub is_tree: bool,
    /// Whether keys can be found by values, and children by parents.
    pub is_complete: bool,
}

/// Which row counts if several have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// The first one.
    First,
    /// The last one.
    Last,
    /// All of them.
    All,
}

const HASHED: Layout = Layout {
    name: "HASHED",
    type_name: "Hashed",
    key: KeyKind::Simple,
    has_range: false,
    duplicates: Duplicates::First,
    asks: false,
    caches: false,
    needs_lifetime: true,
    is_tree: false,
    is_complete: true,
};
const COMPLEX: Layout = Layout { key: KeyKind::Complex, is_complete: false, ..HASHED };
const CACHE: Layout =
    Layout { duplicates: Duplicates::Last, asks: true, caches: true, is_complete: false, ..HASHED };
const DIRECT: Layout = Layout { caches: false, needs_lifetime: false, ..CACHE };
const RANGES: Layout =
    Layout { has_range: true, duplicates: Duplicates::All, is_complete: false, ..HASHED };

/// All layouts.
pub const LAYOUTS: &[Layout] = &[
    Layout { name: "FLAT", type_name: "Flat", duplicates: Duplicates::Last, ..HASHED },
    HASHED,
    Layout { name: "SPARSE_HASHED", type_name: "SparseHashed", ..HASHED },
    Layout { name: "HASHED_ARRAY", type_name: "HashedArray", ..HASHED },
    Layout { name: "COMPLEX_KEY_HASHED", type_name: "ComplexKeyHashed", ..COMPLEX },
    Layout { name: "COMPLEX_KEY_SPARSE_HASHED", type_name: "ComplexKeySparseHashed", ..COMPLEX },
    Layout { name: "COMPLEX_KEY_HASHED_ARRAY", type_name: "ComplexHashedArray", ..COMPLEX },
    Layout { name: "RANGE_HASHED", type_name: "RangeHashed", ..RANGES },
    Layout {
        name: "COMPLEX_KEY_RANGE_HASHED",
        type_name: "ComplexKeyRangeHashed",
        key: KeyKind::Complex,
        ..RANGES
    },
    Layout { name: "CACHE", type_name: "Cache", ..CACHE },
    Layout { name: "SSD_CACHE", type_name: "SSDCache", ..CACHE },
    Layout {
        name: "COMPLEX_KEY_CACHE",
        type_name: "ComplexKeyCache",
        key: KeyKind::Complex,
        ..CACHE
    },
    Layout {
        name: "COMPLEX_KEY_SSD_CACHE",
        type_name: "SSDComplexKeyCache",
        key: KeyKind::Complex,
        ..CACHE
    },
    Layout { name: "DIRECT", type_name: "Direct", ..DIRECT },
    Layout {
        name: "COMPLEX_KEY_DIRECT",
        type_name: "ComplexKeyDirect",
        key: KeyKind::Complex,
        ..DIRECT
    },
    Layout { name: "IP_TRIE", type_name: "Trie", key: KeyKind::Address, ..COMPLEX },
    Layout { name: "POLYGON", type_name: "Polygon", ..POLYGON },
    Layout { name: "POLYGON_SIMPLE", type_name: "PolygonSimple", ..POLYGON },
    Layout { name: "POLYGON_INDEX_EACH", type_name: "PolygonIndexEach", ..POLYGON },
    Layout { name: "REGEXP_TREE", type_name: "RegExpTree", is_tree: true, ..COMPLEX },
    Layout { name: "POLYGON_INDEX_CELL", type_name: "PolygonIndexCell", ..POLYGON },
];
const POLYGON: Layout = Layout { key: KeyKind::Point, duplicates: Duplicates::All, ..COMPLEX };

impl Layout {
    /// The layout with this name in upper case.
    pub fn find(name: &str) -> Option<Self> {
        LAYOUTS.iter().copied().find(|layout| layout.name == name)
    }
}
