//! Which crate may import which, checked against `layers.toml`.
//!
//! Ordinary and build dependencies must be named in the line of the importing crate and have a
//! lower rank. Dev-dependencies are free, but must not close a cycle, because the tests of a crate
//! would then be compiled against a second copy of the crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Problem;
use crate::metadata::Package;
use crate::rooms::Rooms;
use crate::source::Source;

const PREFIX: &str = "entasis-";
const DEV_RANK: i64 = 99;

/// `layers.toml`.
#[derive(Debug, Default)]
pub struct Layers {
    crates: BTreeMap<String, Layer>,
    walls: Vec<Wall>,
    rooms: Vec<Rooms>,
}

#[derive(Debug)]
struct Layer {
    rank: i64,
    imports: BTreeSet<String>,
}

#[derive(Debug)]
struct Wall {
    dependencies: BTreeSet<String>,
    only: BTreeSet<String>,
    reason: String,
}

impl Layers {
    /// Reads `layers.toml` of a workspace.
    pub fn load(root: &Path) -> Result<Self, String> {
        let path = root.join("layers.toml");
        let text = std::fs::read_to_string(&path).map_err(|e| format!("layers.toml: {e}"))?;
        Self::parse(&text)
    }

    /// Parses the text of `layers.toml`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|e| format!("layers.toml: {e}"))?;
        let mut layers = Self::default();
        for entry in tables(&table, "crate") {
            let name = string(entry, "name")?;
            if string(entry, "purpose")?.is_empty() {
                return Err(format!("layers.toml: {name}: say its purpose"));
            }
            let rank = entry.get("rank").and_then(toml::Value::as_integer);
            let rank = rank.ok_or_else(|| format!("layers.toml: {name} has no rank"))?;
            let layer = Layer { rank, imports: strings(entry, "imports")? };
            if layers.crates.insert(name.clone(), layer).is_some() {
                return Err(format!("layers.toml: {name} is listed twice"));
            }
        }
        for entry in tables(&table, "wall") {
            layers.walls.push(Wall {
                dependencies: strings(entry, "dependencies")?,
                only: strings(entry, "only")?,
                reason: string(entry, "reason")?,
            });
        }
        for entry in tables(&table, "rooms") {
            let order = list(entry, "order")?.collect();
            layers.rooms.push(Rooms { name: string(entry, "crate")?, order });
        }
        layers.check_itself()?;
        Ok(layers)
    }

    /// Imports must name known crates of a lower rank, so the table itself cannot contain a cycle.
    fn check_itself(&self) -> Result<(), String> {
        for (name, layer) in &self.crates {
            for import in layer.imports.iter().filter(|i| *i != "*") {
                match self.crates.get(import) {
                    None => return Err(format!("layers.toml: {name}: unknown crate {import}")),
                    Some(other) if other.rank >= layer.rank => {
                        return Err(format!(
                            "layers.toml: {name} (rank {}) may not list {import} (rank {}): \
                             imports go down",
                            layer.rank, other.rank
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Compares the packages of the workspace with the table.
    pub fn check(&self, packages: &[Package]) -> Vec<Problem> {
        let mut problems = Vec::new();
        for package in packages {
            let Some(name) = package.name.strip_prefix(PREFIX) else {
                problems.push(Problem::new(
                    &package.name,
                    0,
                    format!("call the package `{PREFIX}<folder>`, as every other"),
                ));
                continue;
            };
            let Some(layer) = self.crates.get(name) else {
                problems.push(Problem::new(
                    name,
                    0,
                    "is not in layers.toml: give it a rank, a purpose and its imports there, and \
                     the reason for a new crate in docs/adr/",
                ));
                continue;
            };
            for dependency in &package.dependencies {
                let other = dependency.name.strip_prefix(PREFIX);
                let problem = match other {
                    Some(other) if dependency.dev => cycle(packages, name, other),
                    Some(other) => self.edge(name, layer, other),
                    None => self.outside(name, layer, &dependency.name),
                };
                problems.extend(problem.map(|message| Problem::new(name, 0, message)));
            }
        }
        problems
    }

    /// Compares the sources with the order of the rooms in their crates.
    pub fn check_rooms(&self, sources: &BTreeMap<String, Source>) -> Vec<Problem> {
        self.rooms.iter().flat_map(|rooms| rooms.check(sources)).collect()
    }

    fn edge(&self, name: &str, layer: &Layer, other: &str) -> Option<String> {
        if layer.imports.contains("*") || layer.imports.contains(other) {
            return None;
        }
        let rank = self.crates.get(other).map_or(-1, |l| l.rank);
        if rank == DEV_RANK {
            return Some(format!("`{other}` is for tests: move it to [dev-dependencies]"));
        }
        let allowed: Vec<&str> = layer.imports.iter().map(String::as_str).collect();
        Some(format!(
            "imports `{other}` (rank {rank} into rank {}), which layers.toml does not allow. \
             `{name}` may import: {}. Can the item move down, or come in as an argument? \
             If the edge is really wanted, write docs/adr/NNNN-*.md with the reason and add \
             \"{other}\" to `{name}` in layers.toml in the same commit",
            layer.rank,
            if allowed.is_empty() { "nothing".into() } else { allowed.join(", ") },
        ))
    }

    fn outside(&self, name: &str, layer: &Layer, dependency: &str) -> Option<String> {
        if layer.imports.contains("*") {
            return None;
        }
        let wall = self.walls.iter().find(|w| w.dependencies.contains(dependency))?;
        if wall.only.contains(name) {
            return None;
        }
        let rooms: Vec<&str> = wall.only.iter().map(String::as_str).collect();
        Some(format!("uses `{dependency}`, kept to {}: {}", rooms.join(", "), wall.reason))
    }
}

/// Whether a dev-dependency of `name` on `other` closes a cycle of ordinary imports.
fn cycle(packages: &[Package], name: &str, other: &str) -> Option<String> {
    let imports = |of: &str| {
        let package = packages.iter().find(|p| p.name.strip_prefix(PREFIX) == Some(of));
        package.into_iter().flat_map(|p| &p.dependencies).filter(|d| !d.dev)
    };
    let mut reached = BTreeSet::from([other.to_owned()]);
    let mut open = vec![other.to_owned()];
    while let Some(at) = open.pop() {
        if at == name {
            return Some(format!(
                "its tests use `{other}`, which imports `{name}`: they would see two copies of it. \
                 Move such tests to `{other}`, or to a crate above both"
            ));
        }
        for next in imports(&at).filter_map(|d| d.name.strip_prefix(PREFIX)) {
            if reached.insert(next.to_owned()) {
                open.push(next.to_owned());
            }
        }
    }
    None
}

fn tables<'a>(table: &'a toml::Table, key: &str) -> impl Iterator<Item = &'a toml::Table> {
    let list = table.get(key).and_then(toml::Value::as_array);
    list.into_iter().flatten().filter_map(toml::Value::as_table)
}

fn string(table: &toml::Table, key: &str) -> Result<String, String> {
    let value = table.get(key).and_then(toml::Value::as_str);
    value.map(str::to_owned).ok_or_else(|| format!("layers.toml: missing `{key}` in {table:?}"))
}

fn strings(table: &toml::Table, key: &str) -> Result<BTreeSet<String>, String> {
    list(table, key).map(Iterator::collect)
}

fn list<'a>(
    table: &'a toml::Table,
    key: &str,
) -> Result<impl Iterator<Item = String> + 'a, String> {
    let list = table.get(key).and_then(toml::Value::as_array);
    let list = list.ok_or_else(|| format!("layers.toml: missing `{key}` in {table:?}"))?;
    Ok(list.iter().filter_map(toml::Value::as_str).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    const TABLE: &str = r#"
        crate = [
            { name = "low", rank = 0, purpose = "p", imports = [] },
            { name = "mid", rank = 1, purpose = "p", imports = ["low"] },
            { name = "top", rank = 2, purpose = "p", imports = ["low"] },
            { name = "kit", rank = 99, purpose = "p", imports = ["*"] },
        ]
        wall = [{ dependencies = ["tokio"], only = ["top"], reason = "no futures" }]
    "#;

    fn package(name: &str, imports: &[(&str, bool)]) -> Package {
        let dependencies =
            imports.iter().map(|&(n, dev)| Dependency { name: n.into(), dev }).collect();
        Package { name: format!("entasis-{name}"), licence: None, dependencies }
    }

    fn check(packages: &[Package]) -> String {
        crate::report(&Layers::parse(TABLE).unwrap().check(packages))
    }

    #[test]
    fn allowed_edges_pass() {
        let packages = [
            package("low", &[("memchr", false)]),
            package("mid", &[("entasis-low", false), ("entasis-kit", true)]),
            package("top", &[("entasis-mid", true), ("tokio", false)]),
            package("kit", &[("entasis-top", false), ("tokio", false)]),
        ];
        assert_eq!(check(&packages), "");
    }

    #[test]
    fn a_new_edge_names_the_rule() {
        let text = check(&[package("top", &[("entasis-mid", false)])]);
        assert!(text.contains("imports `mid`") && text.contains("docs/adr"), "{text}");
    }

    #[test]
    fn walls_unknown_crates_and_test_crates_are_refused() {
        assert!(check(&[package("mid", &[("tokio", false)])]).contains("no futures"));
        assert!(check(&[package("new", &[])]).contains("not in layers.toml"));
        assert!(check(&[package("mid", &[("entasis-kit", false)])]).contains("dev-dependencies"));
    }

    #[test]
    fn dev_cycles_are_refused() {
        let packages =
            [package("low", &[("entasis-mid", true)]), package("mid", &[("entasis-low", false)])];
        assert!(check(&packages).contains("two copies"));
    }

    #[test]
    fn the_table_must_go_down() {
        let upward = r#"crate = [
            { name = "a", rank = 0, purpose = "p", imports = ["b"] },
            { name = "b", rank = 0, purpose = "p", imports = [] }]"#;
        assert!(Layers::parse(upward).unwrap_err().contains("imports go down"));
        assert!(Layers::parse(r#"crate = [{ name = "a", purpose = "p", imports = [] }]"#).is_err());
    }
}
