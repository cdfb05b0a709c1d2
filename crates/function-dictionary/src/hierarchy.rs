//! Functions that follow the attribute which names a key's parent.

use std::collections::HashMap;
use std::sync::OnceLock;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::Column;
use entasis_function::dictionary::KeyKind;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_types::{DataType, Value};

use crate::arguments::{KeyArgument, Target};
use crate::get::DEFAULT;

/// Most keys on the way from a key to its root.
const MAX_DEPTH: usize = 1000;

/// A dictionary with parents, and how an argument becomes a key.
struct Tree {
    target: Target,
    key: KeyArgument,
    parent: usize,
    children: OnceLock<HashMap<u64, Vec<u64>>>,
}

impl Tree {
    fn bind(function: &str, args: &[Arg], context: &dyn FunctionContext) -> Result<Self> {
        let target = Target::bind(function, &args[0], context)?;
        let structure = target.dictionary.structure();
        let parent = structure.parent.filter(|_| structure.key_kind == KeyKind::Simple);
        let parent = parent.ok_or_else(|| {
            let name = target.dictionary.name();
            let message = format!(
                "Dictionary {name} does not support hierarchy: none of its attributes is \
                 HIERARCHICAL"
            );
            Error::new(codes::UNSUPPORTED_METHOD, message)
        })?;
        let key = KeyArgument::bind(function, &args[1], &*target.dictionary, context)?;
        Ok(Self { target, key, parent, children: OnceLock::new() })
    }

    fn keys(&self, arg: &Column, rows: usize) -> Result<Vec<u64>> {
        words(&self.key.columns(arg, rows)?)
    }

    /// The way from each key to its root. A key that is not there has no way.
    fn ways(&self, keys: Vec<u64>) -> Result<Vec<Vec<u64>>> {
        let contents = self.target.contents()?;
        let mut ways: Vec<Vec<u64>> = vec![Vec::new(); keys.len()];
        let mut active: Vec<usize> = (0..keys.len()).collect();
        let mut current = keys;
        for step in 0..MAX_DEPTH {
            if active.is_empty() {
                break;
            }
            scope::check()?;
            let column = Column::from(current.clone());
            let found = contents.find(&[column], None, current.len())?;
            let parents = &found.attributes[self.parent];
            let null = (!parents.is_null(0)).then(|| parents.bits(0) as u64);
            let (mut next, mut left) = (Vec::new(), Vec::new());
            for ((&way, &key), &row) in active.iter().zip(&current).zip(&found.rows) {
                if row == 0 && step == 0 {
                    continue;
                }
                if ways[way].contains(&key) {
                    continue;
                }
                ways[way].push(key);
                let row = row as usize;
                if row != 0 && !parents.is_null(row) {
                    let parent = plain_bits(parents, row);
                    if Some(parent) != null {
                        left.push(way);
                        next.push(parent);
                    }
                }
            }
            (active, current) = (left, next);
        }
        Ok(ways)
    }

    /// The children of every key.
    fn children(&self) -> Result<&HashMap<u64, Vec<u64>>> {
        if let Some(children) = self.children.get() {
            return Ok(children);
        }
        let all = self.target.contents()?.all()?;
        let keys = words(&all.keys)?;
        let parents = all.attributes[self.parent].full();
        let mut children: HashMap<u64, Vec<u64>> = HashMap::new();
        for (row, key) in keys.into_iter().enumerate() {
            if !parents.is_null(row) {
                children.entry(plain_bits(&parents, row)).or_default().push(key);
            }
        }
        Ok(self.children.get_or_init(|| children))
    }

    /// The descendants of a key at a level; all of them for level 0.
    fn descendants(&self, key: u64, level: usize) -> Result<Vec<u64>> {
        let children = self.children()?;
        let (mut found, mut last) = (Vec::new(), vec![key]);
        let mut seen = std::collections::HashSet::new();
        for depth in 1..=MAX_DEPTH {
            scope::check()?;
            let mut next = Vec::new();
            for key in &last {
                let of_key = children.get(key).map_or(&[][..], |list| list);
                next.extend(of_key.iter().copied().filter(|&key| seen.insert(key)));
            }
            if depth == level {
                return Ok(next);
            }
            if next.is_empty() {
                break;
            }
            found.extend_from_slice(&next);
            last = next;
        }
        Ok(if level == 0 { found } else { Vec::new() })
    }
}

fn plain_bits(column: &Column, row: usize) -> u64 {
    let (_, values) = column.split_nullable();
    values.bits(row) as u64
}

