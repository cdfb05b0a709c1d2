//! The output of `cargo metadata`, reduced to the facts that the rules need.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A package of the workspace or of the dependency graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Package name.
    pub name: String,
    /// SPDX expression, if the manifest has one.
    pub licence: Option<String>,
    /// Declared dependencies.
    pub dependencies: Vec<Dependency>,
}

/// A declared dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The package it names.
    pub name: String,
    /// Whether it is only for tests, benches and examples.
    pub dev: bool,
}

/// The workspace root: two levels above this crate's manifest.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// The packages of the workspace.
pub fn workspace(root: &Path) -> Result<Vec<Package>, String> {
    run(root, &["--no-deps"])
}

/// Every package that a build on this platform uses. It needs no network, because a build has
/// downloaded them all. Packages for other platforms may be missing.
pub fn everything(root: &Path) -> Result<Vec<Package>, String> {
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    run(root, &["--filter-platform", &target])
}

fn run(root: &Path, args: &[&str]) -> Result<Vec<Package>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline"])
        .args(args)
        .current_dir(root)
        .output()
        .map_err(|e| format!("cannot run cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    parse(&output.stdout)
}

/// Reads the JSON that `cargo metadata --format-version 1` prints.
pub fn parse(json: &[u8]) -> Result<Vec<Package>, String> {
    let value: Value = serde_json::from_slice(json).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = value["packages"].as_array().ok_or("cargo metadata: no packages")?;
    Ok(packages.iter().map(package).collect())
}

fn package(value: &Value) -> Package {
    let text = |v: &Value| v.as_str().map(str::to_owned);
    let list = value["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
    Package {
        name: text(&value["name"]).unwrap_or_default(),
        licence: text(&value["license"]),
        dependencies: list
            .iter()
            .map(|d| Dependency {
                name: text(&d["name"]).unwrap_or_default(),
                dev: d["kind"].as_str() == Some("dev"),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_cargo_prints() {
        let json = br#"{"packages": [{"name": "a", "license": "MIT", "dependencies": [
            {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]}]}"#;
        let packages = parse(json).unwrap();
        assert_eq!(packages[0].licence.as_deref(), Some("MIT"));
        assert!(!packages[0].dependencies[0].dev && packages[0].dependencies[1].dev);
        assert!(parse(b"{}").is_err());
    }
}
