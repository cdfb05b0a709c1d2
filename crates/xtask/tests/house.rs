//! The house rules, held against this repository.

use entasis_xtask::layers::Layers;
use entasis_xtask::ratchet::{self, Ratchet};
use entasis_xtask::{licences, metadata, report, tidy, tree};

#[test]
fn layers() {
    let root = metadata::root();
    let layers = Layers::load(&root).unwrap_or_else(|e| panic!("{e}"));
    let packages = metadata::workspace(&root).unwrap_or_else(|e| panic!("{e}"));
    let mut problems = layers.check(&packages);
    let files = tree::read(&root).unwrap_or_else(|e| panic!("{e}"));
    problems.extend(layers.check_rooms(&tree::sources(&files)));
    assert!(problems.is_empty(), "{}", report(&problems));
}

#[test]
fn tidy() {
    let problems = tidy::check(&metadata::root()).unwrap_or_else(|e| panic!("{e}"));
    assert!(problems.is_empty(), "{}", report(&problems));
}

#[test]
fn licences() {
    let packages = metadata::everything(&metadata::root()).unwrap_or_else(|e| panic!("{e}"));
    assert!(!packages.is_empty());
    let problems = licences::check(&packages);
    assert!(problems.is_empty(), "{}", report(&problems));
}

#[test]
fn the_ratchet_is_printed() {
    let text = std::fs::read_to_string(ratchet::path(&metadata::root())).unwrap();
    let ratchet = Ratchet::parse(&text).unwrap();
    println!(
        "over a limit, still: {} files, {} functions",
        ratchet.files.len(),
        ratchet.functions.len()
    );
}