fn words(keys: &[Column]) -> Result<Vec<u64>> {
    let words = keys.first().map(Column::full).and_then(|key| Some(key.native::<u64>()?.to_vec()));
    words.ok_or_else(|| Error::logical("the key of a tree is not UInt64"))
}

fn lists(lists: &[Vec<u64>]) -> Column {
    let mut offsets: Vec<u32> = Vec::with_capacity(lists.len() + 1);
    offsets.push(0);
    let mut end = 0;
    for list in lists {
        end += list.len() as u32;
        offsets.push(end);
    }
    Column::array(offsets.into(), Column::from(lists.concat()))
}

fn bind_hierarchy(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let tree = Tree::bind("dictGetHierarchy", args, context)?;
    Ok(BoundKernel::new(DataType::array(DataType::UInt64), move |args, rows| {
        Ok(lists(&tree.ways(tree.keys(&args[1], rows)?)?))
    }))
}

fn bind_root(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let tree = Tree::bind("dictGetRoot", args, context)?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        let ways = tree.ways(tree.keys(&args[1], rows)?)?;
        let roots = ways.iter().map(|way| way.last().copied().unwrap_or(0));
        Ok(roots.collect::<Vec<u64>>().into())
    }))
}

fn bind_is_in(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let tree = Tree::bind("dictIsIn", args, context)?;
    let ancestor = KeyArgument::bind("dictIsIn", &args[2], &*tree.target.dictionary, context)?;
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        let ways = tree.ways(tree.keys(&args[1], rows)?)?;
        let ancestors = words(&ancestor.columns(&args[2], rows)?)?;
        let is_in = ways.iter().zip(&ancestors).map(|(way, key)| u8::from(way.contains(key)));
        Ok(is_in.collect::<Vec<u8>>().into())
    }))
}

/// Fails if the layout does not know children.
fn check_complete(tree: &Tree) -> Result<()> {
    if tree.target.dictionary.structure().is_complete {
        return Ok(());
    }
    let name = tree.target.dictionary.name();
    let message = format!(
        "Method getHierarchicalIndex is not supported for {name} dictionary: use the layout FLAT, \
         HASHED or HASHED_ARRAY"
    );
    Err(Error::new(codes::NOT_IMPLEMENTED, message))
}

fn bind_descendants(
    function: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let tree = Tree::bind(function, args, context)?;
    let level = match args.get(2) {
        None if function == "dictGetChildren" => 1,
        None => 0,
        Some(arg) => level(function, arg)?,
    };
    Ok(BoundKernel::new(DataType::array(DataType::UInt64), move |args, rows| {
        check_complete(&tree)?;
        let keys = tree.keys(&args[1], rows)?;
        let found = keys.iter().map(|&key| tree.descendants(key, level));
        Ok(lists(&found.collect::<Result<Vec<_>>>()?))
    }))
}

fn level(function: &str, arg: &Arg) -> Result<usize> {
    let illegal = || {
        let message = format!(
            "Illegal type of third argument of function {function}. Expected const unsigned \
             integer. Actual type {}",
            arg.ty
        );
        Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
    };
    let value = arg.constant.as_ref().filter(|_| arg.ty.is_unsigned()).ok_or_else(illegal)?;
    match value {
        Value::UInt(level) => Ok(*level as usize),
        _ => Err(illegal()),
    }
}

/// The functions of trees.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "dictGetHierarchy",
        description: "A key and all its ancestors, in this order.",
        arity: (2, 2),
        bind: bind_hierarchy,
        ..DEFAULT
    },
    FunctionDef {
        name: "dictGetRoot",
        description: "The last ancestor of a key; 0 if the key is not there.",
        arity: (2, 2),
        bind: bind_root,
        ..DEFAULT
    },
    FunctionDef {
        name: "dictIsIn",
        description: "Whether the third argument is the key in the second or one of its ancestors.",
        arity: (3, 3),
        bind: bind_is_in,
        ..DEFAULT
    },
    FunctionDef {
        name: "dictGetChildren",
        description: "The keys whose parent is this key.",
        arity: (2, 2),
        bind: |args, context| bind_descendants("dictGetChildren", args, context),
        ..DEFAULT
    },
    FunctionDef {
        name: "dictGetDescendants",
        description: "The descendants of a key: all of them, or those at a level, where 1 stands \
                      for its children.",
        arity: (2, 3),
        bind: |args, context| bind_descendants("dictGetDescendants", args, context),
        ..DEFAULT
    },
];
